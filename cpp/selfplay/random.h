// SPDX-License-Identifier: MIT
// Random numbers of distributions that self-play draws from. Relies on base/rng.h.
#pragma once

#include <cmath>

#include "base/rng.h"

namespace tengen::selfplay {

/// Between 0 and 1, neither of them.
inline double draw_uniform(Rng& rng) {
  return (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1p-53;
}

inline bool draw_chance(Rng& rng, double share) { return draw_uniform(rng) < share; }

inline double draw_gumbel(Rng& rng) { return -std::log(-std::log(draw_uniform(rng))); }

inline double draw_normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(draw_uniform(rng)));
  return radius * std::cos(6.283185307179586 * draw_uniform(rng));
}

/// Of the Gamma distribution with scale 1, by the method of Marsaglia and Tsang (2000). Requires
/// shape > 0.
inline double draw_gamma(Rng& rng, double shape) {
  if (shape < 1) return draw_gamma(rng, shape + 1) * std::pow(draw_uniform(rng), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draw_normal(rng), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(draw_uniform(rng)) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace tengen::selfplay
