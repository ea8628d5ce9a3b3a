// SPDX-License-Identifier: MIT
#include "solver/pn_search.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(PN_LEAF_VCF, 50, 10, 10000, 20, "max nodes of the attacker's VCF after a reply");
TUNABLE(PN_NODE_VCF, 2000, 50, 100000, 400,
        "max nodes of the attacker's VCF before a position is expanded");
TUNABLE(PN_THREAT_VCF, 1000, 50, 100000, 200, "max VCF nodes to decide whether a move is a threat");
TUNABLE(PN_WIDEN_FACTOR, 8, 2, 64, 2,
        "factor of PN_THREAT_VCF for the next search, if it was too small to exclude a win");
TUNABLE(PN_COUNTER_VCF, 50, 10, 10000, 20, "max nodes of the defender's VCF after an attack");
// VCF has searched the fours already, so they get a larger proof number than an open three.
TUNABLE(PN_WORK_FOUR, 4, 1, 20, 1, "initial proof number of a four; an open three has 1");
TUNABLE(PN_WORK_OTHER, 5, 1, 60, 2, "initial proof number of a move that may threaten");
TUNABLE(PN_WORK_QUIET, 8, 1, 200, 4, "initial proof number where quiet moves are allowed");
TUNABLE(PN_EPSILON_DIVISOR, 8, 1, 64, 2,
        "a child is searched until it is worse than the second best by 1/n");

constexpr u64 ATTACKING_KEY = 0x8E9D5C1B2A7F4E63ULL;
constexpr u64 BLACK_KEY = 0x3C6EF372FE94F82BULL;
constexpr u64 QUIET_KEY = 0x510E527FADE682D1ULL;

}  // namespace

SolveStatus PnSearch::search(ThreatBoard& board, Colour attacker, int quiet, u64 max_nodes,
                             StopCondition& stop_condition) {
  board_ = &board;
  stop_condition_ = &stop_condition;
  attacker_ = attacker;
  defender_ = opponent(attacker);
  quiet_left_ = quiet;
  max_nodes_ = max_nodes ? stop_condition.nodes() + max_nodes : ~u64{0};
  children_.clear();
  const PnPair pair = expand(true, {PN_INFINITE, PN_INFINITE}, 0);
  exhausted_ = pair == PN_FAILURE;
  if (pair == PN_SUCCESS) return SolveStatus::WIN;
  return exhausted_ && !incomplete_ ? SolveStatus::NO_WIN : SolveStatus::UNKNOWN;
}

u64 PnSearch::key(bool attacking) const {
  return board_->hash() ^ (attacker_ == BLACK ? BLACK_KEY : 0) ^ (attacking ? ATTACKING_KEY : 0) ^
         (QUIET_KEY * static_cast<u64>(quiet_left_));
}

/// Searches the position until its numbers reach a limit; returns them.
PnPair PnSearch::expand(bool attacking, PnPair limit, int ply) {
  deepest_ = std::max(deepest_, ply);
  const u64 key = this->key(attacking);
  const u64 nodes_before = stop_condition_->nodes();
  Frame frame{.attacking = attacking, .pair = {}, .first = children_.size()};
  if (attacking) {
    generate_attacks(frame);
    look_up_attacks(frame);
  } else {
    generate_replies(frame);
  }
  size_t best = frame.first;
  while (!frame.decided) {
    const Sum sum = combine(frame);
    best = sum.best;
    frame.pair = sum.pair;
    if (sum.pair.phi >= limit.phi || sum.pair.delta >= limit.delta) break;
    if (ply == 0) best_ = children_[best].move;
    if (stop_condition_->stopped() || out_of_nodes()) break;
    const Child child = children_[best];
    const PnPair child_limit = {
        std::min(PN_INFINITE, limit.delta - sum.others),
        std::min(limit.phi, sum.second + sum.second / PN_EPSILON_DIVISOR + 1)};
    const PnPair after = visit(child, frame, child_limit, ply);
    children_[best].pair = after;
    if (frame.quiet && child.move == NO_POINT && after == PN_SUCCESS) generate_quiet_replies();
  }
  if (ply == 0) best_ = best < children_.size() ? children_[best].move : NO_POINT;
  children_.resize(frame.first);
  if (!stop_condition_->stopped())
    table_.store(key, frame.pair, stop_condition_->nodes() - nodes_before);
  return frame.pair;
}

PnPair PnSearch::visit(const Child& child, const Frame& frame, PnPair limit, int ply) {
  if (child.move != NO_POINT && !stop_condition_->count_node()) return child.pair;
  enter(child.move, frame);
  const PnPair pair = expand(!frame.attacking, limit, ply + 1);
  leave(child.move, frame);
  return pair;
}

void PnSearch::enter(Point move, const Frame& frame) {
  if (frame.quiet) --quiet_left_;
  if (move == NO_POINT)
    board_->pass();
  else
    board_->play(move, frame.attacking ? attacker_ : defender_);
}

void PnSearch::leave(Point move, const Frame& frame) {
  if (move == NO_POINT)
    board_->undo_pass();
  else
    board_->undo(move, frame.attacking ? attacker_ : defender_);
  if (frame.quiet) ++quiet_left_;
}

/// Numbers of a node from those of its children. The sum of disproof numbers over the attacker's
/// moves overestimates: most moves fail for the same reason, and lines transpose. So the maximum
/// counts, plus one for each other move. Replies are summed.
PnSearch::Sum PnSearch::combine(const Frame& frame) const {
  Sum sum{.pair = {PN_INFINITE, 0}, .best = frame.first};
  u32 total = 0, max_phi = 0, open = 0;
  for (size_t i = frame.first; i < children_.size(); ++i) {
    const PnPair child = children_[i].pair;
    if (child == PN_FAILURE) return {.pair = PN_SUCCESS, .best = i};
    if (child.delta < sum.pair.phi) {
      sum.second = sum.pair.phi;
      sum.pair.phi = child.delta;
      sum.best = i;
    } else {
      sum.second = std::min(sum.second, child.delta);
    }
    total = std::min(total + child.phi, PN_INFINITE - 1);
    max_phi = std::max(max_phi, child.phi);
    open += child.phi > 0;
  }
  if (open == 0) return sum;
  sum.others = frame.attacking ? open - 1 : total - children_[sum.best].pair.phi;
  sum.pair.delta = frame.attacking ? std::min(max_phi + open - 1, PN_INFINITE - 1) : total;
  return sum;
}

void PnSearch::generate_attacks(Frame& frame) {
  const auto decide = [&](PnPair pair) {
    frame.decided = true;
    frame.pair = pair;
  };
  const PatternBoard& patterns = board_->patterns();
  if (board_->moves_left() < 1) return decide(PN_FAILURE);
  if (board_->has_five(attacker_)) return decide(PN_SUCCESS);
  if (board_->moves_left() < 3) return decide(PN_FAILURE);
  if (board_->has_five(defender_)) {
    for (const Point p : board_->defences(defender_, NO_POINT)) add_attack(p, 1);
    return;
  }
  if (!table_.find(key(true))) {
    const SolveStatus status = vcf_.search(*board_, attacker_, PN_NODE_VCF, *stop_condition_);
    if (status == SolveStatus::WIN) return decide(PN_SUCCESS);
    if (stop_condition_->stopped()) return decide({});
  }
  patterns.for_each_at_least(attacker_, Threat::OPEN_THREE, [&](Point p) {
    if (!patterns.may_play(attacker_, p)) return;
    add_attack(p, patterns.threat(attacker_, p) >= Threat::FOUR ? PN_WORK_FOUR : 1);
  });
  for (const Point p : board_points(board_->size()))
    if (patterns.threat(attacker_, p) < Threat::OPEN_THREE && might_threaten(p))
      add_attack(p, quiet_left_ > 0 ? PN_WORK_QUIET : PN_WORK_OTHER);
}

/// Whether to generate a point that makes neither a four nor an open three: it must extend a line
/// of the attacker or block a four by which the defender escapes a VCF. Without a four of the
/// attacker it must make one possible.
bool PnSearch::might_threaten(Point p) const {
  const PatternBoard& patterns = board_->patterns();
  if (!patterns.is_empty(p)) return false;
  const Threat threat = patterns.threat(attacker_, p);
  const bool is_candidate =
      quiet_left_ > 0 || threat >= Threat::THREE ||
      (board_->has_four(attacker_) &&
       (threat >= Threat::TWO || patterns.threat(defender_, p) >= Threat::THREE));
  return is_candidate && patterns.may_play(attacker_, p);
}

void PnSearch::add_attack(Point move, u32 proof_number) {
  table_.prefetch(key_after(move));
  children_.push_back({move, {1, proof_number}});
}

/// Key of the defender's node after the attacker's move.
u64 PnSearch::key_after(Point attack) const {
  return key(false) ^ ZOBRIST.stone[side_index(attacker_)][attack];
}

/// Looks up the attacker's moves in the table.
void PnSearch::look_up_attacks(const Frame& frame) {
  for (size_t i = frame.first; i < children_.size(); ++i)
    if (const PnPair* const known = table_.find(key_after(children_[i].move)))
      children_[i].pair = *known;
}

void PnSearch::generate_replies(Frame& frame) {
  const auto decide = [&](PnPair pair) {
    frame.decided = true;
    frame.pair = pair;
  };
  const PatternBoard& patterns = board_->patterns();
  if (board_->moves_left() < 2 || board_->has_five(defender_)) return decide(PN_SUCCESS);
  WinTree threat(0);
  if (board_->has_five(attacker_)) {
    for (const Point p : board_->defences(attacker_, NO_POINT)) add_reply(p, threat);
  } else if (vcf_.search(*board_, defender_, PN_COUNTER_VCF, *stop_condition_) ==
             SolveStatus::WIN) {
    decide(PN_SUCCESS);
  } else if (find_threat(threat) == SolveStatus::WIN) {
    const Zone zone = zone_of(*board_, attacker_, threat);
    for (const Point p : board_points(board_->size()))
      if (zone.replies[p] && patterns.may_play(defender_, p)) add_reply(p, threat);
  } else if (stop_condition_->stopped()) {
    decide({});
  } else if (quiet_left_ > 0) {
    frame.quiet = true;
    --quiet_left_;
    board_->pass();
    const PnPair* const known = table_.find(key(true));
    const PnPair pair = known ? *known : PnPair{};
    board_->undo_pass();
    ++quiet_left_;
    children_.push_back({NO_POINT, pair});
    if (pair == PN_SUCCESS) generate_quiet_replies();
  } else {
    decide(PN_SUCCESS);
  }
}

/// After a quiet move that wins against a pass: generates every reply.
void PnSearch::generate_quiet_replies() {
  const PatternBoard& patterns = board_->patterns();
  --quiet_left_;
  for (const Point p : board_points(board_->size()))
    if (patterns.is_empty(p) && patterns.may_play(defender_, p)) add_reply(p, WinTree(0));
  ++quiet_left_;
}

/// Adds a reply, unless it loses to the threat or to another VCF.
void PnSearch::add_reply(Point move, const WinTree& threat) {
  const u64 child_key = key(true) ^ ZOBRIST.stone[side_index(defender_)][move];
  if (const PnPair* const known = table_.find(child_key)) {
    if (*known != PN_SUCCESS) children_.push_back({move, *known});
    return;
  }
  PnPair pair;
  if (stop_condition_->count_node()) {
    const ScopedPlay played(*board_, move, defender_);
    if ((!threat.empty() && still_wins(*board_, attacker_, threat, *stop_condition_)) ||
        vcf_.search(*board_, attacker_, PN_LEAF_VCF, *stop_condition_) == SolveStatus::WIN)
      pair = PN_SUCCESS;
  }
  if (!stop_condition_->stopped()) table_.store(child_key, pair, 1);
  if (pair != PN_SUCCESS) children_.push_back({move, pair});
}

/// Whether the attacker has a VCF if the defender passes.
SolveStatus PnSearch::find_threat(WinTree& threat) {
  board_->pass();
  const SolveStatus status = vcf_.search(*board_, attacker_, threat_nodes_, *stop_condition_);
  board_->undo_pass();
  if (status == SolveStatus::UNKNOWN && !stop_condition_->stopped()) incomplete_ = true;
  if (status == SolveStatus::WIN) threat = vcf_.tree();
  return status;
}

bool PnSearch::build(ProofBuilder& builder, size_t max_bytes, StopCondition& stop_condition) {
  stop_condition_ = &stop_condition;
  max_proof_bytes_ = max_bytes;
  max_nodes_ = ~u64{0};
  failed_ = false;
  built_.clear();
  build_attack(builder);
  return !failed_ && !stop_condition_->stopped();
}

/// The attacker is to move and wins.
u32 PnSearch::build_attack(ProofBuilder& builder) {
  // An entry of built_ costs about three words and a pointer.
  if (builder.bytes() + built_.size() * 4 * sizeof(u64) > max_proof_bytes_)
    stop_condition_->stop(EndedBy::MEMORY);
  if (stop_condition_->stopped() || failed_) return NO_NODE;
  if (board_->has_five(attacker_)) return builder.add_five(board_->five_point(attacker_));
  const u64 key = this->key(true);
  if (const auto it = built_.find(key); it != built_.end()) return it->second;
  u32 node = NO_NODE;
  if (vcf_.search(*board_, attacker_, PN_NODE_VCF, *stop_condition_) == SolveStatus::WIN) {
    node = builder.add_tree(vcf_.tree());
  } else if (const Point move = proven_attack(); move != NO_POINT) {
    const ScopedPlay played(*board_, move, attacker_);
    node = build_defence(builder, move);
  }
  if (node == NO_NODE) failed_ = true;
  built_.emplace(key, node);
  return node;
}

/// A proven winning move; searched again if it was evicted from the table.
Point PnSearch::proven_attack() {
  children_.clear();
  const Point best = best_;
  const PnPair pair = expand(true, {PN_INFINITE, PN_INFINITE}, 0);
  const Point move = best_;
  best_ = best;
  return pair == PN_SUCCESS && !stop_condition_->stopped() ? move : NO_POINT;
}

/// The attacker has just played `move`, which wins.
u32 PnSearch::build_defence(ProofBuilder& builder, Point move) {
  if (board_->has_five(attacker_))
    return builder.add_four(move, [&](Point) { return build_attack(builder); });
  WinTree threat(0);
  switch (find_threat(threat)) {
    case SolveStatus::WIN: return build_threat_defence(builder, move, threat);
    case SolveStatus::NO_WIN: return quiet_left_ > 0 ? build_quiet_defence(builder, move) : NO_NODE;
    case SolveStatus::UNKNOWN: return NO_NODE;  // the VCF result was evicted
  }
  return NO_NODE;
}

u32 PnSearch::build_threat_defence(ProofBuilder& builder, Point move, const WinTree& threat) {
  board_->pass();
  const u32 threat_node = builder.add_tree(threat);
  board_->undo_pass();
  const Zone zone = zone_of(*board_, attacker_, threat);
  ProofBuilder::Replies replies;
  for (const Point p : board_points(board_->size())) {
    if (!zone.replies[p] || !board_->patterns().may_play(defender_, p)) continue;
    if (!stop_condition_->count_node()) break;
    const ScopedPlay played(*board_, p, defender_);
    if (!still_wins(*board_, attacker_, threat, *stop_condition_))
      replies.push_back({p, build_attack(builder)});
    else if (zone.used[p])
      replies.push_back({p, builder.add_tree(threat)});
  }
  return builder.add(move, threat_node, replies);
}

u32 PnSearch::build_quiet_defence(ProofBuilder& builder, Point move) {
  --quiet_left_;
  board_->pass();
  const u32 threat_node = build_attack(builder);
  board_->undo_pass();
  ProofBuilder::Replies replies;
  for (const Point p : board_points(board_->size())) {
    const PatternBoard& patterns = board_->patterns();
    if (!patterns.is_empty(p) || !patterns.may_play(defender_, p) || !stop_condition_->count_node())
      continue;
    const ScopedPlay played(*board_, p, defender_);
    replies.push_back({p, build_attack(builder)});
  }
  ++quiet_left_;
  return builder.add(move, threat_node, replies);
}

void PnSearch::clear() {
  table_.clear();
  incomplete_ = false;
  threat_nodes_ = PN_THREAT_VCF;
}

void PnSearch::widen() {
  const u64 wider = std::min<u64>(threat_nodes_, ~u64{0} / 256) * static_cast<u64>(PN_WIDEN_FACTOR);
  clear();
  threat_nodes_ = wider;
}

}  // namespace tengen
