// SPDX-License-Identifier: MIT
#include "page/page_engine.h"

#include <algorithm>
#include <utility>

#include "engine/review.h"

namespace tengen::page {

namespace {

constexpr size_t MAX_LINE = 24;            ///< moves of a line that are sent
constexpr int MAX_LINES = 10;              ///< of an analysis
constexpr double INTERVAL = 0.1;           ///< seconds between two events of an analysis
constexpr double MAX_TIME = 600;           ///< seconds of an analysis
constexpr double MAX_MOVE_TIME = 60;       ///< seconds of a move
constexpr double MAX_CLOCK = 36'000;       ///< seconds of a clock
constexpr size_t POLICY_POINTS = 24;       ///< that are sent
constexpr double MIN_PROBABILITY = 0.004;  ///< less would show as 0%

double now() { return static_cast<double>(StopCondition::now_in_nanoseconds()) * 1e-9; }

void send_json(const PageEngine::Send& send, const Json& event) { send(event.dump()); }

void send_error(const PageEngine::Send& send, const Json& id, const std::string& code,
                const std::string& text) {
  send_json(send, Json::Object{{"type", "error"}, {"id", id}, {"code", code}, {"text", text}});
}

/// A line of a search, from black's point of view.
Json line_of(const SearchLine& line, int rank, Colour side) {
  const SearchInfo& info = line.info;
  const Score own = Score::of(info.value, info.proven), score = side == BLACK ? own : -own;
  return Json::Object{
      {"rank", rank},
      {"moves", names_of(info.pv, MAX_LINE)},
      {"win_rate", score.win_rate()},
      {"mate", score.mate == 0 ? Json() : Json(score.mate)},
      {"depth", info.depth},
  };
}

PagePosition position_in(const Json& request) {
  const Json* const position = member(request, "position");
  if (position == nullptr) throw RequestError("invalid", "position: it is missing");
  return read_position(*position);
}

/// Throws RequestError if the game is over.
PlayRequest search_of(const PagePosition& position) {
  if (outcome(position.board, position.rule).ending != Ending::NONE)
    throw RequestError("over", "the game is over: there is nothing to search");
  return {position.board, position.rule};
}

bool is_legal(const std::vector<Point>& legal, Point p) {
  return std::find(legal.begin(), legal.end(), p) != legal.end();
}

}  // namespace

// --- lines ---

void AnalysisLines::add(const SearchLine& line) {
  const SearchInfo& info = line.info;
  const bool is_exact = info.bound == Bound::EXACT;
  if (info.pv.empty()) return;
  if (info.multipv == 1 && is_exact)
    std::erase_if(lines_, [&](const auto& one) { return one.second.info.pv[0] == info.pv[0]; });
  if (is_exact || !lines_.contains(info.multipv)) lines_.insert_or_assign(info.multipv, line);
}

std::vector<const SearchLine*> AnalysisLines::unique() const {
  std::vector<const SearchLine*> found;
  for (const auto& [rank, line] : lines_) {
    const Point first = line.info.pv[0];
    if (std::none_of(found.begin(), found.end(),
                     [&](const SearchLine* one) { return one->info.pv[0] == first; }))
      found.push_back(&line);
  }
  return found;
}

Json::Array AnalysisLines::shown(Colour side) const {
  Json::Array shown;
  for (const SearchLine* line : unique()) shown.push_back(line_of(*line, line->info.multipv, side));
  return shown;
}

int AnalysisLines::depth() const {
  int depth = 0;
  for (const SearchLine* line : unique()) depth = std::max(depth, line->info.depth);
  return depth;
}

// --- requests ---

PageEngine::PageEngine(PlayOptions options, Bundle bundle)
    : player_(options, std::move(bundle)), options_(std::move(options)) {}

void PageEngine::handle(std::string_view text, const Send& send) {
  Json request, id;
  try {
    request = Json::parse(text);
    if (const Json* const given = request.find("id"); given != nullptr && given->number() != nullptr)
      id = *given;
    answer(request, id, send);
  } catch (const RequestError& error) {
    send_error(send, id, error.code(), error.what());
  } catch (const std::bad_alloc& error) {
    send_error(send, id, "memory", error.what());
  } catch (const std::exception& error) {
    send_error(send, id, "invalid", error.what());
  }
  const std::lock_guard guard(lock_);
  analysis_.reset();
}

void PageEngine::answer(const Json& request, const Json& id, const Send& send) {
  using Answer = void (PageEngine::*)(const Json&, const Json&, const Send&);
  static constexpr std::pair<std::string_view, Answer> ANSWERS[] = {
      {"view", &PageEngine::view}, {"move", &PageEngine::move}, {"analyse", &PageEngine::analyse}};
  const Json* const type = member(request, "type");
  if (type != nullptr && type->text() != nullptr)
    for (const auto& [name, answer] : ANSWERS)
      if (name == *type->text()) return (this->*answer)(request, id, send);
  throw RequestError("message", "there is no such request");
}

void PageEngine::stop() { player_.stop(); }

void PageEngine::report(const Send& send) {
  const std::lock_guard guard(lock_);
  if (analysis_) send_json(send, event_of(*analysis_, false));
}

void PageEngine::view(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  const Json* const whole = member(request, "whole_line");
  const bool is_whole = whole != nullptr && whole->truth() != nullptr && *whole->truth();
  Json::Array views;
  if (is_whole)
    views = views_along(position);
  else
    views.push_back(view_of(position.board, position.rule));
  send_json(send, Json::Object{{"type", "views"}, {"id", id}, {"views", std::move(views)}});
}

void PageEngine::set_level(int level) {
  options_.level = level;
  player_.configure(options_);
}

void PageEngine::move(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  PlayRequest search = search_of(position);
  const bool has_time = member(request, "seconds") != nullptr;
  search.limit.time = number_in(request, "seconds", 1, 0.01, MAX_MOVE_TIME);
  if (const Json* const clock = member(request, "clock")) {
    search.limit.clock = number_in(*clock, "left", 0, 0, MAX_CLOCK);
    search.limit.increment = number_in(*clock, "increment", 0, 0, MAX_CLOCK);
    if (!has_time) search.limit.time = MAX_MOVE_TIME;
  }
  set_level(whole_in(request, "level", FULL_LEVEL, 1, FULL_LEVEL));
  player_.clear_stop();
  const PlayedMove played = player_.play(search, [](const SearchLine&) {});
  const Colour side = position.board.side_to_move();
  send_json(send, Json::Object{{"type", "move"},
                               {"id", id},
                               {"move", point_name(played.move)},
                               {"line", played.line ? line_of(*played.line, 1, side) : Json()}});
}

Json::Array PageEngine::policy_of(const PlayRequest& request) {
  Json::Array points;
  const auto prepared = player_.prepare(request.rule, request.board.size());
  for (const PolicyMove& move : player_.root_policy(request, prepared)) {
    if (move.probability < MIN_PROBABILITY || points.size() == POLICY_POINTS) break;
    points.push_back(
        Json::Object{{"point", point_name(move.point)}, {"probability", move.probability}});
  }
  return points;
}

void PageEngine::analyse(const Json& request, const Json& id, const Send& send) {
  const PagePosition position = position_in(request);
  PlayRequest search = search_of(position);
  search.purpose = SearchPurpose::ANALYSIS;
  search.limit.time = number_in(request, "seconds", 120, 0.01, MAX_TIME);
  search.multipv = whole_in(request, "lines", 3, 1, MAX_LINES);
  const int size = position.board.size();
  const std::vector<Point> legal = legal_points(position.board, position.rule);
  search.moves = points_in(request, "only", size);
  for (const Point p : search.moves)
    if (!is_legal(legal, p)) throw RequestError("invalid", point_name(p) + " is not legal");
  if (const std::vector<Point> excluded = points_in(request, "exclude", size); !excluded.empty()) {
    if (search.moves.empty()) search.moves = legal;
    std::erase_if(search.moves, [&](Point p) { return is_legal(excluded, p); });
    if (search.moves.empty()) throw RequestError("blocked", "every move is excluded");
  }
  set_level(FULL_LEVEL);
  player_.clear_stop();
  {
    Json::Array policy = policy_of(search);
    const std::lock_guard guard(lock_);
    analysis_ = Analysis{id, position.board.side_to_move()};
    analysis_->policy = std::move(policy);
  }
  report(send);
  player_.play(search, [&](const SearchLine& line) {
    const std::lock_guard guard(lock_);
    analysis_->lines.add(line);
    analysis_->last = line;
    if (const double time = now(); time - analysis_->sent >= INTERVAL) {
      analysis_->sent = time;
      send_json(send, event_of(*analysis_, false));
    }
  });
  const std::lock_guard guard(lock_);
  send_json(send, event_of(*analysis_, true));
}

Json PageEngine::event_of(const Analysis& analysis, bool is_done) const {
  const std::optional<PlayProgress> running = player_.progress();
  const std::optional<SearchLine>& last = analysis.last;
  const auto counted = [&](auto now, auto then) {
    return running ? static_cast<double>(now) : last ? static_cast<double>(then) : 0.0;
  };
  const PlayProgress progress = running.value_or(PlayProgress{});
  const SearchLine line = last.value_or(SearchLine{});
  return Json::Object{
      {"type", "analysis"},
      {"id", analysis.id},
      {"state", is_done ? "done" : "running"},
      {"depth", analysis.lines.depth()},
      {"seldepth", counted(progress.selective_depth, line.info.selective_depth)},
      {"nodes", counted(progress.nodes, line.info.stats.nodes)},
      {"nps", counted(progress.nps, line.nps)},
      {"lines", analysis.lines.shown(analysis.side)},
      {"policy", analysis.policy},
      {"evaluation", last ? line.evaluator.text() : std::string()},
  };
}

}  // namespace tengen::page
