// SPDX-License-Identifier: MIT
// Random positions that are rich in shapes: from sparse to full, even and lopsided, scattered,
// clustered, and drawn in strokes along lines; and positions as they come up in games.
#pragma once

#include <vector>

#include "base/rng.h"
#include "game/board.h"
#include "game/rule.h"

namespace tengen {

struct Placed {
  Point point;
  Colour colour;
};

/// Stones of one random position on a board of `size`, each point once, in the order in which they
/// were laid.
std::vector<Placed> random_stones(Rng& rng, int size);

/// Stones of a game in progress: black and white in turn, near the stones that are there, mostly
/// where something is to be made or stopped; no forbidden move and no five.
std::vector<Placed> random_middle_game(Rng& rng, int size, Rule rule);

/// Mostly 9, 15 or 20; now and then the smallest or the largest.
int random_size(Rng& rng);

/// An empty point of the cells, or NO_POINT if a few tries find none.
Point random_empty_point(Rng& rng, const Cells& cells, int size);

}  // namespace tengen
