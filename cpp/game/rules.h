// SPDX-License-Identifier: MIT
// The referee: the rules of docs/rules.md, written for reading. It looks at plain cells, tries
// stones out, and takes them back; no tables, no tricks. pattern/ generates its tables from it and
// must agree with it everywhere.
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

/// How many fours black would be charged with.
constexpr int number_of_fours(Four four) {
  return four == Four::NONE ? 0 : four == Four::TWO_FOURS ? 2 : 1;
}

/// What playing a point would make.
struct Verdict {
  bool five = false;      ///< it wins; everything below is then left unset
  bool overline = false;  ///< a run of six or more that does not win
  bool open_four = false;
  int fours = 0;                          ///< on all four lines together
  Forbidden forbidden = Forbidden::NONE;  ///< for black in renju
  bool double_three_candidate =
      false;      ///< two or more lines look like threes, and nothing above decides
  int depth = 0;  ///< nested judgements of such candidates (docs/rules.md)
};

enum class Ending : u8 { NONE, FIVE, FULL_BOARD, PASSES, MOVE_LIMIT };

inline constexpr std::array<std::string_view, 5> ENDING_NAMES = {"none", "five", "full_board",
                                                                 "passes", "move_limit"};

struct Outcome {
  Ending ending = Ending::NONE;
  Stone winner = EMPTY;    ///< EMPTY for a draw, or while the game goes on
  std::vector<Run> lines;  ///< the winning runs
};

class Referee {
 public:
  Referee(const Cells& cells, Rule rule) : cells_(cells), rule_(rule) {}

  /// What the colour would make by playing the empty point. Asks neither whose turn it is nor
  /// whether the game is over.
  Verdict judge(Point p, Colour colour);

  /// Would the colour make a five by playing the empty point? The first part of judge, and cheap.
  bool makes_five(Point p, Colour colour);

  /// Why black may not play the empty point; NONE under every rule but renju.
  Forbidden forbidden(Point p) { return judge(p, BLACK).forbidden; }

  // The questions below are about a stone that is on the board.

  /// The run through the stone at p.
  Run run_through(Point p, Direction d) const;
  /// Does the run win for the colour of its stones?
  bool wins(const Run& run) const;
  Four four_through(Point p, Direction d);
  /// Winning runs through the stone at p.
  std::vector<Run> winning_runs(Point p) const;

  const Cells& cells() const { return cells_; }
  /// Changes one cell, for callers that lay out lines of their own.
  void set(Point p, Stone stone) { cells_[p] = stone; }

 private:
  bool completes(Point e, Point p, Direction d, Colour colour);
  bool makes_open_four(Point q, Point p, Direction d);
  bool has_three(Point p, Direction d, int& depth);
  Verdict judge_placed(Point p, Colour colour);
  void judge_double_three(Point p, Verdict& verdict);

  Cells cells_;
  Rule rule_;
};

/// Does a run of `length` win for the colour? `closed` says that both its ends are stones of the
/// opponent.
bool run_wins(Rule rule, Colour colour, int length, bool closed);

/// How the game stands. `move_limit` of 0 means none. A position without moves is searched for
/// fives as a whole; otherwise only the last move can have made one.
Outcome outcome(const Board& board, Rule rule, int move_limit = 0);

/// How a position stands that was set up, not played: a five anywhere (of two fives, that of the
/// side not to move was the last), or a full board.
Outcome outcome_of_set_up(const Cells& cells, int size, Rule rule, Colour to_move);

/// The winning runs anywhere on the board for a colour.
std::vector<Run> winning_runs(const Cells& cells, int size, Rule rule, Colour colour);

/// Empty points that the side to move may play. Empty if the rules leave only the pass. Does not
/// ask for the outcome.
std::vector<Point> legal_points(const Board& board, Rule rule);

}  // namespace tengen
