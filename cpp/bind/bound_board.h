// SPDX-License-Identifier: MIT
// The board behind `_core.Board`.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "game/rules.h"
#include "pattern/pattern_board.h"
#include "simd/simd.h"

namespace tengen::bind {

/// A board with its patterns.
class BoundBoard {
 public:
  BoundBoard(int size, int rule, int move_limit)
      : board_(to_size(size)),
        patterns_(size, to_rule(rule)),
        rule_(to_rule(rule)),
        move_limit_(move_limit) {
    simd::ops();  // rejects a wrong TENGEN_SIMD at once
  }

  /// All or nothing: invalid stones leave the board unchanged.
  void set_up(const std::vector<int>& black, const std::vector<int>& white, int to_move) {
    if (board_.ply() > 0) throw std::invalid_argument("set_up after moves were made");
    Board next = board_;
    for (const int index : black) next.set_up(empty_point(next, index), BLACK);
    for (const int index : white) next.set_up(empty_point(next, index), WHITE);
    next.set_side_to_move(to_colour(to_move));
    patterns_.assign(next.cells());
    board_ = std::move(next);
  }

  void play(int index) {
    if (index == -1) return board_.pass();
    const Point p = empty_point(index);
    patterns_.play(p, board_.side_to_move());
    board_.play(p);
  }

  int undo() {
    if (board_.ply() == 0) throw std::out_of_range("no move to take back");
    const Point p = board_.last_move();
    board_.undo();
    if (p != NO_POINT) patterns_.undo();
    return to_index(p, size());
  }

  int size() const { return board_.size(); }
  int rule() const { return static_cast<int>(rule_); }
  int move_limit() const { return move_limit_; }
  int side_to_move() const { return board_.side_to_move(); }
  const Board& board() const { return board_; }
  /// Moves until the move limit; 0 if there is none.
  int moves_left() const { return move_limit_ ? std::max(0, move_limit_ - board_.ply()) : 0; }
  int ply() const { return board_.ply(); }
  u64 hash() const { return board_.hash(); }

  std::vector<int> moves() const {
    std::vector<int> indices;
    for (const Point p : board_.moves()) indices.push_back(to_index(p, size()));
    return indices;
  }

  int cell(int index) const { return board_.at(to_point(index, size())); }

  nanobind::bytes cells() const {
    std::string stones;
    for (const Point p : board_points(size())) stones.push_back(static_cast<char>(board_.at(p)));
    return nanobind::bytes(stones.data(), stones.size());
  }

  int forbidden(int index) const {
    return static_cast<int>(patterns_.forbidden(empty_point(index)));
  }

  std::vector<std::tuple<int, int>> forbidden_points() const {
    std::vector<std::tuple<int, int>> result;
    patterns_.for_each_forbidden([&](Point p, Forbidden why) {
      result.emplace_back(to_index(p, size()), static_cast<int>(why));
    });
    return result;
  }

  std::vector<int> legal() const {
    std::vector<int> result;
    for (const Point p : board_points(size()))
      if (board_.at(p) == EMPTY && patterns_.is_legal(board_.side_to_move(), p))
        result.push_back(to_index(p, size()));
    return result;
  }

  /// (ending, winner, winning lines)
  std::tuple<int, int, std::vector<std::vector<int>>> outcome() const {
    const Outcome result = tengen::outcome(board_, rule_, move_limit_);
    std::vector<std::vector<int>> lines;
    for (const Run& run : result.lines) {
      std::vector<int>& line = lines.emplace_back();
      for (int n = 0; n < run.length; ++n)
        line.push_back(to_index(shifted(run.first, run.direction, n), size()));
    }
    return {static_cast<int>(result.ending), result.winner, lines};
  }

  int threat(int index, int colour) const {
    return static_cast<int>(patterns_.threat(to_colour(colour), to_point(index, size())));
  }

  std::vector<std::tuple<int, int>> threats(int colour, int least) const {
    std::vector<std::tuple<int, int>> result;
    const Colour side = to_colour(colour);
    patterns_.for_each_at_least(
        side, static_cast<Threat>(std::clamp(least, 1, THREAT_NB)), [&](Point p) {
          result.emplace_back(to_index(p, size()), static_cast<int>(patterns_.threat(side, p)));
        });
    return result;
  }

  int shape(int index, int colour, int direction) const {
    if (direction < 0 || direction >= DIRECTION_NB)
      throw std::out_of_range("a direction is 0 to 3");
    return static_cast<int>(
        patterns_.shape(to_colour(colour), empty_point(index), static_cast<Direction>(direction)));
  }

  std::vector<int> counts(int colour) const {
    const auto& counts = patterns_.counts(to_colour(colour));
    return {counts.begin(), counts.begin() + THREAT_NB};
  }

  std::vector<int> defences(int index, int colour) const {
    std::vector<int> result;
    for (const Point p : patterns_.defences(to_colour(colour), empty_point(index)))
      result.push_back(to_index(p, size()));
    return result;
  }

  /// The referee's verdict on a point: (five, overline, open four, fours, forbidden, depth)
  std::tuple<bool, bool, bool, int, int, int> classify(int index, int colour) const {
    const PointReport report =
        Referee(board_.cells(), rule_).classify(empty_point(index), to_colour(colour));
    return {report.five,
            report.overline,
            report.open_four,
            report.fours,
            static_cast<int>(report.forbidden),
            report.depth};
  }

 private:
  Point empty_point(int index) const { return empty_point(board_, index); }

  static Point empty_point(const Board& board, int index) {
    const Point p = to_point(index, board.size());
    if (board.at(p) != EMPTY)
      throw std::invalid_argument("the point with index " + std::to_string(index) + " is occupied");
    return p;
  }

  Board board_;
  PatternBoard patterns_;
  Rule rule_;
  int move_limit_;
};

}  // namespace tengen::bind
