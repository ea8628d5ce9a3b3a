// SPDX-License-Identifier: MIT
// VCF, victory by continuous fours: the attacker plays only fours, the defender has to stop each
// five. Exact for every rule: black's forbidden points in renju, white's wins by them, the
// defender's own fours and fives, caro's closed fives. Depth first with a table of refuted
// positions; allocates nothing once it is made. Relies on threat_board.h; all other solvers, and
// the search, rely on it.
#pragma once

#include <vector>

#include "search/threat/refuted.h"
#include "search/threat/threat_board.h"
#include "search/threat/win_tree.h"
#include "search/watch.h"

namespace tengen {

/// What a solver found out. UNKNOWN: a limit ended the search.
enum class Finding : u8 { NO_WIN, WIN, UNKNOWN };

class Vcf {
 public:
  explicit Vcf(size_t table_bytes);

  /// Can the attacker, who is to move, win by fours? Ends after `max_nodes` plays (0: no limit) or
  /// when the watch says so. Leaves the board as it was. Requires that nobody has a five on the
  /// board.
  Finding search(ThreatBoard& board, Colour attacker, u64 max_nodes, Watch& watch);

  /// The win that the last search found.
  const WinTree& tree() const { return tree_; }
  /// Longest line of fours the last search looked at, in plies.
  int depth() const { return deepest_; }

  size_t table_bytes() const { return refuted_.bytes(); }
  void clear() { refuted_.clear(); }
  /// The same, and searches from here on repeat those of a new solver node by node.
  void reset() { refuted_.reset(); }

 private:
  struct Move {
    Point point;
    i16 score;
  };

  Finding attack(int ply, Point last);
  Finding answer(int ply, Point four);
  Finding play_four(Point p, int ply);
  /// Pushes the fours that the attacker may play onto moves_, best first; `last` is his last move.
  void gather(Point last);
  void gather_block();
  i16 score(Point p, Point last) const;
  void sort_from(size_t first);
  u64 key() const { return board_->hash() ^ attacker_key_; }
  Finding emit(Point move, int replies);
  bool write(u16 word);

  RefutedTable refuted_;
  std::vector<Move> moves_;  ///< a stack: the moves of all nodes on the current line
  WinTree tree_;
  ThreatBoard* board_ = nullptr;
  Watch* watch_ = nullptr;
  Colour attacker_ = BLACK, defender_ = WHITE;
  u64 attacker_key_ = 0;
  u64 nodes_ = 0, max_nodes_ = 0;
  bool overflowed_ = false;  ///< a win was found that is too large to be written down
  u64 shake_ = 0;            ///< how often the order of moves was changed in this search
  int deepest_ = 0;
};

/// Does the win in the tree still work on this board, on which stones may have been added since?
/// Plays at most the tree's moves; leaves the board as it was. The attacker is to move.
bool still_wins(ThreatBoard& board, Colour attacker, const WinTree& tree, Watch& watch);

}  // namespace tengen
