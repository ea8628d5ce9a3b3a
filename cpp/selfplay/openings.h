// SPDX-License-Identifier: MIT
// Self-play openings: random legal stones near the centre of the board, undecided; and the set of
// openings already played, up to symmetry.
#pragma once

#include <unordered_set>
#include <vector>

#include "base/rng.h"
#include "selfplay/leaf_inspector.h"
#include "selfplay/settings.h"

namespace tengen::selfplay {

/// Equal for positions that are equal under one of the eight symmetries. Black plays the first
/// move, white the second, and so on.
u64 canonical_key(const std::vector<Point>& moves, int size);

/// Keys of played openings. Bounded: when full, the older half is dropped.
class PlayedOpenings {
 public:
  explicit PlayedOpenings(size_t capacity) : half_(capacity / 2) {}

  bool contains(u64 key) const { return recent_.contains(key) || older_.contains(key); }
  /// False if it is already present.
  bool add(u64 key);

 private:
  size_t half_;
  std::unordered_set<u64> recent_, older_;
};

/// Samples an opening: legal, undecided, without threats, and new unless many attempts find none
/// (on small boards).
void sample_opening(LeafInspector& inspector, const Settings& settings,
                    const PlayedOpenings& played, Rng& rng, std::vector<Point>& moves);

}  // namespace tengen::selfplay
