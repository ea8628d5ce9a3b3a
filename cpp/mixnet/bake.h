// SPDX-License-Identifier: MIT
// Baking: the mapping nets, which map a line of eleven cells to features, evaluated for every line
// there is. The result defines the net: it is the same to the last bit on every machine, since each
// sum has a fixed order and nothing is fused. Relies on weights.h and patterns.h.
#pragma once

#include <array>
#include <string_view>

#include "base/large_array.h"
#include "base/progress.h"
#include "mixnet/weights.h"

namespace tengen::mixnet {

/// Features of all patterns: [PATTERN_NB][c], scaled by FEATURE_SCALE.
using Codebook = LargeArray<i16>;

/// The codebook of rows and columns, and that of diagonals.
using Codebooks = std::array<Codebook, 2>;

/// How to bake: on so many threads (0: one for each core), told to somebody who may stop it.
struct Baking {
  int threads = 0;
  Progress* progress = nullptr;
};

/// Features of all patterns by one mapping net. Throws Stopped.
Codebook bake(const MappingWeights& weights, const Shape& shape, const Baking& baking = {});

/// Both codebooks of a net. Throws Stopped, and std::runtime_error if they are not what the net's
/// file promises.
Codebooks bake(const Weights& weights, const Baking& baking = {});

inline std::string_view bytes_of(const Codebook& book) {
  return {reinterpret_cast<const char*>(&book[0]), book.bytes()};
}

/// CRC-32 of both codebooks, that of rows and columns in the high half.
u64 codebook_checksum(const Codebooks& books);

}  // namespace tengen::mixnet
