// SPDX-License-Identifier: MIT
#include "engine/player.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

namespace tengen {

namespace {

constexpr int BASELINE_DEPTH = 6;  ///< of classical-paper, if the limit has no depth
constexpr double WAIT = 0.05;      ///< seconds for an event, after which a stop is checked again

double now() { return static_cast<double>(StopCondition::now_in_nanoseconds()) * 1e-9; }

u64 rate(u64 nodes, double seconds) {
  return seconds > 0 ? static_cast<u64>(std::llround(static_cast<double>(nodes) / seconds)) : 0;
}

/// A request without limits.
GoRequest request_of(const Board& board, Rule rule) {
  GoRequest request;
  request.size = board.size();
  request.rule = rule;
  request.search.cells = board.cells();
  request.search.side = board.side_to_move();
  const std::vector<Point>& moves = board.moves();
  if (!moves.empty()) request.search.last = moves.back();
  if (moves.size() > 1) request.search.before_last = moves[moves.size() - 2];
  return request;
}

bool same_position(const Board& one, const Board& two) {
  return one.size() == two.size() && one.cells() == two.cells() &&
         one.side_to_move() == two.side_to_move() && one.hash() == two.hash();
}

/// The lines of a search of several moves: the latest of each, the best first.
class LineSet {
 public:
  void add(const SearchInfo& info) {
    if (info.bound != Bound::EXACT || info.pv.empty()) return;
    std::erase_if(lines_, [&](const SearchInfo& line) {
      return line.multipv == info.multipv || (info.multipv == 1 && line.pv == info.pv);
    });
    lines_.push_back(info);
  }

  /// One line of each first move, `best` first.
  std::vector<SearchInfo> sorted(const SearchInfo& best) const {
    std::vector<SearchInfo> found = {best};
    for (const SearchInfo& line : lines_)
      if (std::none_of(found.begin(), found.end(),
                       [&](const SearchInfo& other) { return other.pv[0] == line.pv[0]; }))
        found.push_back(line);
    std::stable_sort(found.begin() + 1, found.end(),
                     [](const SearchInfo& a, const SearchInfo& b) { return a.value > b.value; });
    return found;
  }

 private:
  std::vector<SearchInfo> lines_;
};

}  // namespace

Player::Player(PlayOptions options, Bundle bundle, LoadExternal load_external)
    : options_(std::move(options)),
      engine_(options_.core),
      loader_(engine_, std::move(bundle), std::move(load_external)),
      kind_(options_.core.kind) {}

Player::~Player() { stop(); }

void Player::configure(const PlayOptions& options) {
  const bool is_same = options.core.threads == options_.core.threads &&
                       options.core.memory == options_.core.memory &&
                       options.level == options_.level && options.net == options_.net &&
                       options.net_memory == options_.net_memory;
  if (is_same) return;  // pondering goes on
  end_pondering();
  if (options.core.threads != options_.core.threads)
    engine_.set_option("threads", options.core.threads);
  if (options.core.memory != options_.core.memory)
    engine_.set_option("memory", static_cast<i64>(options.core.memory));
  options_ = options;
}

void Player::prepare(Rule rule, int size) { loader_.request(options_, rule, size); }

void Player::new_game() {
  end_pondering();
  engine_.new_game();
  loader_.retry_failed();
}

void Player::make_ready(Rule rule, int size, const Limit& limit, double seconds) {
  const std::shared_ptr<const PendingEvaluator> pending = loader_.request(options_, rule, size);
  pending->wait_while_read(seconds, [this] { return is_stopped_.load(); });
  if (options_.core.preset != Preset::RANDOM) install(rule, size, limit, false);
  engine_.prepare(size, rule);
}

EvaluatorChoice Player::install(Rule rule, int size, const Limit& limit, bool ponder) {
  const EvaluatorChoice choice = loader_.install(loader_.request(options_, rule, size));
  const SearchKind kind =
      ponder && !options_.search ? kind_ : choose_search(options_, choice, limit);
  if (kind != kind_) {
    engine_.set_option("search", static_cast<i64>(kind));
    kind_ = kind;
  }
  return choice;
}

Player::Search Player::begin(const Board& board, Rule rule, const Limit& limit, double start,
                             bool ponder, GoRequest& request) {
  const auto is_stopped = [this] { return is_stopped_.load(); };
  loader_.request(options_, rule, board.size())->wait_for_move(limit.for_move(), is_stopped);
  Search search{install(rule, board.size(), limit, ponder), start, 0};
  search.waited = now() - start;
  request = request_of(board, rule);
  const Limit left = limit.after(search.waited);
  request.time = left.times();
  request.search.nodes = left.nodes;
  request.search.depth = left.depth;
  if (options_.core.preset == Preset::CLASSICAL_PAPER && left.depth == 0)
    request.search.depth = BASELINE_DEPTH;
  if (!ponder) request.search.multipv = level_of(options_.level).lines;
  request.ponder = ponder;
  return search;
}

SearchLine Player::line_of(const Search& search, const SearchInfo& info) const {
  const double seconds = static_cast<double>(info.nanoseconds) * 1e-9;
  return {info, search.waited + seconds, rate(info.stats.nodes, seconds), search.choice.info};
}

PlayedMove Player::play(const Board& board, Rule rule, const Limit& limit, double waited,
                        const OnLine& on_line) {
  const double start = now() - waited;
  if (pondering_ && is_hit(board, rule, limit)) {
    Search search = std::move(pondering_->search);
    pondering_.reset();
    engine_.ponder_hit(limit.after(waited).times());
    // The time before the command was the opponent's.
    const auto on_own_time = [start](SearchLine line) {
      line.seconds = std::min(line.seconds, now() - start);
      return line;
    };
    PlayedMove played = finish(search, [&](const SearchLine& line) { on_line(on_own_time(line)); });
    if (played.line) played.line = on_own_time(*played.line);
    return played;
  }
  end_pondering();
  const Level& level = level_of(options_.level);
  GoRequest request;
  const Limit bounded = limit_of_level(level, limit, uses_mcts(options_));
  const Search search = begin(board, rule, bounded, start, false, request);
  LineSet lines;
  const EngineEvent last = engine_.run(request, is_stopped_, [&](const SearchInfo& info) {
    lines.add(info);
    if (info.multipv == 1) on_line(line_of(search, info));
  });
  const PlayedMove played = result_of(search, last);
  if (level.plays_best_move() || !played.line) return played;
  // Seed, level and position alone determine the move.
  Rng rng(options_.core.seed * FULL_LEVEL + static_cast<u64>(level.number) + board.hash());
  const std::vector<SearchInfo> found = lines.sorted(played.line->info);
  const SearchInfo& chosen = found[choose_line(level, found, rng)];
  return {chosen.pv[0], chosen.pv.size() > 1 ? chosen.pv[1] : NO_POINT, line_of(search, chosen)};
}

PlayedMove Player::result_of(const Search& search, const EngineEvent& last) const {
  if (last.kind == EngineEvent::Kind::NO_MEMORY) throw std::bad_alloc();
  if (last.kind == EngineEvent::Kind::FAILED)
    throw std::runtime_error("the search failed: " + last.error);
  PlayedMove played{last.move, last.ponder, std::nullopt};
  if (!last.info.pv.empty()) played.line = line_of(search, last.info);
  return played;
}

PlayedMove Player::finish(const Search& search, const OnLine& on_line) {
  while (true) {
    if (is_stopped_) engine_.stop();
    const std::optional<EngineEvent> event = engine_.next_event(WAIT);
    if (event && event->kind == EngineEvent::Kind::INFO)
      on_line(line_of(search, event->info));
    else if (event)
      return result_of(search, *event);
    else if (!engine_.is_running())
      throw std::runtime_error("the search ended without a move");
  }
}

void Player::ponder(const Board& board, Rule rule) {
  end_pondering();
  // The next move must not wait for a net that is being baked.
  if (!loader_.request(options_, rule, board.size())->is_ready()) return;
  GoRequest request;
  Search search = begin(board, rule, {}, now(), true, request);
  engine_.go(request);
  pondering_ = Pondering{board, rule, std::move(search)};
}

bool Player::is_hit(const Board& board, Rule rule, const Limit& limit) const {
  return options_.level == FULL_LEVEL && limit.nodes == 0 && limit.depth == 0 && !is_stopped_ &&
         rule == pondering_->rule && same_position(board, pondering_->board) &&
         choose_search(options_, pondering_->search.choice, limit) == kind_;
}

void Player::end_pondering() {
  if (!pondering_) return;
  engine_.stop();
  while (engine_.next_event(WAIT) || engine_.is_running()) continue;
  pondering_.reset();
}

void Player::stop() {
  is_stopped_ = true;
  engine_.stop();
}

}  // namespace tengen
