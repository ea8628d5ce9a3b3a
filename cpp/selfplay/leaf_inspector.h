// SPDX-License-Identifier: MIT
// Threat analysis of a position before a net evaluation: proven results, forced replies, legal
// moves. One per thread; positions are set and discarded, so games keep no patterns.
#pragma once

#include <vector>

#include "base/stop_condition.h"
#include "search/movegen.h"
#include "search/position.h"
#include "solver/vcf.h"

namespace tengen::selfplay {

/// Proven result of a position for the side to move.
enum class ProvenState : u8 { UNPROVEN, WON, LOST, DRAWN };

/// The state for the opponent.
constexpr ProvenState opposite(ProvenState proven) {
  return proven == ProvenState::WON    ? ProvenState::LOST
         : proven == ProvenState::LOST ? ProvenState::WON
                                       : proven;
}

/// 1, 0 or -1.
constexpr float result_of(ProvenState proven) {
  return proven == ProvenState::WON ? 1.0F : proven == ProvenState::LOST ? -1.0F : 0.0F;
}

class LeafInspector {
 public:
  LeafInspector(int size, Rule rule);

  /// Sets a position. `moves_left`: the game is drawn after that many more moves; 0: no limit.
  void set(const Cells& cells, Colour side, int moves_left) {
    position_.assign(cells, side, moves_left);
  }
  Position& position() { return position_; }

  /// Analyses the position with at most `vcf_nodes` nodes of VCF (0: none). Deterministic per
  /// position. Fills moves(); for a won position with the winning moves only.
  ProvenState inspect(int vcf_nodes);
  /// After inspect(): a four of the opponent must be blocked. Such positions are not evaluated by
  /// the net.
  bool must_block_four() const { return forced_ == ForcedReply::BLOCK_FOUR; }
  /// After inspect(): the opponent has no threat.
  bool is_unthreatened() const { return forced_ == ForcedReply::NONE; }
  const std::vector<Point>& moves() const { return moves_; }

  /// Total nodes of VCF.
  u64 solver_nodes() const { return stop_condition_.nodes(); }

 private:
  ProvenState forced();
  bool has_vcf(int vcf_nodes);
  void add_threats(Threat threat);

  Position position_;
  Vcf vcf_;
  StopCondition stop_condition_;
  ForcedReply forced_ = ForcedReply::NONE;
  std::vector<ScoredMove> scored_;
  std::vector<Point> moves_;
};

}  // namespace tengen::selfplay
