// SPDX-License-Identifier: MIT
// The replies that might refute a threatened VCF. All others lose to that VCF.
#pragma once

#include <bitset>

#include "solver/vcf.h"

namespace tengen {

using PointSet = std::bitset<GRID_CELLS>;

/// Points on which a VCF depends: the relevance zone of the threat.
struct RelevanceZone {
  /// Points of the tree: fours, defences, fives; in caro also points that could block a five at an
  /// end. A reply there needs its own refutation.
  PointSet tree_points;
  /// Superset of the points where a stone of the defender might prevent the win; includes
  /// `tree_points`.
  PointSet replies;
};

/// The zone of a VCF of the attacker, who is to move. Leaves the board unchanged.
///
/// With one more stone of the defender, the tree can only fail if the stone
///  - is on a point that the tree uses, or (caro) near one of its fives, to block that at an end;
///  - makes a four together with the defender's later stones: so every point where the defender
///    could play a four now or after one of its defences is included;
///  - changes what black may play (renju). A white stone can only make a point forbidden that
///    already looks like a double-three; a black stone can make a forbidden defence legal. Both are
///    rare; `replies` is then a large set.
RelevanceZone relevance_zone(ThreatBoard& board, Colour attacker, const VcfTree& tree);

}  // namespace tengen
