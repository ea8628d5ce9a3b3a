// SPDX-License-Identifier: MIT
// `_core.Board`: a board with its patterns, as tengen.game.Board uses it. Points are indices,
// colours 1 and 2.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "bind/bind.h"
#include "game/rules.h"
#include "pattern/pattern_board.h"
#include "simd/simd.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

/// A board and its patterns: the place where a move from Python fans out.
class BoundBoard {
 public:
  BoundBoard(int size, int rule, int move_limit)
      : board_(to_size(size)),
        patterns_(size, to_rule(rule)),
        rule_(to_rule(rule)),
        move_limit_(move_limit) {
    simd::ops();  // a wrong TENGEN_SIMD is told at once, not at the first scan
  }

  /// All or nothing: stones that do not fit leave the board as it was.
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
  int ply() const { return board_.ply(); }
  u64 hash() const { return board_.hash(); }

  std::vector<int> moves() const {
    std::vector<int> indices;
    for (const Point p : board_.moves()) indices.push_back(to_index(p, size()));
    return indices;
  }

  int cell(int index) const { return board_.at(to_point(index, size())); }

  nb::bytes cells() const {
    std::string stones;
    for (const Point p : board_points(size())) stones.push_back(static_cast<char>(board_.at(p)));
    return nb::bytes(stones.data(), stones.size());
  }

  int forbidden(int index) const {
    return static_cast<int>(patterns_.forbidden(empty_point(index)));
  }

  std::vector<std::tuple<int, int>> forbidden_points() const {
    std::vector<std::tuple<int, int>> found;
    patterns_.for_each_forbidden([&](Point p, Forbidden why) {
      found.emplace_back(to_index(p, size()), static_cast<int>(why));
    });
    return found;
  }

  std::vector<int> legal() const {
    std::vector<int> found;
    for (const Point p : board_points(size()))
      if (board_.at(p) == EMPTY && patterns_.may_play(board_.side_to_move(), p))
        found.push_back(to_index(p, size()));
    return found;
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
    std::vector<std::tuple<int, int>> found;
    const Colour side = to_colour(colour);
    patterns_.for_each_at_least(
        side, static_cast<Threat>(std::clamp(least, 1, THREAT_NB)), [&](Point p) {
          found.emplace_back(to_index(p, size()), static_cast<int>(patterns_.threat(side, p)));
        });
    return found;
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

  std::vector<int> answers(int index, int colour) const {
    std::vector<int> found;
    for (const Point p : patterns_.answers(to_colour(colour), empty_point(index)))
      found.push_back(to_index(p, size()));
    return found;
  }

  /// The referee's word on a point: (five, overline, open four, fours, forbidden, depth)
  std::tuple<bool, bool, bool, int, int, int> judge(int index, int colour) const {
    const Verdict v = Referee(board_.cells(), rule_).judge(empty_point(index), to_colour(colour));
    return {v.five, v.overline, v.open_four, v.fours, static_cast<int>(v.forbidden), v.depth};
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

}  // namespace

void register_board(nb::module_& module) {
  nb::class_<BoundBoard>(module, "Board",
                         "A board with its patterns. Points are indices, -1 is the pass.")
      .def(nb::init<int, int, int>(), nb::arg("size"), nb::arg("rule"), nb::arg("move_limit") = 0)
      .def("copy", [](const BoundBoard& self) { return BoundBoard(self); })
      .def("set_up", &BoundBoard::set_up, nb::arg("black"), nb::arg("white"), nb::arg("to_move"))
      .def("play", &BoundBoard::play, nb::arg("index"))
      .def("undo", &BoundBoard::undo)
      .def_prop_ro("size", &BoundBoard::size)
      .def_prop_ro("rule", &BoundBoard::rule)
      .def_prop_ro("move_limit", &BoundBoard::move_limit)
      .def_prop_ro("side_to_move", &BoundBoard::side_to_move)
      .def_prop_ro("ply", &BoundBoard::ply)
      .def_prop_ro("hash", &BoundBoard::hash)
      .def("moves", &BoundBoard::moves)
      .def("cell", &BoundBoard::cell, nb::arg("index"))
      .def("cells", &BoundBoard::cells)
      .def("forbidden", &BoundBoard::forbidden, nb::arg("index"))
      .def("forbidden_points", &BoundBoard::forbidden_points)
      .def("legal", &BoundBoard::legal)
      .def("outcome", &BoundBoard::outcome)
      .def("threat", &BoundBoard::threat, nb::arg("index"), nb::arg("colour"))
      .def("threats", &BoundBoard::threats, nb::arg("colour"), nb::arg("least"))
      .def("shape", &BoundBoard::shape, nb::arg("index"), nb::arg("colour"), nb::arg("direction"))
      .def("counts", &BoundBoard::counts, nb::arg("colour"))
      .def("answers", &BoundBoard::answers, nb::arg("index"), nb::arg("colour"))
      .def("judge", &BoundBoard::judge, nb::arg("index"), nb::arg("colour"));
}

}  // namespace tengen::bind
