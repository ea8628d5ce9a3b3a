// SPDX-License-Identifier: MIT
#include "engine/levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tengen {

namespace {

/// A level is a number of nodes, so that it plays the same on every machine; this ends the search
/// on very slow ones.
constexpr double MAX_SECONDS = 10;

/// Each level searches two to three times as many nodes as the one below and errs less. The numbers
/// come from matches between neighbours (benchmarks/levels.py): each should score 60% to 90%. Level
/// 9 is far below full strength: openings that favour a colour hide small differences at the top.
constexpr std::array<Level, FULL_LEVEL> LEVELS = {{
    {1, 300, 1, MAX_SECONDS, 40, 1.0},
    {2, 500, 2, MAX_SECONDS, 4, 0.02},
    {3, 1'200, 3, MAX_SECONDS, 4, 0.015},
    {4, 2'500, 4, MAX_SECONDS, 4, 0.012},
    {5, 5'000, 5, MAX_SECONDS, 3, 0.012},
    {6, 12'000, 6, MAX_SECONDS, 3, 0.01},
    {7, 30'000, 8, MAX_SECONDS, 2, 0.01},
    {8, 80'000, 0, MAX_SECONDS, 2, 0.008},
    {9, 200'000, 0, MAX_SECONDS, 1, 0},
    {10, 0, 0, 0, 1, 0},
}};

/// The smaller limit; 0 is none.
template <typename T>
T tighter(T one, T two) {
  return one == 0 ? two : two == 0 ? one : std::min(one, two);
}

double win_rate(Value value) {
  return 1 / (1 + std::exp(-static_cast<double>(value) / EVAL_PER_LOGIT));
}

}  // namespace

const Level& level_of(int number) { return LEVELS[static_cast<size_t>(number - 1)]; }

int level_of_strength(int strength) {
  return std::clamp((strength + FULL_LEVEL - 1) / FULL_LEVEL, 1, FULL_LEVEL);
}

Limit limit_of_level(const Level& level, const Limit& limit, bool is_mcts) {
  Limit result = limit;
  if (level.time > 0) result.time = std::min(limit.time.value_or(level.time), level.time);
  result.nodes = tighter(limit.nodes, level.nodes);
  if (!is_mcts) result.depth = tighter(limit.depth, level.depth);
  return result;
}

size_t choose_line(const Level& level, std::span<const SearchInfo> lines, Rng& rng) {
  if (lines.size() == 1 || level.spread <= 0 || is_mate(lines[0].value)) return 0;
  std::vector<double> sums;  // of the weights so far; a line that is not drawn adds nothing
  const double best = win_rate(lines[0].value);
  double sum = 0;
  for (size_t n = 0; n < std::min(lines.size(), static_cast<size_t>(level.lines)); ++n) {
    if (!is_mate(lines[n].value)) sum += std::exp((win_rate(lines[n].value) - best) / level.spread);
    sums.push_back(sum);
  }
  const double drawn = static_cast<double>(rng.next() >> 11) * 0x1p-53 * sum;
  const auto it = std::upper_bound(sums.begin(), sums.end(), drawn);
  return it == sums.end() ? 0 : static_cast<size_t>(it - sums.begin());
}

}  // namespace tengen
