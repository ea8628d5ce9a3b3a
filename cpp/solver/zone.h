// SPDX-License-Identifier: MIT
// Replies that can matter against a threatened VCF. The threat itself refutes all others.
#pragma once

#include <bitset>

#include "solver/vcf.h"

namespace tengen {

using PointSet = std::bitset<GRID_CELLS>;

/// Points on which a VCF depends.
struct Zone {
  /// Points of the tree: moves, replies, fives; in caro also points that could close a five. A
  /// reply there needs its own refutation.
  PointSet used;
  /// Superset of the points where a stone of the defender might prevent the win; includes `used`.
  PointSet replies;
};

/// The zone of a VCF of the attacker, who is to move. Leaves the board unchanged.
///
/// With one more stone of the defender, the tree can only fail if the stone
///  - is on a point that the tree uses, or (caro) near one of its fives, so as to close it;
///  - makes a four together with the defender's later stones: so every point where it could play a
/// four now or after one of its replies is included;
///  - changes what black may play (renju). A white stone can only make a point forbidden that
/// already looks like a double-three; a black stone can make a forbidden reply legal. Both are
/// rare, and then a wide set is returned.
Zone zone_of(ThreatBoard& board, Colour attacker, const WinTree& tree);

}  // namespace tengen
