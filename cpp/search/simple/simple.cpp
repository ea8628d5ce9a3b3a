// SPDX-License-Identifier: MIT
#include "search/simple/simple.h"

#include <algorithm>
#include <utility>

namespace tengen {

namespace {

/// Reports one line for each of the best moves.
SearchResult report_lines(const std::vector<Point>& moves, const SearchRequest& request,
                          Value value, const Searcher::OnInfo& on_info) {
  SearchResult result;
  if (moves.empty()) return result;
  const size_t lines = std::min(moves.size(), static_cast<size_t>(std::max(request.multipv, 1)));
  for (size_t i = lines; i-- > 0;) {
    SearchInfo& info = result.info;
    info.depth = info.selective_depth = 1;
    info.multipv = static_cast<int>(i) + 1;
    info.value = value;
    info.stats.nodes = info.stats.evaluations = 1;
    info.pv = {moves[i]};
    on_info(info);
  }
  result.move = moves[0];
  return result;
}

bool is_search_move(const SearchRequest& request, Point p) {
  return request.search_moves.empty() ||
         std::find(request.search_moves.begin(), request.search_moves.end(), p) !=
             request.search_moves.end();
}

}  // namespace

RandomSearcher::RandomSearcher(int size, Rule rule, u64 seed) : patterns_(size, rule), rng_(seed) {}

SearchResult RandomSearcher::search(const SearchRequest& request, SearchControl&,
                                    const OnInfo& on_info) {
  patterns_.assign(request.cells);
  std::vector<Point> moves;
  for (const Point p : board_points(patterns_.size()))
    if (patterns_.is_empty(p) && patterns_.is_legal(request.side, p) && is_search_move(request, p))
      moves.push_back(p);
  for (size_t i = moves.size(); i > 1; --i)
    std::swap(moves[i - 1], moves[rng_.below(static_cast<u32>(i))]);
  return report_lines(moves, request, DRAW, on_info);
}

PolicySearcher::PolicySearcher(int size, Rule rule, std::unique_ptr<Evaluator> evaluator)
    : position_(size, rule, std::move(evaluator)) {}

std::vector<Point> PolicySearcher::ordered_moves(const SearchRequest& request) {
  const PatternBoard& patterns = position_.patterns();
  const Colour side = request.side, other = opponent(side);
  std::vector<ScoredMove> moves;
  const auto push = [&](Point p) {
    if (patterns.is_legal(side, p) && is_search_move(request, p)) moves.push_back({p, 0});
  };
  if (position_.empty_count() == position_.size() * position_.size())
    push(make_point(position_.size() / 2, position_.size() / 2));
  else
    position_.for_each_near(push);
  if (moves.empty()) position_.for_each_empty(push);
  position_.score_moves(moves);
  const bool other_has_five = position_.threats().can_make_five(other);
  for (ScoredMove& move : moves) {
    const Threat threat = patterns.threat(side, move.point);
    if (threat == Threat::FIVE)
      move.score += 3 * EVAL_LIMIT;
    else if (other_has_five && patterns.threat(other, move.point) == Threat::FIVE)
      move.score += 2 * EVAL_LIMIT;
    else if (threat == Threat::OPEN_FOUR)
      move.score += EVAL_LIMIT;
  }
  std::stable_sort(moves.begin(), moves.end(),
                   [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
  std::vector<Point> points;
  for (const ScoredMove& move : moves) points.push_back(move.point);
  return points;
}

SearchResult PolicySearcher::search(const SearchRequest& request, SearchControl&,
                                    const OnInfo& on_info) {
  position_.assign(request.cells, request.side, request.moves_left);
  const bool quiet =
      !position_.threats().can_make_five(BLACK) && !position_.threats().can_make_five(WHITE);
  return report_lines(ordered_moves(request), request, quiet ? clamp_eval(position_.value()) : DRAW,
                      on_info);
}

}  // namespace tengen
