// SPDX-License-Identifier: MIT
// A small random generator with an explicit seed (splitmix64): the same numbers on every machine.
// Used for Zobrist keys, tests and benchmarks; not for anything secret.
#pragma once

#include "base/types.h"

namespace tengen {

class Rng {
 public:
  explicit constexpr Rng(u64 seed) : state_(seed) {}

  /// The next 64 random bits.
  constexpr u64 next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    u64 z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// A number from 0 to bound - 1. Requires 0 < bound < 2^32; the bias is below 2^-32.
  constexpr u32 below(u32 bound) { return static_cast<u32>(((next() >> 32) * bound) >> 32); }

 private:
  u64 state_;
};

}  // namespace tengen
