// SPDX-License-Identifier: MIT
// Baking: the mapping nets, which map a line of eleven cells to features, evaluated for every line
// there is. The result defines the net: it is the same to the last bit on every machine, since each
// sum has a fixed order and nothing is fused. Relies on weights.h and patterns.h.
#pragma once

#include "base/memory.h"
#include "mixnet/weights.h"

namespace tengen::mixnet {

/// Features of all patterns: [PATTERN_NB][c], scaled by FEATURE_SCALE.
using Codebook = ZeroedArray<i16>;

/// Features of all patterns by one mapping net, on so many threads (0: one for each core).
Codebook bake(const MappingWeights& weights, const Shape& shape, int threads = 0);

/// CRC-32 of both codebooks, that of rows and columns in the high half.
u64 codebook_checksum(const Codebook& straight, const Codebook& diagonal);

}  // namespace tengen::mixnet
