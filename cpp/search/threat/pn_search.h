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

class PnSearch {
 public:
  /// The VCF solver is shared with others, and must outlive this object.
  PnSearch(size_t table_bytes, Vcf& vcf) : table_(table_bytes), vcf_(vcf) { clear(); }

  /// Can the attacker, who is to move, win by threats, and at most `quiet` moves in a line that
  /// threaten nothing? Ends after `max_nodes` plays (0: no limit) or when the watch says so. Leaves
  /// the board as it was. A search that was ended goes on where it was if it is asked again.
  Finding search(ThreatBoard& board, Colour attacker, int quiet, u64 max_nodes, Watch& watch);

  /// Adds the win that the last search found; its root is the builder's last node. False if the
  /// watch ended it (entries of the table that were lost meanwhile are searched again), or if
  /// `room` bytes do not suffice: then the watch is stopped. Requires the board, attacker and
  /// number of quiet moves of that search.
  bool build(ProofBuilder& builder, size_t room, Watch& watch);

  /// The first move that looks best so far; NO_POINT if there is none.
  Point best() const { return best_; }
  /// Deepest ply that was reached.
  int depth() const { return deepest_; }
  size_t table_bytes() const { return table_.bytes(); }
  /// Starts depth() and best() anew.
  void start_question() {
    deepest_ = 0;
    best_ = NO_POINT;
  }
  /// Forgets what earlier searches found out.
  void clear();
  /// Did the last search see all of the space without finding a win, but for threats that were too
  /// deep? Then its answer stays UNKNOWN however often it is asked, until widen().
  bool is_cut() const { return exhausted_ && incomplete_; }
  /// Lets deeper threats count, and forgets what was found out without them.
  void widen();

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

  /// What the children of a node add up to.
  struct Sum {
    PnPair pair;
    size_t best = 0;           ///< the child to look at next
    u32 second = PN_INFINITE;  ///< `theirs` of the next best child
    u32 others = 0;            ///< what the other children contribute to pair.theirs
  };

  PnPair expand(bool attacking, PnPair limit, int ply);
  void gather_attacks(Frame& frame);
  void gather_replies(Frame& frame);
  void gather_quiet_replies();
  bool might_threaten(Point p) const;
  void add_attack(Point move, u32 work);
  void look_up_attacks(const Frame& frame);
  u64 key_after(Point attack) const;
  void add_reply(Point move, const WinTree& threat);
  Finding find_threat(WinTree& threat);
  PnPair visit(const Child& child, const Frame& frame, PnPair limit, int ply);
  Sum sum_up(const Frame& frame) const;
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
  std::vector<Child> children_;         ///< a stack
  std::unordered_map<u64, u32> built_;  ///< nodes of the proof, by position
  size_t room_ = 0;                     ///< for the proof, in bytes
  ThreatBoard* board_ = nullptr;
  Watch* watch_ = nullptr;
  Colour attacker_ = BLACK, defender_ = WHITE;
  int quiet_left_ = 0;
  bool incomplete_ = false;  ///< an inner limit hid a part of the space, here or in the table
  bool exhausted_ = false;   ///< the last search ended without a win or anything left to try
  bool failed_ = false;      ///< a proof could not be built
  u64 threat_nodes_ = 0;     ///< plays that may tell whether a move threatens anything
  u64 max_nodes_ = 0;
  int deepest_ = 0;
  Point best_ = NO_POINT;
};

}  // namespace tengen
