// SPDX-License-Identifier: MIT
#include "engine/player.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tengen {

namespace {

constexpr int CLASSICAL_PAPER_DEPTH = 6;  ///< if the limit has no depth
constexpr double WAIT = 0.05;  ///< seconds for an event, after which a stop is checked again

u64 rate(u64 nodes, double seconds) {
  return seconds > 0 ? static_cast<u64>(std::llround(static_cast<double>(nodes) / seconds)) : 0;
}

/// The position for the engine, without limits.
GoRequest position_of(const PlayRequest& request) {
  const Board& board = request.board;
  GoRequest go;
  go.size = board.size();
  go.rule = request.rule;
  go.search.cells = board.cells();
  go.search.side = board.side_to_move();
  go.search.moves_left = request.moves_left;
  const std::vector<Point>& moves = board.moves();
  if (!moves.empty()) go.search.last = moves.back();
  if (moves.size() > 1) go.search.before_last = moves[moves.size() - 2];
  return go;
}

bool same_position(const PlayRequest& one, const PlayRequest& two) {
  return one.rule == two.rule && one.moves_left == two.moves_left &&
         one.board.size() == two.board.size() && one.board.hash() == two.board.hash() &&
         one.board.cells() == two.board.cells() &&
         one.board.side_to_move() == two.board.side_to_move();
}

}  // namespace

NoTableMemory::NoTableMemory(size_t bytes)
    : message_("not enough memory for tables of " + std::to_string(bytes >> 20) +
               " MiB: use less") {}

// --- lines of a level ---

void Player::LineSet::add(const SearchInfo& info) {
  if (info.bound != Bound::EXACT || info.pv.empty()) return;
  std::erase_if(lines_, [&](const SearchInfo& line) {
    return line.multipv == info.multipv || (info.multipv == 1 && line.pv == info.pv);
  });
  lines_.push_back(info);
}

std::vector<SearchInfo> Player::LineSet::sorted(const SearchInfo& best) const {
  std::vector<SearchInfo> found = {best};
  for (const SearchInfo& line : lines_)
    if (std::none_of(found.begin(), found.end(),
                     [&](const SearchInfo& other) { return other.pv[0] == line.pv[0]; }))
      found.push_back(line);
  std::stable_sort(found.begin() + 1, found.end(),
                   [](const SearchInfo& a, const SearchInfo& b) { return a.value > b.value; });
  return found;
}

bool Player::Search::is_weakened(const PlayOptions& options) const {
  return request.purpose == SearchPurpose::MOVE && options.level != FULL_LEVEL;
}

// --- options and evaluators ---

Player::Player(PlayOptions options, Bundle bundle, LoadExternal load_external)
    : options_(std::move(options)),
      engine_(options_.core),
      loader_(engine_, std::move(bundle), std::move(load_external)) {}

Player::~Player() { end_search(); }

void Player::configure(const PlayOptions& options) {
  if (options == options_) return;  // pondering goes on
  end_search();
  EngineOptions core = options.core;
  core.kind = engine_.options().kind;
  engine_.set_options(core);
  const std::lock_guard guard(loader_lock_);
  options_ = options;
}

EvaluatorInfo Player::evaluator(Rule rule, int size) const {
  const std::lock_guard guard(loader_lock_);
  return loader_.choose(options_, rule, size).info;
}

std::shared_ptr<const PendingEvaluator> Player::prepare(Rule rule, int size) {
  const std::lock_guard guard(loader_lock_);
  return loader_.request(options_, rule, size);
}

std::vector<std::string> Player::take_notes() {
  const std::lock_guard guard(loader_lock_);
  return loader_.take_notes();
}

void Player::new_game() {
  end_search();
  engine_.new_game();
  const std::lock_guard guard(loader_lock_);
  loader_.retry_failed();
}

void Player::make_ready(Rule rule, int size, const Limit& limit, double seconds) {
  const Search search = search_of({Board(size), rule, limit});
  search.evaluator->wait_while_read(seconds, [this] { return is_stopped_.load(); });
  install(search);
  engine_.prepare(size, rule);
}

EvaluatorChoice Player::install(Rule rule, int size,
                                const std::shared_ptr<const PendingEvaluator>& held) {
  const std::lock_guard guard(loader_lock_);
  return loader_.install(loader_.request(options_, rule, size, held));
}

EvaluatorChoice Player::install(const Search& search) {
  const PlayRequest& request = search.request;
  const EvaluatorChoice choice = install(request.rule, request.board.size(), search.evaluator);
  const SearchKind current = engine_.options().kind;
  SearchKind kind = options_.search.value_or(SearchKind::ALPHABETA);
  if (!options_.search && request.purpose == SearchPurpose::MOVE)
    kind = choose_search(options_, choice, request.limit);
  if (!options_.search && request.purpose == SearchPurpose::PONDER)
    kind = current;  // that of the last move
  if (kind != current) {
    EngineOptions core = engine_.options();
    core.kind = kind;
    engine_.set_options(core);
  }
  return choice;
}

std::vector<PolicyMove> Player::root_policy(
    const PlayRequest& request, const std::shared_ptr<const PendingEvaluator>& prepared) {
  end_search();
  install(request.rule, request.board.size(), prepared);
  return engine_.root_policy(position_of(request));
}

// --- searches ---

Player::Search Player::search_of(const PlayRequest& request) {
  Search search{request, StopCondition::now() - request.waited};
  if (search.is_weakened(options_))
    search.request.limit =
        limit_of_level(level_of(options_.level), request.limit, uses_mcts(options_));
  search.evaluator = prepare(request.rule, request.board.size());
  return search;
}

void Player::wait_for_net(const Search& search) {
  search.evaluator->wait_for_move(search.request.limit.for_move(),
                                  [this] { return is_stopped_ || is_ending_; });
}

GoRequest Player::begin(Search& search) {
  const PlayRequest& request = search.request;
  search.choice = install(search);
  waited_ = search.waited = StopCondition::now() - search.start;
  Limit limit = request.limit;
  GoRequest go = position_of(request);
  go.search.multipv =
      search.is_weakened(options_) ? level_of(options_.level).lines : request.multipv;
  if (options_.core.preset == Preset::CLASSICAL_PAPER && limit.depth == 0)
    limit.depth = CLASSICAL_PAPER_DEPTH;
  go.time = limit.after(search.waited).times();
  go.search.nodes = limit.nodes;
  go.search.depth = limit.depth;
  go.search.search_moves = request.moves;
  go.ponder = request.purpose == SearchPurpose::PONDER;
  return go;
}

SearchLine Player::line_of(const Search& search, const SearchInfo& info) const {
  const double seconds = static_cast<double>(info.nanoseconds) * 1e-9;
  return {info, search.waited + seconds, rate(info.stats.nodes, seconds), search.choice.info};
}

std::optional<SearchLine> Player::reported(Search& search, const SearchInfo& info) const {
  if (search.is_weakened(options_)) {
    search.lines.add(info);
    if (info.multipv != 1) return std::nullopt;
  }
  return line_of(search, info);
}

PlayedMove Player::result_of(const Search& search, const EngineEvent& last) const {
  if (last.failure) std::rethrow_exception(last.failure);
  PlayedMove played{last.move, last.ponder, std::nullopt};
  if (last.info.pv.empty()) return played;
  played.line = line_of(search, last.info);
  const Level& level = level_of(options_.level);
  if (!search.is_weakened(options_) || level.plays_best_move()) return played;
  // Seed, level and position alone determine the move.
  Rng rng(options_.core.seed * FULL_LEVEL + static_cast<u64>(level.number) +
          search.request.board.hash());
  const std::vector<SearchInfo> found = search.lines.sorted(last.info);
  const SearchInfo& chosen = found[choose_line(level, found, rng)];
  return {chosen.pv[0], chosen.pv.size() > 1 ? chosen.pv[1] : NO_POINT, line_of(search, chosen)};
}

PlayedMove Player::play(const PlayRequest& request, const OnLine& on_line) {
  const double start = StopCondition::now() - request.waited;
  if (ponder_hit(request)) {
    // The time before the command was the opponent's.
    const auto on_own_time = [start](SearchLine line) {
      line.seconds = std::min(line.seconds, StopCondition::now() - start);
      return line;
    };
    while (true) {
      if (is_stopped_) engine_.stop();
      const std::optional<Event> event = next(WAIT);
      if (!event) continue;
      if (const auto* const line = std::get_if<SearchLine>(&*event)) {
        on_line(on_own_time(*line));
        continue;
      }
      PlayedMove played = std::get<PlayedMove>(*event);
      if (played.line) played.line = on_own_time(*played.line);
      return played;
    }
  }
  end_search();
  Search search = search_of(request);
  wait_for_net(search);
  const GoRequest go = begin(search);
  const EngineEvent last = engine_.run(go, is_stopped_, [&](const SearchInfo& info) {
    if (const auto line = reported(search, info)) on_line(*line);
  });
  return result_of(search, last);
}

void Player::start(const PlayRequest& request) {
  end_search();
  is_stopped_ = false;
  failure_ = nullptr;
  search_ = search_of(request);
  try {
    if (search_->evaluator->is_ready()) return start_now();
    is_waiting_ = true;
    waiter_ = std::thread([this] {
      std::exception_ptr failure;
      try {
        wait_for_net(*search_);
        start_now();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard guard(lock_);
      failure_ = failure;
      is_waiting_ = false;
      begun_.notify_all();
    });
  } catch (...) {
    is_waiting_ = false;
    search_.reset();
    throw;
  }
}

void Player::start_now() {
  const GoRequest go = begin(*search_);
  try {
    engine_.go(go);
  } catch (const std::bad_alloc&) {
    throw NoTableMemory(options_.core.memory);
  }
  if (is_stopped_ || is_ending_) engine_.stop();  // before it ran
}

std::optional<Player::Event> Player::next(double seconds) {
  if (!search_) return std::nullopt;
  {
    std::unique_lock guard(lock_);
    if (!begun_.wait_for(guard, std::chrono::duration<double>(seconds),
                         [this] { return !is_waiting_; }))
      return std::nullopt;
  }
  if (waiter_.joinable()) waiter_.join();
  if (failure_) {
    search_.reset();
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  const bool was_running = engine_.is_running();
  const std::optional<EngineEvent> event = engine_.next_event(seconds);
  if (!event && was_running) return std::nullopt;
  if (event && event->kind == EngineEvent::Kind::INFO) return reported(*search_, event->info);
  const Search search = std::move(*search_);
  search_.reset();
  if (!event) throw std::runtime_error("the search ended without a move");
  return result_of(search, *event);
}

bool Player::ponder_hit(const PlayRequest& request) {
  if (!search_ || search_->request.purpose != SearchPurpose::PONDER || is_stopped_) return false;
  {
    const std::lock_guard guard(lock_);
    if (is_waiting_ || failure_) return false;
  }
  const Limit& limit = request.limit;
  const bool is_hit = options_.level == FULL_LEVEL && limit.nodes == 0 && limit.depth == 0 &&
                      same_position(request, search_->request) &&
                      choose_search(options_, search_->choice, limit) == engine_.options().kind;
  if (!is_hit) return false;
  search_->request.purpose = SearchPurpose::MOVE;
  engine_.ponder_hit(limit.after(request.waited).times());
  return true;
}

void Player::end_search() {
  is_ending_ = true;
  engine_.stop();
  if (waiter_.joinable()) waiter_.join();
  while (engine_.next_event(WAIT) || engine_.is_running()) continue;
  is_ending_ = false;
  failure_ = nullptr;
  search_.reset();
}

std::optional<PlayProgress> Player::progress() const {
  const std::optional<SearchProgress> found = engine_.progress();
  if (!found) return std::nullopt;
  const double seconds = static_cast<double>(found->nanoseconds) * 1e-9;
  const u64 nodes = found->stats.nodes;
  return PlayProgress{nodes, found->selective_depth, waited_ + seconds, rate(nodes, seconds)};
}

void Player::stop() {
  is_stopped_ = true;
  engine_.stop();
}

}  // namespace tengen
