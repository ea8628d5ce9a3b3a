// SPDX-License-Identifier: MIT
#include "selfplay/openings.h"

#include <algorithm>
#include <limits>

#include "game/symmetry.h"

namespace tengen::selfplay {

namespace {

constexpr int ATTEMPTS = 32;
/// Half width of the square that contains the stones ...
constexpr u32 MIN_REACH = 2, MAX_REACH = 4;
/// ... and its maximum distance from the centre of the board.
constexpr int MAX_SHIFT = 2;

/// A square near the centre of the board, clipped at the edges.
struct Region {
  int left, right, top, bottom;

  static Region draw(int size, Rng& rng) {
    const int reach = static_cast<int>(MIN_REACH + rng.below(MAX_REACH - MIN_REACH + 1));
    const int shift = std::min(MAX_SHIFT, (size - MIN_SIZE) / 2);
    const auto middle = [&] {
      return size / 2 - shift + static_cast<int>(rng.below(static_cast<u32>(2 * shift + 1)));
    };
    const int x = middle(), y = middle();
    return {std::max(0, x - reach), std::min(size - 1, x + reach), std::max(0, y - reach),
            std::min(size - 1, y + reach)};
  }
  Point draw_point(Rng& rng) const {
    const auto sample_between = [&](int low, int high) {
      return low + static_cast<int>(rng.below(static_cast<u32>(high - low + 1)));
    };
    const int x = sample_between(left, right);
    return make_point(x, sample_between(top, bottom));
  }
};

/// Adds a legal stone in the region that makes no five; false if none was found.
bool add_stone(Position& position, const Region& region, Rng& rng, std::vector<Point>& moves) {
  for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
    const Point p = region.draw_point(rng);
    const PatternBoard& patterns = position.patterns();
    if (!patterns.is_empty(p) || !patterns.is_legal(position.side(), p) ||
        patterns.threat(position.side(), p) == Threat::FIVE)
      continue;
    position.play(p);
    moves.push_back(p);
    return true;
  }
  return false;
}

/// False if the opening is decided or a side has a threat.
bool attempt(LeafInspector& inspector, const Settings& settings, Rng& rng,
             std::vector<Point>& moves) {
  moves.clear();
  inspector.set(empty_cells(settings.size), BLACK, settings.move_limit);
  const auto range = static_cast<u32>(settings.opening_most - settings.opening_least + 1);
  const int stones = settings.opening_least + static_cast<int>(rng.below(range));
  const Region region = Region::draw(settings.size, rng);
  while (static_cast<int>(moves.size()) < stones)
    if (!add_stone(inspector.position(), region, rng, moves)) return false;
  return inspector.inspect(settings.root_vcf) == ProvenState::UNPROVEN &&
         inspector.is_unthreatened();
}

}  // namespace

u64 canonical_key(const std::vector<Point>& moves, int size) {
  u64 min_key = std::numeric_limits<u64>::max();
  for (int s = 0; s < SYMMETRY_NB; ++s) {
    u64 key = 0;
    for (size_t i = 0; i < moves.size(); ++i)
      key ^= ZOBRIST.stone[i % 2][transformed(moves[i], s, size)];
    min_key = std::min(min_key, key);
  }
  return min_key;
}

bool PlayedOpenings::add(u64 key) {
  if (contains(key)) return false;
  if (recent_.size() >= half_) {
    older_.swap(recent_);
    recent_.clear();
  }
  recent_.insert(key);
  return true;
}

void sample_opening(LeafInspector& inspector, const Settings& settings,
                    const PlayedOpenings& played, Rng& rng, std::vector<Point>& moves) {
  std::vector<Point> usable;
  bool found = false;
  for (int i = 0; i < ATTEMPTS; ++i) {
    if (!attempt(inspector, settings, rng, moves)) continue;
    if (!played.contains(canonical_key(moves, settings.size))) return;
    found = true;
    usable = moves;
  }
  moves = found ? usable : std::vector<Point>{};  // an empty board is always undecided
}

}  // namespace tengen::selfplay
