// SPDX-License-Identifier: MIT
// Which replies can matter against a threatened win by fours? All others are beaten by the threat
// itself. Relies on vcf.h.
#pragma once

#include <bitset>

#include "search/threat/vcf.h"

namespace tengen {

using PointSet = std::bitset<GRID_CELLS>;

/// What a win by fours rests on.
struct Zone {
  /// Points of the tree: its moves, the replies, the fives; in caro also where a five could be
  /// closed. A win that goes on in spite of a stone there needs words of its own.
  PointSet used;
  /// Points where a stone of the defender might spoil the win, and maybe more; `used` is part of
  /// it.
  PointSet replies;
};

/// The zone of the tree by which the attacker, who is to move, wins. Leaves the board as it was.
///
/// With one more stone of the defender on the board the tree can only fail if the stone
///  - stands on a point that the tree uses, or (caro) near one of its fives, so as to close it;
///  - makes a four with the stones the defender has by then: so every point where he could play a
///    four after one of his replies, or now, is in the set;
///  - changes what black may play (renju). A white stone can only make a point forbidden to black
///    that already looks like a double-three; a black stone can make a forbidden reply legal. Both
///    are rare, and then a wide set is returned.
Zone zone_of(ThreatBoard& board, Colour attacker, const WinTree& tree);

}  // namespace tengen
