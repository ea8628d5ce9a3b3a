// SPDX-License-Identifier: MIT
#include "eval/point_score.h"

#include <memory>
#include <mutex>

namespace tengen {

namespace {

Value shape_score(Rule rule, Colour colour, Shape shape) {
  const bool forbidden = has_forbidden_moves(rule, colour) && shape == Shape::DOUBLE_FOUR;
  return forbidden ? 0 : SHAPE_SCORES[static_cast<int>(shape)];
}

/// Blocked scan over five cells; `cell(n)` is n + 1 steps from the new stone. Returns one bit per
/// cell that counts.
template <typename Cell>
u32 blocked_scan(int reach, Cell cell) {
  u32 mask = 0;
  bool scans_black = true, scans_white = true;
  for (int n = 0; n < reach && cell(n) != EDGE; ++n) {
    const Stone here = cell(n);
    const bool counts = (scans_black && here != WHITE) || (scans_white && here != BLACK);
    mask |= u32{counts} << n;
    scans_black = scans_black && here != WHITE;
    scans_white = scans_white && here != BLACK;
  }
  return mask;
}

}  // namespace

PointScoreTables::PointScoreTables(Rule r)
    : rule(r), reach(r == Rule::FREESTYLE ? 4 : 5), shapes(pattern_tables(r).shapes.data()) {
  for (int black = 0; black < SHAPE_NB; ++black)
    for (int white = 0; white < SHAPE_NB; ++white) {
      const auto b = static_cast<Shape>(black), w = static_cast<Shape>(white);
      by_shapes[make_pair_of(b, w)] =
          make_scores(shape_score(rule, BLACK, b), shape_score(rule, WHITE, w));
    }
  for (u32 half = 0; half < HALF_KEY_NB; ++half) {
    const auto outwards = [half](int n) { return key_stone(half, n); };
    const auto inwards = [half](int n) { return key_stone(half, KEY_REACH - 1 - n); };
    scan_after[half] = static_cast<u8>(blocked_scan(reach, outwards));
    const u32 nearest_first = blocked_scan(reach, inwards);
    for (int n = 0; n < KEY_REACH; ++n)
      if (nearest_first >> n & 1) scan_before[half] |= static_cast<u8>(1 << (KEY_REACH - 1 - n));
  }
}

const PointScoreTables& point_score_tables(Rule rule) {
  static std::array<std::once_flag, RULE_NB> once;
  static std::array<std::unique_ptr<const PointScoreTables>, RULE_NB> tables;
  const auto i = static_cast<size_t>(rule);
  std::call_once(once[i], [&] { tables[i] = std::make_unique<const PointScoreTables>(rule); });
  return *tables[i];
}

}  // namespace tengen
