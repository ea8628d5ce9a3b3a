// SPDX-License-Identifier: MIT
#include "selfplay/leaf_inspector.h"

#include <memory>

#include "eval/no_evaluator.h"

namespace tengen::selfplay {

namespace {

/// Fits into a core's cache with thousands of refuted positions.
constexpr size_t VCF_BYTES = 128 << 10;
/// Up to this many nodes the table has no evictions. With evictions, the result would depend on how
/// often the table was cleared.
constexpr int MAX_NODES_WITHOUT_EVICTION = 4096;

}  // namespace

LeafInspector::LeafInspector(int size, Rule rule)
    : position_(size, rule, std::make_unique<NoEvaluator>()), vcf_(VCF_BYTES) {
  scored_.reserve(MAX_SIZE * MAX_SIZE);
  moves_.reserve(MAX_SIZE * MAX_SIZE);
}

void LeafInspector::add_threats(Threat threat) {
  position_.patterns().for_each_at_least(position_.side(), threat,
                                         [this](Point p) { moves_.push_back(p); });
}

ProvenState LeafInspector::inspect(int vcf_nodes) {
  moves_.clear();
  forced_ = ForcedReply::NONE;
  const ThreatBoard& threats = position_.threats();
  if (position_.is_drawn()) return ProvenState::DRAWN;
  if (threats.can_make_five(position_.side())) {
    add_threats(Threat::FIVE);
    return ProvenState::WON;
  }
  forced_ = forced_reply(position_);
  if (forced_ == ForcedReply::BLOCK_FOUR) return forced();
  // An open four needs three plies to win.
  if (threats.moves_left() >= 3 &&
      threats.patterns().count(position_.side(), Threat::OPEN_FOUR) > 0) {
    add_threats(Threat::OPEN_FOUR);
    return ProvenState::WON;
  }
  if (has_vcf(vcf_nodes)) {
    moves_.push_back(VcfTree::Reader(vcf_.tree()).next());
    return ProvenState::WON;
  }
  scored_.clear();
  generate_moves(position_, forced_, NO_POINT, scored_);
  for (const ScoredMove& move : scored_) moves_.push_back(move.point);
  if (!moves_.empty()) return ProvenState::UNPROVEN;
  // Without a threat only a pass is left: scored as a draw.
  return forced_ == ForcedReply::BLOCK_OPEN_THREE && threats.moves_left() >= 4 ? ProvenState::LOST
                                                                               : ProvenState::DRAWN;
}

ProvenState LeafInspector::forced() {
  const ThreatBoard& threats = position_.threats();
  for (const Point p : threats.defences(opponent(position_.side()), NO_POINT)) moves_.push_back(p);
  if (!moves_.empty()) return ProvenState::UNPROVEN;
  return threats.moves_left() >= 2 ? ProvenState::LOST : ProvenState::DRAWN;
}

bool LeafInspector::has_vcf(int vcf_nodes) {
  ThreatBoard& threats = position_.threats();
  const Colour side = position_.side();
  if (vcf_nodes == 0 || !threats.can_make_four(side)) return false;
  if (!threats.patterns().has_followup_four(side)) return false;
  // Results must not depend on other games.
  if (vcf_nodes <= MAX_NODES_WITHOUT_EVICTION)
    vcf_.clear();
  else
    vcf_.reset();
  return vcf_.search(threats, side, static_cast<u64>(vcf_nodes), stop_condition_) ==
         SolveStatus::WIN;
}

}  // namespace tengen::selfplay
