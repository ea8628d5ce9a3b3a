// SPDX-License-Identifier: MIT
#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

namespace tengen {

namespace {

/// Infos that wait to be read; older ones are dropped when nobody reads them.
constexpr size_t MOST_EVENTS = 4096;

/// So many seconds are as good as any more, and a few hundred times as many nanoseconds fit into 64
/// bits.
constexpr double LONGEST = 1e7;

i64 in_nanoseconds(double seconds) { return static_cast<i64>(std::min(seconds, LONGEST) * 1e9); }

int count_stones(const SearchRequest& request, int size) {
  int stones = 0;
  for (const Point p : board_points(size)) stones += request.cells[p] != EMPTY;
  return stones;
}

}  // namespace

Engine::Engine(const EngineOptions& options) : options_(options) {}

Engine::~Engine() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void Engine::require_idle() const {
  if (is_running()) throw std::logic_error("the engine is searching");
}

void Engine::set_option(std::string_view name, i64 value) {
  require_idle();
  tengen::set_option(options_, name, value);
  searcher_.reset();  // the next search begins with a new one
}

void Engine::load_tables(Rule rule, std::string_view bytes) {
  require_idle();
  tables_[static_cast<size_t>(rule)] = ClassicalTables::parse(bytes, rule);
  searcher_.reset();
}

void Engine::set_evaluation(Evaluation evaluation) {
  require_idle();
  if (const auto* nets = std::get_if<mixnet::Nets>(&evaluation))
    if (!(*nets)[0] || !(*nets)[1]) throw std::invalid_argument("no net was loaded");
  searcher_.reset();  // it holds the old one
  evaluation_ = std::move(evaluation);
  guesses_.reset();
}

void Engine::load_guesses(Rule rule, std::string_view bytes) {
  require_idle();
  guesses_ = GuessTables::parse(bytes, rule);
  searcher_.reset();
}

void Engine::collect_samples(int share) {
  require_idle();
  sample_share_ = share;
}

std::vector<SearchSample> Engine::take_samples() {
  require_idle();
  return std::exchange(samples_, {});
}

Knowledge Engine::knowledge(Rule rule) const {
  const bool fit = guesses_ && guesses_->rule == rule;
  return {tables_[static_cast<size_t>(rule)], evaluation_, fit ? guesses_ : nullptr};
}

void Engine::new_game() {
  require_idle();
  if (searcher_) searcher_->new_game();
}

void Engine::prepare(int size, Rule rule) {
  if (searcher_ && searcher_size_ == size && searcher_rule_ == rule) return;
  searcher_.reset();  // its memory first
  searcher_ = make_searcher(options_, size, rule, knowledge(rule));
  searcher_size_ = size;
  searcher_rule_ = rule;
}

/// The clock starts now.
void Engine::begin_time(const TimePlan& plan) {
  const i64 now = Watch::now_in_nanoseconds();
  control_.began = now;
  control_.optimum = in_nanoseconds(plan.optimum);
  control_.deadline = plan.maximum > 0 ? now + in_nanoseconds(plan.maximum) : SearchControl::NEVER;
}

void Engine::go(const GoRequest& request) {
  require_idle();
  if (thread_.joinable()) thread_.join();
  const int stones = count_stones(request.search, request.size);
  const TimePlan plan = plan_time(request.time, stones, request.size * request.size);
  begin_time(request.ponder ? TimePlan{} : plan);
  prepare(request.size, request.rule);
  control_.stop = false;
  {
    const std::lock_guard guard(lock_);
    events_.clear();
    plan_ = plan;
    stones_ = stones;
    pondering_ = request.ponder;
    running_ = true;
  }
  SearchRequest search = request.search;
  if (sample_share_ > 0) search.samples = &samples_;
  search.sample_share = sample_share_;
  if (std::holds_alternative<CalledNet>(evaluation_)) search.nodes_a_check = 1;
  try {
    thread_ = std::thread([this, search = std::move(search)] { think(search); });
  } catch (...) {
    const std::lock_guard guard(lock_);
    running_ = pondering_ = false;
    throw;
  }
}

/// The body of the searching thread.
void Engine::think(const SearchRequest& request) {
  EngineEvent last;
  last.kind = EngineEvent::Kind::DONE;
  try {
    SearchAnswer answer = searcher_->search(request, control_, [this](const SearchInfo& info) {
      EngineEvent event;
      event.info = info;
      put(std::move(event));
    });
    last.info = std::move(answer.info);
    last.move = answer.move;
    last.ponder = answer.ponder;
  } catch (const std::exception& error) {
    last.kind = EngineEvent::Kind::FAILED;
    last.fault = error.what();
    const std::lock_guard guard(lock_);  // others ask it how far it is
    searcher_.reset();                   // it was left in the middle of something
  }
  std::unique_lock guard(lock_);
  // An answer that is there before the opponent has moved is kept until then.
  changed_.wait(guard, [this] { return !pondering_; });
  events_.push_back(std::move(last));
  running_ = false;
  changed_.notify_all();
}

void Engine::put(EngineEvent event) {
  const std::lock_guard guard(lock_);
  if (events_.size() >= MOST_EVENTS) events_.pop_front();
  events_.push_back(std::move(event));
  changed_.notify_all();
}

void Engine::stop() {
  const std::lock_guard guard(lock_);
  pondering_ = false;
  if (running_) control_.stop = true;
  changed_.notify_all();
}

void Engine::ponder_hit(const std::optional<TimeLimits>& limits) {
  const std::lock_guard guard(lock_);
  if (!running_ || !pondering_) return;
  if (limits) plan_ = plan_time(*limits, stones_, searcher_size_ * searcher_size_);
  begin_time(plan_);
  pondering_ = false;
  changed_.notify_all();
}

std::optional<EngineEvent> Engine::next_event(double seconds) {
  std::unique_lock guard(lock_);
  changed_.wait_for(guard, std::chrono::duration<double>(std::min(seconds, LONGEST)),
                    [this] { return !events_.empty() || !running_; });
  if (events_.empty()) return std::nullopt;
  EngineEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

std::optional<SearchProgress> Engine::progress() const {
  const std::lock_guard guard(lock_);
  return running_ && searcher_ ? searcher_->progress() : std::nullopt;
}

std::vector<LikelyMove> Engine::likely_moves(const GoRequest& request) {
  require_idle();
  const Knowledge known = knowledge(request.rule);
  return first_look(request.size, request.rule, request.search,
                    make_evaluator(options_, request.size, request.rule, known));
}

bool Engine::is_running() const {
  const std::lock_guard guard(lock_);
  return running_;
}

}  // namespace tengen
