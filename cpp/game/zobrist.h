// SPDX-License-Identifier: MIT
// Zobrist keys: a random word per stone and cell, for white to move, and for trailing passes.
// Compile-time constants, so hashes are the same on every machine.
#pragma once

#include <array>

#include "base/rng.h"
#include "game/point.h"
#include "game/rule.h"

namespace tengen {

struct ZobristKeys {
  std::array<std::array<u64, GRID_CELLS>, COLOUR_NB> stone;
  u64 white_to_move;
  std::array<u64, 3> passes;  ///< by the number of trailing passes: 0, 1, 2 or more
};

constexpr ZobristKeys make_zobrist_keys() {
  Rng rng(0x74656E67656EULL);
  ZobristKeys keys{};
  for (auto& side : keys.stone)
    for (u64& key : side) key = rng.next();
  keys.white_to_move = rng.next();
  keys.passes = {0, rng.next(), rng.next()};
  return keys;
}

inline constexpr ZobristKeys ZOBRIST = make_zobrist_keys();

}  // namespace tengen
