// SPDX-License-Identifier: MIT
// VCF, victory by continuous fours: the attacker plays only fours, and the defender must stop each
// five. The search is exact for every rule: it handles forbidden points, defences that are
// forbidden, the defender's own fours and fives, and in caro fives that are blocked at both ends.
// It is depth-first, with a table of refuted positions, and allocates nothing after construction.
#pragma once

#include <vector>

#include "base/stop_condition.h"
#include "solver/no_vcf_table.h"
#include "solver/threat_board.h"
#include "solver/vcf_tree.h"

namespace tengen {

/// Result of a solver. UNKNOWN: a limit ended the search.
enum class SolveStatus : u8 { NO_WIN, WIN, UNKNOWN };

class Vcf {
 public:
  explicit Vcf(size_t table_bytes);

  /// Whether the attacker, to move, wins by fours. Ends after `max_nodes` nodes (stones played
  /// by either side; 0: no limit) or by the stop condition. Leaves the board unchanged. Requires
  /// that there is no five on the board.
  SolveStatus search(ThreatBoard& board, Colour attacker, u64 max_nodes,
                     StopCondition& stop_condition);

  /// The win of the last search.
  const VcfTree& tree() const { return tree_; }
  /// Longest line of fours of the last search, in plies.
  int depth() const { return deepest_; }

  size_t table_bytes() const { return no_vcf_.bytes(); }
  void clear() { no_vcf_.clear(); }
  /// Like clear(), and later searches repeat those of a new solver node by node.
  void reset() { no_vcf_.reset(); }

 private:
  struct Move {
    Point point;
    i16 score;
  };

  SolveStatus attack(int ply, Point last);
  SolveStatus defend(int ply, Point four);
  SolveStatus play_four(Point p, int ply);
  /// Pushes the legal fours of the attacker onto moves_, best first; `last` is its last move.
  void generate_fours(Point last);
  void generate_blocking_fours();
  i16 score(Point p, Point last) const;
  void sort_from(size_t first);
  u64 key() const { return board_->hash() ^ attacker_key_; }
  SolveStatus write_root(Point move, int defence_count);
  bool write(u16 word);

  NoVcfTable no_vcf_;
  std::vector<Move> moves_;  ///< stack: the moves of all nodes on the current line
  VcfTree tree_;
  ThreatBoard* board_ = nullptr;
  StopCondition* stop_condition_ = nullptr;
  Colour attacker_ = BLACK, defender_ = WHITE;
  u64 attacker_key_ = 0;
  u64 nodes_ = 0, max_nodes_ = 0;
  bool overflowed_ = false;  ///< a win exceeded the capacity of the tree
  u64 restarts_ = 0;         ///< number of randomisations of the move order in this search
  int deepest_ = 0;
};

/// Whether the tree still wins on this board, to which stones may have been added since it was
/// found: every legal defence must have its refutation in the tree. Leaves the board unchanged. The
/// attacker is to move.
bool still_wins(ThreatBoard& board, Colour attacker, const VcfTree& tree,
                StopCondition& stop_condition);

}  // namespace tengen
