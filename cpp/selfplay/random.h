// SPDX-License-Identifier: MIT
// Random distributions of self-play.
#pragma once

#include <cmath>

#include "base/rng.h"

namespace tengen::selfplay {

/// In the open interval (0, 1).
inline double sample_uniform(Rng& rng) {
  return (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1p-53;
}

inline bool sample_chance(Rng& rng, double share) { return sample_uniform(rng) < share; }

inline double sample_gumbel(Rng& rng) { return -std::log(-std::log(sample_uniform(rng))); }

inline double sample_normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(sample_uniform(rng)));
  return radius * std::cos(6.283185307179586 * sample_uniform(rng));
}

/// Gamma distribution with scale 1 (Marsaglia and Tsang, 2000). Requires shape > 0.
inline double sample_gamma(Rng& rng, double shape) {
  if (shape < 1) return sample_gamma(rng, shape + 1) * std::pow(sample_uniform(rng), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = sample_normal(rng), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(sample_uniform(rng)) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace tengen::selfplay
