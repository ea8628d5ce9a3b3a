// SPDX-License-Identifier: MIT
// Depth-first proof-number search (df-pn) of wins by threats. The attacker plays fours, threes,
// other moves that threaten a VCF, or a limited number of quiet moves; the defender plays every
// relevant reply.
#pragma once

#include <unordered_map>
#include <vector>

#include "solver/pn_table.h"
#include "solver/proof_builder.h"
#include "solver/relevance_zone.h"

namespace tengen {

class PnSearch {
 public:
  /// The VCF solver is shared and must outlive this object.
  PnSearch(size_t table_bytes, Vcf& vcf) : table_(table_bytes), vcf_(vcf) { clear(); }

  /// Whether the attacker, to move, wins by threats and at most `quiet` quiet moves per line. Ends
  /// after `max_nodes` nodes (0: no limit) or by the stop condition. Leaves the board unchanged. An
  /// interrupted search resumes when called again.
  SolveStatus search(ThreatBoard& board, Colour attacker, int quiet, u64 max_nodes,
                     StopCondition& stop_condition);

  /// Adds the proof of the last search's win to the builder; its root is the builder's last node.
  /// Evicted table entries are searched again. False if the stop condition ended it, or if the
  /// proof exceeds `max_bytes`, which also triggers the stop condition. Requires the board,
  /// attacker and quiet moves of that search.
  bool build(ProofBuilder& builder, size_t max_bytes, StopCondition& stop_condition);

  /// The best first move so far; NO_POINT if there is none.
  Point best() const { return best_; }
  /// Deepest ply reached.
  int depth() const { return deepest_; }
  size_t table_bytes() const { return table_.bytes(); }
  /// Resets depth() and best().
  void reset_statistics() {
    deepest_ = 0;
    best_ = NO_POINT;
  }
  /// Clears the results of earlier searches.
  void clear();
  /// Whether the last search exhausted the space without a win, except for threats beyond the VCF
  /// budget. The result then stays UNKNOWN until increase_threat_budget().
  bool is_incomplete() const { return exhausted_ && incomplete_; }
  /// Raises the VCF budget that decides whether a move is a threat, and clears all results.
  void increase_threat_budget();

 private:
  struct Child {
    Point move;            ///< NO_POINT: a pass
    ProofNumbers numbers;  ///< from the point of view of the side to move after it
  };
  /// A node being expanded; its children are on top of children_.
  struct Frame {
    bool is_or_node;         ///< the attacker is to move
    bool quiet = false;      ///< an AND node after a quiet move
    bool is_solved = false;  ///< `numbers` is final
    ProofNumbers numbers;
    size_t first = 0;
  };

  /// Combined numbers of a node's children.
  struct ChildSummary {
    ProofNumbers numbers;
    size_t best = 0;           ///< the child to search next
    u32 second = PN_INFINITE;  ///< `delta` of the second best child
    u32 others = 0;            ///< contribution of the other children to numbers.delta
  };

  ProofNumbers search_node(bool is_or_node, ProofNumbers thresholds, int ply);
  void generate_attacks(Frame& frame);
  void generate_replies(Frame& frame);
  void generate_quiet_replies();
  bool is_threat_candidate(Point p) const;
  void add_attack(Point move, u32 proof_number);
  void probe_attacks(const Frame& frame);
  u64 key_after(Point attack) const;
  void add_reply(Point move, const VcfTree& threat);
  SolveStatus find_threat(VcfTree& threat);
  ProofNumbers search_child(const Child& child, const Frame& frame, ProofNumbers thresholds,
                            int ply);
  ChildSummary combine(const Frame& frame) const;
  void play_move(Point move, const Frame& frame);
  void undo_move(Point move, const Frame& frame);

  u32 build_attack(ProofBuilder& builder);
  u32 build_defence(ProofBuilder& builder, Point move);
  u32 build_threat_defence(ProofBuilder& builder, Point move, const VcfTree& threat);
  u32 build_quiet_defence(ProofBuilder& builder, Point move);
  Point find_proven_attack();

  u64 key(bool is_or_node) const;
  bool out_of_nodes() const { return stop_condition_->nodes() >= max_nodes_; }

  PnTable table_;
  Vcf& vcf_;
  std::vector<Child> children_;               ///< stack
  std::unordered_map<u64, u32> proof_nodes_;  ///< proof nodes by position
  size_t max_proof_bytes_ = 0;                ///< memory for the proof, in bytes
  ThreatBoard* board_ = nullptr;
  StopCondition* stop_condition_ = nullptr;
  Colour attacker_ = BLACK, defender_ = WHITE;
  int quiet_moves_left_ = 0;
  bool incomplete_ = false;    ///< an inner limit cut off part of the space, here or in the table
  bool exhausted_ = false;     ///< the last search ended without a win and without open nodes
  bool build_failed_ = false;  ///< the proof could not be built
  u64 threat_budget_ = 0;      ///< VCF nodes to decide whether a move is a threat
  u64 max_nodes_ = 0;
  int deepest_ = 0;
  Point best_ = NO_POINT;
};

}  // namespace tengen
