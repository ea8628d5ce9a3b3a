// SPDX-License-Identifier: MIT
// Openings of self-play: some stones near the centre, drawn at random, legal and undecided; and
// which ones were played already, mirror images counted as one. Relies on looker.h.
#pragma once

#include <unordered_set>
#include <vector>

#include "base/rng.h"
#include "selfplay/looker.h"
#include "selfplay/settings.h"

namespace tengen::selfplay {

/// The same for positions that are images of each other under one of the eight symmetries. Black
/// plays the first of the moves, white the second, and so on.
u64 canonical_key(const std::vector<Point>& moves, int size);

/// Keys of openings that were played. Bounded: when it is full, the older half is forgotten.
class PlayedOpenings {
 public:
  explicit PlayedOpenings(size_t most) : half_(most / 2) {}

  bool contains(u64 key) const { return young_.contains(key) || old_.contains(key); }
  /// False if it is there already.
  bool add(u64 key);

 private:
  size_t half_;
  std::unordered_set<u64> young_, old_;
};

/// Draws moves of an opening. It is legal, nobody has won or is threatened, and it was not played
/// yet, unless no such opening is found in many attempts: on small boards there are few.
void draw_opening(Looker& looker, const Settings& settings, const PlayedOpenings& played, Rng& rng,
                  std::vector<Point>& moves);

}  // namespace tengen::selfplay
