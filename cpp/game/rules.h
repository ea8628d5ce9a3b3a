// SPDX-License-Identifier: MIT
// The referee: a simple reference implementation of docs/rules.md on plain cells, without tables.
// pattern/ generates its tables from it and must give the same results.
#pragma once

#include <array>
#include <vector>

#include "game/board.h"

namespace tengen {

/// A maximal unbroken sequence of stones of one colour on a line.
struct Run {
  Point first;          ///< its end against the direction
  Point last;           ///< its end along the direction
  int length;           ///< stones in it
  Direction direction;  ///< of its line

  /// The cells just beyond its two ends.
  Point before() const { return shifted(first, direction, -1); }
  Point after() const { return shifted(last, direction, 1); }
};

/// The fours that go through a stone on one line.
enum class Four : u8 { NONE, FOUR, OPEN_FOUR, TWO_FOURS };

/// Number of fours for the double-four rule.
constexpr int number_of_fours(Four four) {
  return four == Four::NONE ? 0 : four == Four::TWO_FOURS ? 2 : 1;
}

/// What a stone on a point makes.
struct PointReport {
  bool five = false;      ///< it wins; the fields below are then not set
  bool overline = false;  ///< a run of six or more that does not win
  bool open_four = false;
  int fours = 0;                          ///< on all four lines together
  Forbidden forbidden = Forbidden::NONE;  ///< for black in renju
  bool double_three_candidate =
      false;      ///< two or more lines look like threes, and nothing above applies
  int depth = 0;  ///< recursion depth over such candidates (docs/rules.md)
};

enum class Ending : u8 { NONE, FIVE, FULL_BOARD, PASSES, MOVE_LIMIT };

inline constexpr std::array<std::string_view, 5> ENDING_NAMES = {"none", "five", "full_board",
                                                                 "passes", "move_limit"};

struct Outcome {
  Ending ending = Ending::NONE;
  Stone winner = EMPTY;    ///< EMPTY for a draw or an unfinished game
  std::vector<Run> lines;  ///< the winning runs
};

class Referee {
 public:
  Referee(const Cells& cells, Rule rule) : cells_(cells), rule_(rule) {}

  /// What a stone of the colour on the empty point makes. Ignores the side to move and whether the
  /// game is over.
  PointReport classify(Point p, Colour colour);

  /// Whether the colour makes a five on the empty point; faster than classify().
  bool makes_five(Point p, Colour colour);

  /// Why the empty point is forbidden to black; NONE except in renju.
  Forbidden forbidden(Point p) { return classify(p, BLACK).forbidden; }

  // The functions below concern an existing stone.

  /// The run through the stone at p.
  Run run_through(Point p, Direction d) const;
  /// Whether the run wins for the colour of its stones.
  bool wins(const Run& run) const;
  Four four_through(Point p, Direction d);
  /// Winning runs through the stone at p.
  std::vector<Run> winning_runs(Point p) const;

  const Cells& cells() const { return cells_; }
  /// Sets one cell.
  void set(Point p, Stone stone) { cells_[p] = stone; }

 private:
  bool completes(Point e, Point p, Direction d, Colour colour);
  bool makes_open_four(Point q, Point p, Direction d);
  bool has_three(Point p, Direction d, int& depth);
  PointReport classify_placed(Point p, Colour colour);
  void check_double_three(Point p, PointReport& report);

  Cells cells_;
  Rule rule_;
};

/// Whether a run of `length` wins for the colour. `blocked`: both ends are stones of the opponent.
bool run_wins(Rule rule, Colour colour, int length, bool blocked);

/// Outcome of a game. `move_limit` 0: none. Without moves, the whole board is searched for fives;
/// otherwise only the last move can have made one.
Outcome outcome(const Board& board, Rule rule, int move_limit = 0);

/// Outcome of a position without move history: a five anywhere (if both have one, that of the side
/// not to move counts), or a full board.
Outcome outcome_of_set_up(const Cells& cells, int size, Rule rule, Colour to_move);

/// All winning runs of a colour.
std::vector<Run> winning_runs(const Cells& cells, int size, Rule rule, Colour colour);

/// Legal points of the side to move; empty if only a pass is left. Ignores the outcome.
std::vector<Point> legal_points(const Board& board, Rule rule);

}  // namespace tengen
