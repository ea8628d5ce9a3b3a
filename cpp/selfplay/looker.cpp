// SPDX-License-Identifier: MIT
#include "selfplay/looker.h"

#include <memory>

#include "eval/no_evaluator.h"

namespace tengen::selfplay {

namespace {

/// Small enough for a core's own cache; thousands of refuted positions fit in.
constexpr size_t VCF_BYTES = 128 << 10;
/// Plays whose refuted positions leave most of that empty. Of more some are put out, which ones
/// depends on how often the table was cleared, and so does where a search ends.
constexpr int FEW_PLAYS = 4096;

}  // namespace

Looker::Looker(int size, Rule rule)
    : position_(size, rule, std::make_unique<NoEvaluator>()), vcf_(VCF_BYTES) {
  scored_.reserve(MAX_SIZE * MAX_SIZE);
  moves_.reserve(MAX_SIZE * MAX_SIZE);
}

void Looker::add_threats(Threat threat) {
  position_.patterns().for_each_at_least(position_.side(), threat,
                                         [this](Point p) { moves_.push_back(p); });
}

Known Looker::look(int vcf_plays) {
  moves_.clear();
  duty_ = Duty::NONE;
  const ThreatBoard& threats = position_.threats();
  if (position_.is_drawn()) return Known::DRAWN;
  if (threats.has_five(position_.side())) {
    add_threats(Threat::FIVE);
    return Known::WON;
  }
  duty_ = duty_of(position_);
  if (duty_ == Duty::STOP_FIVE) return forced();
  // An open four needs three plies, a five among them.
  if (threats.moves_left() >= 3 &&
      threats.patterns().count(position_.side(), Threat::OPEN_FOUR) > 0) {
    add_threats(Threat::OPEN_FOUR);
    return Known::WON;
  }
  if (wins_by_fours(vcf_plays)) {
    moves_.push_back(WinTree::Reader(vcf_.tree()).next());
    return Known::WON;
  }
  scored_.clear();
  add_moves(position_, duty_, NO_POINT, scored_);
  for (const ScoredMove& move : scored_) moves_.push_back(move.point);
  if (!moves_.empty()) return Known::NOTHING;
  // Where there is no duty, nothing is left but to pass: that is taken for a draw.
  return duty_ == Duty::STOP_FOUR && threats.moves_left() >= 4 ? Known::LOST : Known::DRAWN;
}

Known Looker::forced() {
  const ThreatBoard& threats = position_.threats();
  for (const Point p : threats.stops(opponent(position_.side()), NO_POINT)) moves_.push_back(p);
  if (!moves_.empty()) return Known::NOTHING;
  return threats.moves_left() >= 2 ? Known::LOST : Known::DRAWN;
}

bool Looker::wins_by_fours(int vcf_plays) {
  ThreatBoard& threats = position_.threats();
  const Colour side = position_.side();
  if (vcf_plays == 0 || !threats.has_four(side)) return false;
  if (threats.patterns().has_only_lonely_fours(side)) return false;
  // Else an answer would depend on other games.
  if (vcf_plays <= FEW_PLAYS)
    vcf_.clear();
  else
    vcf_.reset();
  return vcf_.search(threats, side, static_cast<u64>(vcf_plays), watch_) == Finding::WIN;
}

}  // namespace tengen::selfplay
