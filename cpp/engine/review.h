// SPDX-License-Identifier: MIT
// Review of a whole game: what each move lost, and a better line (docs/review.md). It does no
// searches: it names the positions to search, one after another, and takes the results.
//
// Every position is searched once, from the last to the first, so that the tables of an engine know
// the end of the game when it comes to the moves that led there. Moves that seem to lose something
// are searched again for longer, before and after the move, and only what holds is marked. Better
// lines that the table cut short are searched on from their ends.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "game/rules.h"
#include "search/searcher.h"

namespace tengen {

/// A value as users see it: mates are counted in plies. Greater is better.
struct Score {
  i32 value = 0;  ///< units of value.h
  int mate = 0;   ///< plies to the end: positive wins, negative loses; 0: none
  bool is_proven = false;

  static Score of(Value value, bool is_proven);
  Score operator-() const { return {-value, -mate, is_proven}; }
  /// The expected score of the game, 0 to 1; a draw is half a win.
  double win_rate() const;
};

/// The search result of a position, or the outcome of a finished game.
struct Assessment {
  Score score;  ///< for the side to move
  std::vector<Point> line = {};
  int depth = 0;
};

enum class MoveVerdict : u8 { BEST, GOOD, FORCED, INACCURACY, MISTAKE, BLUNDER, MISSED_WIN };

inline constexpr std::array<std::string_view, 7> VERDICT_NAMES = {
    "best", "good", "forced", "inaccuracy", "mistake", "blunder", "missed_win"};

constexpr bool is_error(MoveVerdict verdict) { return verdict >= MoveVerdict::MISTAKE; }

struct ReviewedMove {
  int ply;  ///< from 1
  Point move;
  Colour colour;
  MoveVerdict verdict;
  double loss;                     ///< of win rate, 0 to 1
  Assessment before, after;        ///< of the positions before and after it
  std::vector<Point> better = {};  ///< a better line, for errors and inaccuracies

  /// For the side that moved.
  Score score_before() const { return before.score; }
  Score score_after() const { return -after.score; }
};

/// A position to search: that of the game after `ply` moves, and after a better line from there.
struct ReviewTask {
  int ply;
  std::vector<Point> line;
  const Board& board;  ///< valid until put()
  double seconds;
};

class Review {
 public:
  static constexpr double DEFAULT_TIME = 0.25;  ///< seconds per position

  /// Requires legal `moves` from `start`, and a game that ends with the last of them at the
  /// earliest. `move_limit`: see outcome().
  Review(Board start, Rule rule, int move_limit, const std::vector<Point>& moves, double seconds);

  /// The next position to search; nullopt: the review is complete.
  std::optional<ReviewTask> next();
  /// Takes the result of the search that next() named last.
  void put(Assessment found);

  /// Steps done, and their number as far as it is known.
  int done() const { return done_; }
  int total() const { return total_; }
  /// The moves reviewed so far, in order.
  std::vector<ReviewedMove> moves() const;
  /// Of the position before the first move: even until it was searched.
  Assessment first() const;

 private:
  enum class Phase : u8 { SEARCH, VERIFY, EXTEND, DONE };

  int plies() const { return static_cast<int>(moves_.size()); }
  const Board& board_at(int ply) const { return boards_[static_cast<size_t>(ply)]; }
  void cut_line(Board board, std::vector<Point>& line) const;
  void finish_step();
  void begin_verifying();
  void begin_extending();
  void begin_line();
  void assess_move(int ply);
  bool is_forced(int ply) const;
  std::optional<Assessment> outcome_at(const Board& board) const;

  Rule rule_;
  int move_limit_;
  double seconds_;
  std::vector<Board> boards_;  ///< before the first move and after each
  std::vector<Point> moves_;
  std::vector<std::optional<Assessment>> assessments_;  ///< by ply
  std::map<int, ReviewedMove> reviewed_;                ///< by ply before the move
  int done_ = 0, total_;

  Phase phase_ = Phase::SEARCH;
  std::vector<int> plies_;  ///< left in this phase, the last one first
  bool is_before_ = false;  ///< VERIFY: the position before the move is next
  double longer_ = 0;       ///< VERIFY: seconds of a search
  int searches_ = 0;        ///< EXTEND: left
  Board line_end_;          ///< EXTEND: the position after the better line
};

/// The accuracy of a side, 0 to 100; nullopt if all its moves were forced.
std::optional<double> accuracy(const std::vector<ReviewedMove>& moves, Colour colour);

/// The error that lost the game: the loser's last one in a position that was not lost yet; nullptr
/// if there is no error.
const ReviewedMove* turning_point(const std::vector<ReviewedMove>& moves);

}  // namespace tengen
