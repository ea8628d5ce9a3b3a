// SPDX-License-Identifier: MIT
#include "engine/swap2.h"

#include <array>
#include <cstdlib>

#include "game/symmetry.h"

namespace tengen {

namespace {

/// Up to this value a position is even and the choice is left to the opponent. Otherwise the better
/// colour is taken.
constexpr Value EVEN = 10;

/// Black, white, black, counted from a corner of the board. All fit on five lines. They were taken
/// from five hundred drawn at random: the engine's values are within 20 units of even on 15 and on
/// 20 lines (standard rule, 50,000 and 800,000 nodes).
constexpr std::array<std::array<std::array<int, 2>, 3>, 7> OPENINGS = {{
    {{{0, 0}, {1, 3}, {4, 2}}},
    {{{2, 2}, {2, 3}, {3, 2}}},
    {{{2, 2}, {0, 4}, {0, 3}}},
    {{{0, 4}, {2, 1}, {2, 3}}},
    {{{2, 3}, {3, 4}, {4, 1}}},
    {{{1, 3}, {0, 3}, {1, 0}}},
    {{{2, 3}, {3, 4}, {3, 3}}},
}};

}  // namespace

std::vector<Point> swap2_opening(int size, u32 number) {
  std::vector<Point> stones;
  for (const auto [x, y] : OPENINGS[number / SYMMETRY_NB % OPENINGS.size()])
    stones.push_back(transformed(make_point(x, y), static_cast<int>(number % SYMMETRY_NB), size));
  return stones;
}

std::vector<Point> swap2_choice(const SearchResult& result, int stones) {
  const std::vector<Point>& pv = result.info.pv;
  if (pv.empty()) return {result.move};
  const Value value = result.info.value;
  if (stones == 3 && std::abs(value) <= EVEN && pv.size() > 1 && pv[0] != NO_POINT &&
      pv[1] != NO_POINT)
    return {pv[0], pv[1]};
  return value < 0 ? std::vector<Point>{} : std::vector<Point>{result.move};
}

}  // namespace tengen
