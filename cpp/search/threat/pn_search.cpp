// SPDX-License-Identifier: MIT
#include "search/threat/pn_search.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(PN_LEAF_VCF, 50, 10, 10000, 20, "plays of the VCF that looks at a position after a reply");
TUNABLE(PN_NODE_VCF, 2000, 50, 100000, 400,
        "plays of the VCF before a position is searched by threats");
TUNABLE(PN_THREAT_VCF, 1000, 50, 100000, 200,
        "plays of the VCF that tells whether a move threatens anything");
TUNABLE(PN_COUNTER_VCF, 50, 10, 10000, 20,
        "plays of the VCF by which the defender may win in between");
// Fours are many and seldom the point: VCF has looked at them already.
TUNABLE(PN_WORK_FOUR, 4, 1, 20, 1, "work expected behind a four, in open threes");
TUNABLE(PN_WORK_OTHER, 5, 1, 60, 2, "the same behind a move that only might threaten something");
TUNABLE(PN_WORK_QUIET, 8, 1, 200, 4, "the same where quiet moves are allowed");
TUNABLE(PN_PATIENCE, 8, 1, 64, 2,
        "a child is left for the second best when it is worse by one part in so many");

constexpr u64 ATTACKING_KEY = 0x8E9D5C1B2A7F4E63ULL;
constexpr u64 BLACK_KEY = 0x3C6EF372FE94F82BULL;
constexpr u64 QUIET_KEY = 0x510E527FADE682D1ULL;

}  // namespace

Finding PnSearch::search(ThreatBoard& board, Colour attacker, int quiet, u64 max_nodes,
                         Watch& watch) {
  board_ = &board;
  watch_ = &watch;
  attacker_ = attacker;
  defender_ = opponent(attacker);
  quiet_left_ = quiet;
  max_nodes_ = max_nodes ? watch.nodes() + max_nodes : ~u64{0};
  children_.clear();
  const PnPair pair = expand(true, {PN_INFINITE, PN_INFINITE}, 0);
  exhausted_ = pair == PN_MISSED;
  if (pair == PN_REACHED) return Finding::WIN;
  return exhausted_ && !incomplete_ ? Finding::NO_WIN : Finding::UNKNOWN;
}

u64 PnSearch::key(bool attacking) const {
  return board_->hash() ^ (attacker_ == BLACK ? BLACK_KEY : 0) ^ (attacking ? ATTACKING_KEY : 0) ^
         (QUIET_KEY * static_cast<u64>(quiet_left_));
}

/// Searches the position until its numbers reach a limit; returns them.
PnPair PnSearch::expand(bool attacking, PnPair limit, int ply) {
  deepest_ = std::max(deepest_, ply);
  const u64 key = this->key(attacking);
  const u64 nodes_before = watch_->nodes();
  Frame frame{.attacking = attacking, .pair = {}, .first = children_.size()};
  if (attacking) {
    gather_attacks(frame);
    look_up_attacks(frame);
  } else {
    gather_replies(frame);
  }
  size_t best = frame.first;
  while (!frame.settled) {
    const Sum sum = sum_up(frame);
    best = sum.best;
    frame.pair = sum.pair;
    if (sum.pair.mine >= limit.mine || sum.pair.theirs >= limit.theirs) break;
    if (ply == 0) best_ = children_[best].move;
    if (watch_->stopped() || out_of_nodes()) break;
    const Child child = children_[best];
    const PnPair child_limit = {std::min(PN_INFINITE, limit.theirs - sum.others),
                                std::min(limit.mine, sum.second + sum.second / PN_PATIENCE + 1)};
    const PnPair after = visit(child, frame, child_limit, ply);
    children_[best].pair = after;
    if (frame.quiet && child.move == NO_POINT && after == PN_REACHED) gather_quiet_replies();
  }
  if (ply == 0) best_ = best < children_.size() ? children_[best].move : NO_POINT;
  children_.resize(frame.first);
  if (!watch_->stopped()) table_.store(key, frame.pair, watch_->nodes() - nodes_before);
  return frame.pair;
}

PnPair PnSearch::visit(const Child& child, const Frame& frame, PnPair limit, int ply) {
  if (child.move != NO_POINT && !watch_->count_node()) return child.pair;
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

/// The node's numbers from those of its children. What the defender has to show adds up over the
/// attacker's moves only in theory: most of them fail for the same reason, and lines meet again. So
/// the hardest counts, and one for each other. Replies do add up.
PnSearch::Sum PnSearch::sum_up(const Frame& frame) const {
  Sum sum{.pair = {PN_INFINITE, 0}, .best = frame.first};
  u32 total = 0, most = 0, open = 0;
  for (size_t i = frame.first; i < children_.size(); ++i) {
    const PnPair child = children_[i].pair;
    if (child == PN_MISSED) return {.pair = PN_REACHED, .best = i};
    if (child.theirs < sum.pair.mine) {
      sum.second = sum.pair.mine;
      sum.pair.mine = child.theirs;
      sum.best = i;
    } else {
      sum.second = std::min(sum.second, child.theirs);
    }
    total = std::min(total + child.mine, PN_INFINITE - 1);
    most = std::max(most, child.mine);
    open += child.mine > 0;
  }
  if (open == 0) return sum;
  sum.others = frame.attacking ? open - 1 : total - children_[sum.best].pair.mine;
  sum.pair.theirs = frame.attacking ? std::min(most + open - 1, PN_INFINITE - 1) : total;
  return sum;
}

void PnSearch::gather_attacks(Frame& frame) {
  const auto settle = [&](PnPair pair) {
    frame.settled = true;
    frame.pair = pair;
  };
  const PatternBoard& patterns = board_->patterns();
  if (board_->moves_left() < 1) return settle(PN_MISSED);
  if (board_->has_five(attacker_)) return settle(PN_REACHED);
  if (board_->moves_left() < 3) return settle(PN_MISSED);
  if (board_->has_five(defender_)) {
    for (const Point p : board_->stops(defender_, NO_POINT)) add_attack(p, 1);
    return;
  }
  if (!table_.find(key(true))) {
    const Finding found = vcf_.search(*board_, attacker_, PN_NODE_VCF, *watch_);
    if (found == Finding::WIN) return settle(PN_REACHED);
    if (watch_->stopped()) return settle({});
  }
  patterns.for_each_at_least(attacker_, Threat::OPEN_THREE, [&](Point p) {
    if (!patterns.may_play(attacker_, p)) return;
    add_attack(p, patterns.threat(attacker_, p) >= Threat::FOUR ? PN_WORK_FOUR : 1);
  });
  for (const Point p : board_points(board_->size()))
    if (patterns.threat(attacker_, p) < Threat::OPEN_THREE && might_threaten(p))
      add_attack(p, quiet_left_ > 0 ? PN_WORK_QUIET : PN_WORK_OTHER);
}

/// Is the point worth a try, though it makes neither a four nor an open three? It must add to a
/// line of the attacker, or stand in the way of a four by which the defender gets out of a win by
/// fours. Where the attacker has no four yet, it must make one possible.
bool PnSearch::might_threaten(Point p) const {
  const PatternBoard& patterns = board_->patterns();
  if (!patterns.is_empty(p)) return false;
  const Threat threat = patterns.threat(attacker_, p);
  const bool worth_it = quiet_left_ > 0 || threat >= Threat::THREE ||
                        (board_->has_four(attacker_) &&
                         (threat >= Threat::TWO || patterns.threat(defender_, p) >= Threat::THREE));
  return worth_it && patterns.may_play(attacker_, p);
}

/// `work`: the proof number of a move that was not looked at yet.
void PnSearch::add_attack(Point move, u32 work) {
  table_.prefetch(key_after(move));
  children_.push_back({move, {1, work}});
}

/// Of the defender's node after the attacker's move.
u64 PnSearch::key_after(Point attack) const {
  return key(false) ^ ZOBRIST.stone[side_index(attacker_)][attack];
}

/// Takes over what the table knows of the attacker's moves.
void PnSearch::look_up_attacks(const Frame& frame) {
  for (size_t i = frame.first; i < children_.size(); ++i)
    if (const PnPair* const known = table_.find(key_after(children_[i].move)))
      children_[i].pair = *known;
}

void PnSearch::gather_replies(Frame& frame) {
  const auto settle = [&](PnPair pair) {
    frame.settled = true;
    frame.pair = pair;
  };
  const PatternBoard& patterns = board_->patterns();
  if (board_->moves_left() < 2 || board_->has_five(defender_)) return settle(PN_REACHED);
  WinTree threat(0);
  if (board_->has_five(attacker_)) {
    for (const Point p : board_->stops(attacker_, NO_POINT)) add_reply(p, threat);
  } else if (vcf_.search(*board_, defender_, PN_COUNTER_VCF, *watch_) == Finding::WIN) {
    settle(PN_REACHED);
  } else if (find_threat(threat) == Finding::WIN) {
    const Zone zone = zone_of(*board_, attacker_, threat);
    for (const Point p : board_points(board_->size()))
      if (zone.replies[p] && patterns.may_play(defender_, p)) add_reply(p, threat);
  } else if (watch_->stopped()) {
    settle({});
  } else if (quiet_left_ > 0) {
    frame.quiet = true;
    --quiet_left_;
    board_->pass();
    const PnPair* const known = table_.find(key(true));
    const PnPair pair = known ? *known : PnPair{};
    board_->undo_pass();
    ++quiet_left_;
    children_.push_back({NO_POINT, pair});
    if (pair == PN_REACHED) gather_quiet_replies();
  } else {
    settle(PN_REACHED);
  }
}

/// After a quiet move that wins if the defender passes: every reply has to be looked at.
void PnSearch::gather_quiet_replies() {
  const PatternBoard& patterns = board_->patterns();
  --quiet_left_;
  for (const Point p : board_points(board_->size()))
    if (patterns.is_empty(p) && patterns.may_play(defender_, p)) add_reply(p, WinTree(0));
  ++quiet_left_;
}

/// Adds a reply, unless it is known to lose: to the threat, or to another win by fours.
void PnSearch::add_reply(Point move, const WinTree& threat) {
  const u64 child_key = key(true) ^ ZOBRIST.stone[side_index(defender_)][move];
  if (const PnPair* const known = table_.find(child_key)) {
    if (*known != PN_REACHED) children_.push_back({move, *known});
    return;
  }
  PnPair pair;
  if (watch_->count_node()) {
    const ScopedPlay played(*board_, move, defender_);
    if ((!threat.empty() && still_wins(*board_, attacker_, threat, *watch_)) ||
        vcf_.search(*board_, attacker_, PN_LEAF_VCF, *watch_) == Finding::WIN)
      pair = PN_REACHED;
  }
  if (!watch_->stopped()) table_.store(child_key, pair, 1);
  if (pair != PN_REACHED) children_.push_back({move, pair});
}

/// Would the attacker win by fours if the defender passed?
Finding PnSearch::find_threat(WinTree& threat) {
  board_->pass();
  const Finding found = vcf_.search(*board_, attacker_, threat_nodes_, *watch_);
  board_->undo_pass();
  if (found == Finding::UNKNOWN && !watch_->stopped()) incomplete_ = true;
  if (found == Finding::WIN) threat = vcf_.tree();
  return found;
}

bool PnSearch::build(ProofBuilder& builder, size_t room, Watch& watch) {
  watch_ = &watch;
  room_ = room;
  max_nodes_ = ~u64{0};
  failed_ = false;
  built_.clear();
  build_attack(builder);
  return !failed_ && !watch_->stopped();
}

/// The attacker is to move and wins.
u32 PnSearch::build_attack(ProofBuilder& builder) {
  // An entry of built_ costs about three words and a pointer.
  if (builder.bytes() + built_.size() * 4 * sizeof(u64) > room_) watch_->stop(EndedBy::MEMORY);
  if (watch_->stopped() || failed_) return NO_NODE;
  if (board_->has_five(attacker_)) return builder.add_five(board_->five_point(attacker_));
  const u64 key = this->key(true);
  if (const auto found = built_.find(key); found != built_.end()) return found->second;
  u32 node = NO_NODE;
  if (vcf_.search(*board_, attacker_, PN_NODE_VCF, *watch_) == Finding::WIN) {
    node = builder.add_tree(vcf_.tree());
  } else if (const Point move = proven_attack(); move != NO_POINT) {
    const ScopedPlay played(*board_, move, attacker_);
    node = build_defence(builder, move);
  }
  if (node == NO_NODE) failed_ = true;
  built_.emplace(key, node);
  return node;
}

/// A move that is proven to win; searched for again if the table has lost it.
Point PnSearch::proven_attack() {
  children_.clear();
  const Point best = best_;
  const PnPair pair = expand(true, {PN_INFINITE, PN_INFINITE}, 0);
  const Point move = best_;
  best_ = best;
  return pair == PN_REACHED && !watch_->stopped() ? move : NO_POINT;
}

/// The attacker has just played `move`, which wins.
u32 PnSearch::build_defence(ProofBuilder& builder, Point move) {
  if (board_->has_five(attacker_))
    return builder.add_four(move, [&](Point) { return build_attack(builder); });
  WinTree threat(0);
  switch (find_threat(threat)) {
    case Finding::WIN: return build_threat_defence(builder, move, threat);
    case Finding::NO_WIN: return quiet_left_ > 0 ? build_quiet_defence(builder, move) : NO_NODE;
    case Finding::UNKNOWN: return NO_NODE;  // the table of fours has lost what it needs
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
    if (!watch_->count_node()) break;
    const ScopedPlay played(*board_, p, defender_);
    if (!still_wins(*board_, attacker_, threat, *watch_))
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
    if (!patterns.is_empty(p) || !patterns.may_play(defender_, p) || !watch_->count_node())
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
  const u64 wider = std::min<u64>(threat_nodes_, ~u64{0} / 16) * 8;
  clear();
  threat_nodes_ = wider;
}

}  // namespace tengen
