// SPDX-License-Identifier: MIT
#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/large_array.h"

namespace tengen {

namespace {

/// Unread infos; the oldest are dropped beyond this number.
constexpr size_t MAX_EVENTS = 4096;

/// Upper bound of a time limit: keeps nanoseconds within 64 bits.
constexpr double MAX_SECONDS = 1e7;

/// Bytes that the tables leave for the search itself and for other threads.
constexpr size_t SEARCH_ROOM = size_t{4} << 20;

i64 in_nanoseconds(double seconds) {
  return static_cast<i64>(std::min(seconds, MAX_SECONDS) * 1e9);
}

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

void Engine::set_options(const EngineOptions& options) {
  require_idle();
  if (options == options_) return;
  options_ = options;
  searcher_.reset();  // the next search makes a new one
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
  searcher_.reset();  // it uses the old evaluation
  evaluation_ = std::move(evaluation);
  lazy_tables_.reset();
}

void Engine::load_lazy_tables(Rule rule, std::string_view bytes) {
  require_idle();
  lazy_tables_ = LazyTables::parse(bytes, rule);
  searcher_.reset();
}

void Engine::set_hook(StopCondition::Hook hook) {
  require_idle();
  control_.hook = std::move(hook);
}

void Engine::collect_samples(int per_1024) {
  require_idle();
  samples_per_1024_ = per_1024;
}

std::vector<SearchSample> Engine::take_samples() {
  require_idle();
  return std::exchange(samples_, {});
}

EvaluatorResources Engine::resources(Rule rule) const {
  const bool has_lazy_tables = lazy_tables_ && lazy_tables_->rule == rule;
  return {tables_[static_cast<size_t>(rule)], evaluation_,
          has_lazy_tables ? lazy_tables_ : nullptr};
}

void Engine::new_game() {
  require_idle();
  if (searcher_) searcher_->new_game();
}

void Engine::prepare(int size, Rule rule) {
  require_idle();
  if (searcher_ && searcher_size_ == size && searcher_rule_ == rule) return;
  searcher_.reset();  // frees its memory first
  auto searcher = make_searcher(options_, size, rule, resources(rule));
  require_room(SEARCH_ROOM);
  searcher_ = std::move(searcher);
  searcher_size_ = size;
  searcher_rule_ = rule;
}

/// Sets the times of the search, from now on.
void Engine::start_clock(const TimePlan& plan) {
  const i64 now = StopCondition::now_in_nanoseconds();
  control_.start_time = now;
  control_.optimum = in_nanoseconds(plan.optimum);
  control_.deadline = plan.maximum > 0 ? now + in_nanoseconds(plan.maximum) : SearchControl::NEVER;
}

SearchRequest Engine::begin(const GoRequest& request) {
  require_idle();
  if (thread_.joinable()) thread_.join();
  const int stones = count_stones(request.search, request.size);
  const TimePlan plan = plan_time(request.time, stones, request.size * request.size);
  start_clock(request.ponder ? TimePlan{} : plan);
  prepare(request.size, request.rule);
  control_.stop = false;
  control_.single_move = false;
  {
    const std::lock_guard guard(lock_);
    events_.clear();
    plan_ = plan;
    stones_ = stones;
    pondering_ = request.ponder;
    running_ = true;
  }
  SearchRequest search = request.search;
  if (samples_per_1024_ > 0) search.samples = &samples_;
  search.samples_per_1024 = samples_per_1024_;
  if (std::holds_alternative<CallbackNet>(evaluation_)) search.nodes_per_check = 1;
  return search;
}

void Engine::end_search() {
  const std::lock_guard guard(lock_);
  running_ = pondering_ = false;
  changed_.notify_all();
}

void Engine::go(const GoRequest& request) {
  SearchRequest search = begin(request);
  const auto on_line = [this](const SearchInfo& info) {
    EngineEvent event;
    event.info = info;
    push_event(std::move(event));
  };
  try {
    thread_ = std::thread([this, on_line, search = std::move(search)] {
      EngineEvent last = run_search(search, on_line);
      std::unique_lock guard(lock_);
      // While pondering, the result is held back until the opponent moved.
      changed_.wait(guard, [this] { return !pondering_; });
      events_.push_back(std::move(last));
      running_ = false;
      changed_.notify_all();
    });
  } catch (...) {
    end_search();
    throw;
  }
}

EngineEvent Engine::run(const GoRequest& request, const std::atomic<bool>& stop_requested,
                        const Searcher::OnInfo& on_line) {
  const SearchRequest search = begin(request);
  if (stop_requested) stop();
  EngineEvent last = run_search(search, on_line);
  end_search();
  return last;
}

EngineEvent Engine::run_search(const SearchRequest& request, const Searcher::OnInfo& on_line) {
  EngineEvent last;
  last.kind = EngineEvent::Kind::DONE;
  try {
    SearchResult result = searcher_->search(request, control_, on_line);
    last.info = std::move(result.info);
    last.move = result.move;
    last.ponder = result.ponder;
  } catch (const std::exception& error) {
    const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) ||
                           dynamic_cast<const std::system_error*>(&error);
    last.kind = EngineEvent::Kind::FAILED;
    last.failure = is_memory ? std::current_exception()
                             : std::make_exception_ptr(std::runtime_error(
                                   std::string("the search failed: ") + error.what()));
    const std::lock_guard guard(lock_);  // other threads call progress()
    searcher_.reset();                   // its state is undefined after an exception
  }
  return last;
}

void Engine::push_event(EngineEvent event) {
  const std::lock_guard guard(lock_);
  if (events_.size() >= MAX_EVENTS) events_.pop_front();
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
  start_clock(plan_);
  if (control_.single_move && control_.deadline != SearchControl::NEVER)
    control_.deadline = control_.start_time.load();
  pondering_ = false;
  changed_.notify_all();
}

std::optional<EngineEvent> Engine::next_event(double seconds) {
  std::unique_lock guard(lock_);
  changed_.wait_for(guard, std::chrono::duration<double>(std::min(seconds, MAX_SECONDS)),
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

std::vector<PolicyMove> Engine::root_policy(const GoRequest& request) {
  require_idle();
  const EvaluatorResources loaded = resources(request.rule);
  return tengen::root_policy(request.size, request.rule, request.search,
                             make_evaluator(options_, request.size, request.rule, loaded));
}

bool Engine::is_running() const {
  const std::lock_guard guard(lock_);
  return running_;
}

}  // namespace tengen
