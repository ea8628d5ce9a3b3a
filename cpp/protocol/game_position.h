// SPDX-License-Identifier: MIT
// The position of a game as a manager sends it. Black starts and colours take turns, so a stone's
// colour follows from their number. The manager is the referee: a point that is forbidden to black
// in renju is accepted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "game/board.h"
#include "game/rules.h"
#include "protocol/syntax.h"

namespace tengen::protocol {

/// A board that accepts stones which the rules do not allow.
class GamePosition {
 public:
  GamePosition(int size, Rule rule) : board_(size), rule_(rule) {}

  /// The position of a BOARD command, own side to move: it is black if both have as many stones,
  /// white if the opponent has one more. Throws Refused for other numbers.
  static GamePosition from_owners(int size, Rule rule, const std::vector<Point>& own,
                                  const std::vector<Point>& others);
  /// The position after these stones, black's first.
  static GamePosition from_order(int size, Rule rule, const std::vector<Point>& stones);

  const Board& board() const { return board_; }
  Rule rule() const { return rule_; }
  int size() const { return board_.size(); }
  int stones() const { return static_cast<int>(stones_.size()); }
  bool is_over() const { return outcome(board_, rule_).ending != Ending::NONE; }
  /// Whether the side to move may put a stone there.
  bool is_legal(Point p) const;

  /// Throws Refused if the game has ended.
  void require_open() const;
  /// Puts a stone for the side to move, or passes (NO_POINT). Returns a remark if the rules forbid
  /// the move. Throws Refused.
  std::optional<std::string> put(Point move);
  /// Removes a stone of the side that moved last: the last one, or any that was set up. Throws
  /// Refused.
  void take_back(Point p);
  /// Continues under this rule.
  void use(Rule rule);

 private:
  struct Placed {
    Point point;
    Colour colour;
  };

  /// Plays the stones in turn, so that the board knows its moves; sets them up if the rules do not
  /// allow that.
  void rebuild();
  Forbidden forbidden(Point p) const;

  Board board_;
  Rule rule_;
  std::vector<Placed> stones_;  ///< in the order of the manager
};

/// The stones between BOARD or SWAP2BOARD and DONE. An error is reported at the end, once, so that
/// each block has one answer.
class StoneBlock {
 public:
  /// `size`: of the board; 0: there is none.
  StoneBlock(std::string verb, int size);

  const std::string& verb() const { return verb_; }
  const std::vector<Point>& own() const { return own_; }
  const std::vector<Point>& others() const { return others_; }
  const std::vector<Point>& all() const { return all_; }  ///< in order

  /// Notes an error; the first one is reported.
  void reject(const std::string& fault);
  /// A line with a stone: `x,y,who` of BOARD, `x,y` of SWAP2BOARD.
  void add(std::string_view line);
  /// Throws Refused if anything was wrong.
  void check() const;

 private:
  std::string verb_;
  int size_;
  std::string fault_;
  std::vector<Point> own_, others_, all_;
};

}  // namespace tengen::protocol
