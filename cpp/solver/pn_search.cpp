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
TUNABLE(PN_THREAT_BUDGET_FACTOR, 8, 2, 64, 2,
        "factor of PN_THREAT_VCF for the next search, if it was too small to exclude a win");
TUNABLE(PN_COUNTER_VCF, 50, 10, 10000, 20, "max nodes of the defender's VCF after an attack");
// VCF has searched the fours already, so they get a larger proof number than an open three.
TUNABLE(PN_INIT_FOUR, 4, 1, 20, 1, "initial proof number of a four; an open three has 1");
TUNABLE(PN_INIT_OTHER, 5, 1, 60, 2, "initial proof number of a move that may threaten");
TUNABLE(PN_INIT_QUIET, 8, 1, 200, 4, "initial proof number where quiet moves are allowed");
TUNABLE(PN_EPSILON_DIVISOR, 8, 1, 64, 2,
        "a child is searched until it is worse than the second best by 1/n");

constexpr u64 OR_NODE_KEY = 0x8E9D5C1B2A7F4E63ULL;
constexpr u64 BLACK_KEY = 0x3C6EF372FE94F82BULL;
constexpr u64 QUIET_KEY = 0x510E527FADE682D1ULL;

}  // namespace

SolveStatus PnSearch::search(ThreatBoard& board, Colour attacker, int quiet, u64 max_nodes,
                             StopCondition& stop_condition) {
  board_ = &board;
  stop_condition_ = &stop_condition;
  attacker_ = attacker;
  defender_ = opponent(attacker);
  quiet_moves_left_ = quiet;
  max_nodes_ = max_nodes ? stop_condition.nodes() + max_nodes : ~u64{0};
  children_.clear();
  const ProofNumbers numbers = search_node(true, {PN_INFINITE, PN_INFINITE}, 0);
  exhausted_ = numbers == PN_LOSS;
  if (numbers == PN_WIN) return SolveStatus::WIN;
  return exhausted_ && !incomplete_ ? SolveStatus::NO_WIN : SolveStatus::UNKNOWN;
}

u64 PnSearch::key(bool is_or_node) const {
  return board_->hash() ^ (attacker_ == BLACK ? BLACK_KEY : 0) ^ (is_or_node ? OR_NODE_KEY : 0) ^
         (QUIET_KEY * static_cast<u64>(quiet_moves_left_));
}

/// Searches the position until one of its numbers reaches its threshold; returns them.
ProofNumbers PnSearch::search_node(bool is_or_node, ProofNumbers thresholds, int ply) {
  deepest_ = std::max(deepest_, ply);
  const u64 key = this->key(is_or_node);
  const u64 nodes_before = stop_condition_->nodes();
  Frame frame{.is_or_node = is_or_node, .numbers = {}, .first = children_.size()};
  if (is_or_node) {
    generate_attacks(frame);
    probe_attacks(frame);
  } else {
    generate_replies(frame);
  }
  size_t best = frame.first;
  while (!frame.is_solved) {
    const ChildSummary summary = combine(frame);
    best = summary.best;
    frame.numbers = summary.numbers;
    if (summary.numbers.phi >= thresholds.phi || summary.numbers.delta >= thresholds.delta) break;
    if (ply == 0) best_ = children_[best].move;
    if (stop_condition_->stopped() || out_of_nodes()) break;
    const Child child = children_[best];
    const ProofNumbers child_thresholds = {
        std::min(PN_INFINITE, thresholds.delta - summary.others),
        std::min(thresholds.phi, summary.second + summary.second / PN_EPSILON_DIVISOR + 1)};
    const ProofNumbers after = search_child(child, frame, child_thresholds, ply);
    children_[best].numbers = after;
    if (frame.quiet && child.move == NO_POINT && after == PN_WIN) generate_quiet_replies();
  }
  if (ply == 0) best_ = best < children_.size() ? children_[best].move : NO_POINT;
  children_.resize(frame.first);
  if (!stop_condition_->stopped())
    table_.store(key, frame.numbers, stop_condition_->nodes() - nodes_before);
  return frame.numbers;
}

ProofNumbers PnSearch::search_child(const Child& child, const Frame& frame, ProofNumbers thresholds,
                                    int ply) {
  if (child.move != NO_POINT && !stop_condition_->count_node()) return child.numbers;
  play_move(child.move, frame);
  const ProofNumbers numbers = search_node(!frame.is_or_node, thresholds, ply + 1);
  undo_move(child.move, frame);
  return numbers;
}

void PnSearch::play_move(Point move, const Frame& frame) {
  if (frame.quiet) --quiet_moves_left_;
  if (move == NO_POINT)
    board_->pass();
  else
    board_->play(move, frame.is_or_node ? attacker_ : defender_);
}

void PnSearch::undo_move(Point move, const Frame& frame) {
  if (move == NO_POINT)
    board_->undo_pass();
  else
    board_->undo(move, frame.is_or_node ? attacker_ : defender_);
  if (frame.quiet) ++quiet_moves_left_;
}

/// Numbers of a node from those of its children. The sum of disproof numbers over the attacker's
/// moves overestimates: most moves fail for the same reason, and lines transpose. So an OR node
/// uses the maximum plus one per other move (weak proof-number search). An AND node uses the sum.
PnSearch::ChildSummary PnSearch::combine(const Frame& frame) const {
  ChildSummary summary{.numbers = {PN_INFINITE, 0}, .best = frame.first};
  u32 total = 0, max_phi = 0, open = 0;
  for (size_t i = frame.first; i < children_.size(); ++i) {
    const ProofNumbers child = children_[i].numbers;
    if (child == PN_LOSS) return {.numbers = PN_WIN, .best = i};
    if (child.delta < summary.numbers.phi) {
      summary.second = summary.numbers.phi;
      summary.numbers.phi = child.delta;
      summary.best = i;
    } else {
      summary.second = std::min(summary.second, child.delta);
    }
    total = std::min(total + child.phi, PN_INFINITE - 1);
    max_phi = std::max(max_phi, child.phi);
    open += child.phi > 0;
  }
  if (open == 0) return summary;
  summary.others = frame.is_or_node ? open - 1 : total - children_[summary.best].numbers.phi;
  summary.numbers.delta = frame.is_or_node ? std::min(max_phi + open - 1, PN_INFINITE - 1) : total;
  return summary;
}

void PnSearch::generate_attacks(Frame& frame) {
  const auto decide = [&](ProofNumbers numbers) {
    frame.is_solved = true;
    frame.numbers = numbers;
  };
  const PatternBoard& patterns = board_->patterns();
  if (board_->moves_left() < 1) return decide(PN_LOSS);
  if (board_->can_make_five(attacker_)) return decide(PN_WIN);
  if (board_->moves_left() < 3) return decide(PN_LOSS);
  if (board_->can_make_five(defender_)) {
    for (const Point p : board_->defences(defender_, NO_POINT)) add_attack(p, 1);
    return;
  }
  if (!table_.find(key(true))) {
    const SolveStatus status = vcf_.search(*board_, attacker_, PN_NODE_VCF, *stop_condition_);
    if (status == SolveStatus::WIN) return decide(PN_WIN);
    if (stop_condition_->stopped()) return decide({});
  }
  patterns.for_each_at_least(attacker_, Threat::OPEN_THREE, [&](Point p) {
    if (!patterns.is_legal(attacker_, p)) return;
    add_attack(p, patterns.threat(attacker_, p) >= Threat::FOUR ? PN_INIT_FOUR : 1);
  });
  for (const Point p : board_points(board_->size()))
    if (patterns.threat(attacker_, p) < Threat::OPEN_THREE && is_threat_candidate(p))
      add_attack(p, quiet_moves_left_ > 0 ? PN_INIT_QUIET : PN_INIT_OTHER);
}

/// Whether to generate a move at this point, which makes neither a four nor an open three: it must
/// extend a line of the attacker or block a four by which the defender escapes a VCF. Without a
/// four of the attacker it must make one possible.
bool PnSearch::is_threat_candidate(Point p) const {
  const PatternBoard& patterns = board_->patterns();
  if (!patterns.is_empty(p)) return false;
  const Threat threat = patterns.threat(attacker_, p);
  const bool is_candidate =
      quiet_moves_left_ > 0 || threat >= Threat::THREE ||
      (board_->can_make_four(attacker_) &&
       (threat >= Threat::TWO || patterns.threat(defender_, p) >= Threat::THREE));
  return is_candidate && patterns.is_legal(attacker_, p);
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
void PnSearch::probe_attacks(const Frame& frame) {
  for (size_t i = frame.first; i < children_.size(); ++i)
    if (const ProofNumbers* const entry = table_.find(key_after(children_[i].move)))
      children_[i].numbers = *entry;
}

void PnSearch::generate_replies(Frame& frame) {
  const auto decide = [&](ProofNumbers numbers) {
    frame.is_solved = true;
    frame.numbers = numbers;
  };
  const PatternBoard& patterns = board_->patterns();
  if (board_->moves_left() < 2 || board_->can_make_five(defender_)) return decide(PN_WIN);
  VcfTree threat(0);
  if (board_->can_make_five(attacker_)) {
    for (const Point p : board_->defences(attacker_, NO_POINT)) add_reply(p, threat);
  } else if (vcf_.search(*board_, defender_, PN_COUNTER_VCF, *stop_condition_) ==
             SolveStatus::WIN) {
    decide(PN_WIN);
  } else if (find_threat(threat) == SolveStatus::WIN) {
    const RelevanceZone zone = relevance_zone(*board_, attacker_, threat);
    for (const Point p : board_points(board_->size()))
      if (zone.replies[p] && patterns.is_legal(defender_, p)) add_reply(p, threat);
  } else if (stop_condition_->stopped()) {
    decide({});
  } else if (quiet_moves_left_ > 0) {
    frame.quiet = true;
    --quiet_moves_left_;
    board_->pass();
    const ProofNumbers* const entry = table_.find(key(true));
    const ProofNumbers numbers = entry ? *entry : ProofNumbers{};
    board_->undo_pass();
    ++quiet_moves_left_;
    children_.push_back({NO_POINT, numbers});
    if (numbers == PN_WIN) generate_quiet_replies();
  } else {
    decide(PN_WIN);
  }
}

/// After a quiet move that wins against a pass: generates every reply.
void PnSearch::generate_quiet_replies() {
  const PatternBoard& patterns = board_->patterns();
  --quiet_moves_left_;
  for (const Point p : board_points(board_->size()))
    if (patterns.is_empty(p) && patterns.is_legal(defender_, p)) add_reply(p, VcfTree(0));
  ++quiet_moves_left_;
}

/// Adds a reply, unless it loses to the threat or to another VCF.
void PnSearch::add_reply(Point move, const VcfTree& threat) {
  const u64 child_key = key(true) ^ ZOBRIST.stone[side_index(defender_)][move];
  if (const ProofNumbers* const entry = table_.find(child_key)) {
    if (*entry != PN_WIN) children_.push_back({move, *entry});
    return;
  }
  ProofNumbers numbers;
  if (stop_condition_->count_node()) {
    const ScopedPlay played(*board_, move, defender_);
    if ((!threat.empty() && still_wins(*board_, attacker_, threat, *stop_condition_)) ||
        vcf_.search(*board_, attacker_, PN_LEAF_VCF, *stop_condition_) == SolveStatus::WIN)
      numbers = PN_WIN;
  }
  if (!stop_condition_->stopped()) table_.store(child_key, numbers, 1);
  if (numbers != PN_WIN) children_.push_back({move, numbers});
}

/// Whether the attacker has a VCF if the defender passes.
SolveStatus PnSearch::find_threat(VcfTree& threat) {
  board_->pass();
  const SolveStatus status = vcf_.search(*board_, attacker_, threat_budget_, *stop_condition_);
  board_->undo_pass();
  if (status == SolveStatus::UNKNOWN && !stop_condition_->stopped()) incomplete_ = true;
  if (status == SolveStatus::WIN) threat = vcf_.tree();
  return status;
}

bool PnSearch::build(ProofBuilder& builder, size_t max_bytes, StopCondition& stop_condition) {
  stop_condition_ = &stop_condition;
  max_proof_bytes_ = max_bytes;
  max_nodes_ = ~u64{0};
  build_failed_ = false;
  proof_nodes_.clear();
  build_attack(builder);
  return !build_failed_ && !stop_condition_->stopped();
}

/// The attacker is to move and wins.
u32 PnSearch::build_attack(ProofBuilder& builder) {
  // An entry of proof_nodes_ costs about three words and a pointer.
  if (builder.bytes() + proof_nodes_.size() * 4 * sizeof(u64) > max_proof_bytes_)
    stop_condition_->stop(StopReason::MEMORY);
  if (stop_condition_->stopped() || build_failed_) return NO_NODE;
  if (board_->can_make_five(attacker_)) return builder.add_five(board_->five_point(attacker_));
  const u64 key = this->key(true);
  if (const auto it = proof_nodes_.find(key); it != proof_nodes_.end()) return it->second;
  u32 node = NO_NODE;
  if (vcf_.search(*board_, attacker_, PN_NODE_VCF, *stop_condition_) == SolveStatus::WIN) {
    node = builder.add_tree(vcf_.tree());
  } else if (const Point move = find_proven_attack(); move != NO_POINT) {
    const ScopedPlay played(*board_, move, attacker_);
    node = build_defence(builder, move);
  }
  if (node == NO_NODE) build_failed_ = true;
  proof_nodes_.emplace(key, node);
  return node;
}

/// A proven winning move; searched again if it was evicted from the table.
Point PnSearch::find_proven_attack() {
  children_.clear();
  const Point best = best_;
  const ProofNumbers numbers = search_node(true, {PN_INFINITE, PN_INFINITE}, 0);
  const Point move = best_;
  best_ = best;
  return numbers == PN_WIN && !stop_condition_->stopped() ? move : NO_POINT;
}

/// The attacker has just played `move`, which wins.
u32 PnSearch::build_defence(ProofBuilder& builder, Point move) {
  if (board_->can_make_five(attacker_))
    return builder.add_four(move, [&](Point) { return build_attack(builder); });
  VcfTree threat(0);
  switch (find_threat(threat)) {
    case SolveStatus::WIN: return build_threat_defence(builder, move, threat);
    case SolveStatus::NO_WIN:
      return quiet_moves_left_ > 0 ? build_quiet_defence(builder, move) : NO_NODE;
    case SolveStatus::UNKNOWN: return NO_NODE;  // the VCF result was evicted
  }
  return NO_NODE;
}

u32 PnSearch::build_threat_defence(ProofBuilder& builder, Point move, const VcfTree& threat) {
  board_->pass();
  const u32 threat_node = builder.add_tree(threat);
  board_->undo_pass();
  const RelevanceZone zone = relevance_zone(*board_, attacker_, threat);
  ProofBuilder::Replies replies;
  for (const Point p : board_points(board_->size())) {
    if (!zone.replies[p] || !board_->patterns().is_legal(defender_, p)) continue;
    if (!stop_condition_->count_node()) break;
    const ScopedPlay played(*board_, p, defender_);
    if (!still_wins(*board_, attacker_, threat, *stop_condition_))
      replies.push_back({p, build_attack(builder)});
    else if (zone.tree_points[p])
      replies.push_back({p, builder.add_tree(threat)});
  }
  return builder.add(move, threat_node, replies);
}

u32 PnSearch::build_quiet_defence(ProofBuilder& builder, Point move) {
  --quiet_moves_left_;
  board_->pass();
  const u32 threat_node = build_attack(builder);
  board_->undo_pass();
  ProofBuilder::Replies replies;
  for (const Point p : board_points(board_->size())) {
    const PatternBoard& patterns = board_->patterns();
    if (!patterns.is_empty(p) || !patterns.is_legal(defender_, p) || !stop_condition_->count_node())
      continue;
    const ScopedPlay played(*board_, p, defender_);
    replies.push_back({p, build_attack(builder)});
  }
  ++quiet_moves_left_;
  return builder.add(move, threat_node, replies);
}

void PnSearch::clear() {
  table_.clear();
  incomplete_ = false;
  threat_budget_ = PN_THREAT_VCF;
}

void PnSearch::increase_threat_budget() {
  const u64 larger =
      std::min<u64>(threat_budget_, ~u64{0} / 256) * static_cast<u64>(PN_THREAT_BUDGET_FACTOR);
  clear();
  threat_budget_ = larger;
}

}  // namespace tengen
