// SPDX-License-Identifier: MIT
// The value of a position by plain minimax: no window, no order, no table of bounds; the referee
// decides. A second opinion for the alpha-beta search, so it shares nothing with it but the rules,
// the evaluator and the conventions below.
//
//   - A side that can make a five has won, one ply on; so it has with an open four, three plies on,
//     if the opponent has no five to make and three moves are left. At the root neither is asked
//     for: there the moves show it. (An open four that may be a double-three does not count.)
//   - A leaf is a position without depth left in which the opponent cannot make a five. Where he
//     can, the reply costs no depth.
//   - `paper`: a leaf is a position without depth left, whatever is in it. And the moves are only
//     those that the search looks at: where a five has to be stopped, what stops it; where an open
//     four has, fours and what stops it; and of these the best few by the evaluator.
//   - A side without a legal move passes.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "eval/evaluator.h"
#include "game/rules.h"
#include "searches.h"

namespace tengen {

/// A trivial evaluator in which no two moves have the same score. Values are divided by
/// `grain`: with a large one many positions have the same value.
class DistinctEvaluator final : public Evaluator {
 public:
  explicit DistinctEvaluator(int grain = 1) : grain_(grain) {}

  void assign(const PatternBoard& patterns) override { fake_.assign(patterns); }
  void play(const PatternBoard& patterns, Point p, Colour colour) override {
    fake_.play(patterns, p, colour);
  }
  void undo() override { fake_.undo(); }
  Value value(const PatternBoard& patterns, Colour side) override {
    return fake_.value(patterns, side) / grain_;
  }
  void score_moves(const PatternBoard& patterns, Colour side,
                   std::span<ScoredMove> moves) override {
    fake_.score_moves(patterns, side, moves);
    for (ScoredMove& move : moves) move.score = move.score * GRID_CELLS + move.point;
  }

 private:
  FakeEvaluator fake_;
  int grain_;
};

class PlainMinimax {
 public:
  /// `paper`: the branching at the root, or 0 for the ordinary search. `grain`: of the evaluator.
  PlainMinimax(const GamePosition& position, int moves_left, int paper, int grain = 1)
      : referee_(position.cells, position.rule),
        patterns_(position.size, position.rule),
        evaluator_(grain),
        size_(position.size),
        rule_(position.rule),
        side_(position.side),
        moves_left_(moves_left ? moves_left : 1 << 20),
        paper_(paper) {
    patterns_.assign(position.cells);
    evaluator_.assign(patterns_);
    hash_ = 0;
    for (const Point p : board_points(size_))
      if (position.cells[p] != EMPTY) hash_ ^= ZOBRIST.stone[side_index(position.cells[p])][p];
  }

  /// The moves of the root with their values, which are exact.
  std::vector<ScoredMove> root_values(int depth) {
    known_.clear();
    std::vector<ScoredMove> values;
    for (const Point p : moves(0)) values.push_back({p, value_after(p, 0, depth)});
    return values;
  }
  Value root_value(int depth) {
    Value best = -INFINITE;
    for (const ScoredMove& move : root_values(depth)) best = std::max(best, move.score);
    return best;
  }
  /// Did a side without a legal move have to pass anywhere?
  bool passed() const { return passed_; }

 private:
  Value value(int ply, int depth) {
    const u64 key = hash_ ^ Rng(static_cast<u64>(1000 * ply + depth)).next();
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    return known_[key] = find_value(ply, depth);
  }

  Value find_value(int ply, int depth) {
    if (moves_left_ <= 0 || empty_points().empty()) return DRAW;
    if (paper_ && depth <= 0) return evaluator_.value(patterns_, side_);
    if (!fives(side_).empty()) return mate_in(ply + 1);
    const bool to_stop = !fives(opponent(side_)).empty();
    if (!to_stop && moves_left_ >= 3 && !open_fours(side_).empty()) return mate_in(ply + 3);
    if (depth <= 0 && !to_stop) return evaluator_.value(patterns_, side_);
    depth = std::max(depth, 1);
    Value best = -INFINITE;
    for (const Point p : moves(ply)) best = std::max(best, value_after(p, ply, depth));
    if (best > -INFINITE) return best;
    if (!legal_points().empty()) return mated_in(ply + (to_stop ? 2 : 4));  // `paper` alone
    passed_ = true;
    if (to_stop) return mated_in(ply + 2);
    if (just_passed_) return DRAW;
    just_passed_ = true;
    side_ = opponent(side_);
    --moves_left_;
    const Value value = -find_value(ply + 1, depth - 1);
    ++moves_left_;
    side_ = opponent(side_);
    just_passed_ = false;
    return value;
  }

  Value value_after(Point p, int ply, int depth) {
    if (referee_.makes_five(p, side_)) return mate_in(ply + 1);
    const bool passed = std::exchange(just_passed_, false);
    referee_.set(p, side_);
    evaluator_.play(patterns_, p, side_);
    hash_ ^= ZOBRIST.stone[side_index(side_)][p];
    side_ = opponent(side_);
    --moves_left_;
    const Value value = -this->value(ply + 1, depth - 1);
    ++moves_left_;
    side_ = opponent(side_);
    hash_ ^= ZOBRIST.stone[side_index(side_)][p];
    evaluator_.undo();
    referee_.set(p, EMPTY);
    just_passed_ = passed;
    return value;
  }

  std::vector<Point> empty_points() const {
    std::vector<Point> points;
    for (const Point p : board_points(size_))
      if (referee_.cells()[p] == EMPTY) points.push_back(p);
    return points;
  }
  std::vector<Point> legal_points() {
    std::vector<Point> points = empty_points();
    if (has_forbidden_moves(rule_, side_))
      std::erase_if(points, [&](Point p) { return referee_.forbidden(p) != Forbidden::NONE; });
    return points;
  }
  std::vector<Point> fives(Colour colour) {
    std::vector<Point> points = empty_points();
    std::erase_if(points, [&](Point p) { return !referee_.makes_five(p, colour); });
    return points;
  }
  std::vector<Point> open_fours(Colour colour) {
    std::vector<Point> points = empty_points();
    std::erase_if(points, [&](Point p) {
      const PointReport report = referee_.classify(p, colour);
      return !report.open_four || report.forbidden != Forbidden::NONE ||
             report.double_three_candidate;
    });
    return points;
  }

  std::vector<Point> moves(int ply) {
    std::vector<Point> points = legal_points();
    if (!paper_) return points;
    const Colour other = opponent(side_);
    if (!fives(other).empty()) {
      std::vector<Point> stops = points;
      std::erase_if(stops,
                    [&](Point p) { return !after(p, [&] { return fives(other).empty(); }); });
      if (ply > 0 || !stops.empty()) points = stops;
    } else if (const std::vector<Point> threatened = open_fours(other);
               ply > 0 && !threatened.empty()) {
      std::erase_if(points, [&](Point p) { return !defends(p, threatened); });
    }
    const int most = ply ? std::max(paper_ - 2 * ply, paper_ / 3 + 1) : paper_;
    return best_of(points, static_cast<size_t>(most));
  }

  std::vector<Point> best_of(const std::vector<Point>& points, size_t most) {
    std::vector<ScoredMove> scored;
    for (const Point p : points) scored.push_back({p, 0});
    evaluator_.score_moves(patterns_, side_, scored);
    std::sort(scored.begin(), scored.end(),
              [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
    std::vector<Point> best;
    for (size_t i = 0; i < std::min(most, scored.size()); ++i) best.push_back(scored[i].point);
    return best;
  }

  /// Its own four, or a stone that leaves none of the open fours open, or double, on its line.
  bool defends(Point p, const std::vector<Point>& threatened) {
    const Colour other = opponent(side_);
    if (after(p, [&] { return !fives(side_).empty(); })) return true;
    for (const Point four : threatened)
      for (const Direction d : DIRECTIONS)
        if (four != p && is_open(four, d, other) &&
            after(p, [&] { return is_open(four, d, other); }))
          return false;
    return true;
  }
  bool is_open(Point p, Direction d, Colour colour) {
    referee_.set(p, colour);
    const Four four = referee_.four_through(p, d);
    referee_.set(p, EMPTY);
    return four == Four::OPEN_FOUR || four == Four::TWO_FOURS;
  }
  /// The answer with a stone of the side to move on the point.
  template <typename Ask>
  bool after(Point p, Ask ask) {
    referee_.set(p, side_);
    const bool answer = ask();
    referee_.set(p, EMPTY);
    return answer;
  }

  Referee referee_;
  PatternBoard patterns_;  ///< only what the evaluator is handed, which does not look
  DistinctEvaluator evaluator_;
  std::unordered_map<u64, Value> known_;
  u64 hash_;
  int size_;
  Rule rule_;
  Colour side_;
  int moves_left_;
  int paper_;
  bool passed_ = false, just_passed_ = false;
};

}  // namespace tengen
