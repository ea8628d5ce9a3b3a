// SPDX-License-Identifier: MIT
// The swap2 opening. The first player puts three stones. The second takes black (a swap), or plays
// a fourth stone as white, or puts two more stones and leaves the choice to the first, who then
// takes black or plays a sixth stone as white.
#pragma once

#include <vector>

#include "game/point.h"
#include "search/searcher.h"

namespace tengen {

/// Three stones. `number` selects one of the openings and of their eight symmetries.
std::vector<Point> swap2_opening(int size, u32 number);

/// The answer to three or five stones, from a search of the position with white to move: stones to
/// put, or none to take black.
std::vector<Point> swap2_choice(const SearchResult& result, int stones);

}  // namespace tengen
