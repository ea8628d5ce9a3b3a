// SPDX-License-Identifier: MIT
// Wins by threats, found by depth-first proof-number search. The attacker plays fours, threes, any
// move that threatens a win by fours, or (as many as allowed) quiet moves; the defender answers
// with everything that can matter. Relies on vcf.h for threats, on zone.h for replies; solver.h
// asks it.
#pragma once

#include <unordered_map>
#include <vector>

#include "search/threat/pn_table.h"
#include "search/threat/proof_builder.h"
#include "search/threat/zone.h"

namespace tengen {

/// What the attacker may play.
struct Space {
  enum Moves : u8 {
    THREES,   ///< fours, and moves that make an open three
    THREATS,  ///< also any other move that threatens a win by fours
  };
  Moves moves = THREATS;
  int quiet = 0;  ///< so many moves in a line may threaten nothing; needs THREATS
};

class PnSearch {
 public:
  /// The VCF solver is shared with others, and must outlive this object.
  PnSearch(size_t table_bytes, Vcf& vcf) : table_(table_bytes), vcf_(vcf) {}

  /// Can the attacker, who is to move, win in this space? Ends after `max_nodes` plays (0: no
  /// limit) or when the watch says so. Leaves the board as it was.
  Finding search(ThreatBoard& board, Colour attacker, Space space, u64 max_nodes, Watch& watch);

  /// Adds the win that the last search found; its root is the builder's last node. False if the
  /// watch ended it: entries of the table that were lost meanwhile are searched again. Requires the
  /// board, attacker and space of that search.
  bool build(ProofBuilder& builder, Watch& watch);

  /// The first move that looks best so far; NO_POINT if there is none.
  Point best() const { return best_; }
  /// Deepest ply that was reached.
  int depth() const { return deepest_; }
  size_t table_bytes() const { return table_.bytes(); }
  void clear() { table_.clear(); }

 private:
  struct Child {
    Point move;   ///< NO_POINT: a pass
    PnPair pair;  ///< as the side to move after it sees it
  };
  /// A node in work: its children lie on top of children_.
  struct Frame {
    bool attacking;
    bool quiet = false;    ///< a defender's node after a quiet move
    bool settled = false;  ///< `pair` is final; there are no children to look at
    PnPair pair;
    size_t first = 0;
  };

  PnPair expand(bool attacking, PnPair limit, int ply);
  void gather_attacks(Frame& frame);
  void gather_replies(Frame& frame);
  void gather_quiet_replies(Frame& frame);
  void add_attack(Point move, u32 work);
  void add_reply(Point move, const WinTree& threat);
  bool find_threat(WinTree& threat);
  PnPair visit(const Child& child, const Frame& frame, PnPair limit, int ply);
  PnPair sum_up(const Frame& frame, size_t& best, u32& second) const;
  void enter(Point move, const Frame& frame);
  void leave(Point move, const Frame& frame);

  u32 build_attack(ProofBuilder& builder);
  u32 build_defence(ProofBuilder& builder, Point move);
  u32 build_threat_defence(ProofBuilder& builder, Point move, const WinTree& threat);
  u32 build_quiet_defence(ProofBuilder& builder, Point move);
  Point proven_attack();

  u64 key(bool attacking) const;
  bool out_of_nodes() const { return watch_->nodes() >= max_nodes_; }

  PnTable table_;
  Vcf& vcf_;
  std::vector<Child> children_;  ///< a stack
  std::unordered_map<u64, u32> built_;
  ThreatBoard* board_ = nullptr;
  Watch* watch_ = nullptr;
  Colour attacker_ = BLACK, defender_ = WHITE;
  Space space_;
  int quiet_left_ = 0;
  bool incomplete_ = false;  ///< an inner limit hid a part of the space
  u64 max_nodes_ = 0;
  int deepest_ = 0;
  Point best_ = NO_POINT;
};

}  // namespace tengen
