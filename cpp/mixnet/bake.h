// SPDX-License-Identifier: MIT
// Baking: evaluates the mapping nets, which map a line of eleven cells to features, for every
// possible line. The result is bit-identical on every machine: sums have a fixed order and no fused
// multiply-add.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "base/large_array.h"
#include "base/progress.h"
#include "mixnet/weights.h"

namespace tengen::mixnet {

/// Features of all patterns: [PATTERN_NB][c], scaled by FEATURE_SCALE.
using Codebook = LargeArray<i16>;

/// The codebook of rows and columns, and that of diagonals.
using Codebooks = std::array<Codebook, 2>;

struct BakeOptions {
  int threads = 0;               ///< 0: one per core
  Progress* progress = nullptr;  ///< receives the progress and can stop the baking
  bool in_background = false;    ///< on threads that let others go first
  /// Receives the fraction done, on the baking threads; may be empty.
  std::function<void(double)> report = {};
};

/// Features of all patterns by one mapping net. Throws Stopped.
Codebook bake(const MappingWeights& weights, const Shape& shape, const BakeOptions& options = {});

/// Both codebooks of a net. Throws Stopped, and std::runtime_error if their checksum is not that of
/// the net file.
Codebooks bake(const Weights& weights, const BakeOptions& options = {});

inline std::string_view bytes_of(const Codebook& book) {
  return {reinterpret_cast<const char*>(&book[0]), book.bytes()};
}

/// CRC-32 of both codebooks, that of rows and columns in the high half.
u64 codebook_checksum(const Codebooks& books);

}  // namespace tengen::mixnet
