// SPDX-License-Identifier: MIT
// Point scores of the classical paper: the values of its nine shapes (Table 1), the mapping from
// the shapes of cpp/pattern, and the value of a position. See docs/evaluation.md.
#pragma once

#include <array>

#include "eval/value.h"
#include "pattern/tables.h"

namespace tengen {

/// Score of a stone on one line, by Shape. Requires that the shape is not forbidden (see
/// PointScoreTables). ONE to FOUR are the paper's sleeping shapes, the open ones its live shapes.
inline constexpr std::array<Value, SHAPE_NB> SHAPE_SCORES = {
    0,           // NONE: no five is possible through the stone
    1,           // ONE
    10,          // OPEN_ONE
    10,          // TWO
    100,         // OPEN_TWO
    100,         // THREE
    1'000,       // OPEN_THREE
    10'000,      // FOUR
    100'000,     // DOUBLE_FOUR: like an open four, one stone does not stop it
    100'000,     // OPEN_FOUR
    0,           // OVERLINE: does not win
    10'000'000,  // FIVE
};

/// Scores of both colours in one word: black in the low half, white in the high half. Words may be
/// added and subtracted while both results are within 0 to 2^32 - 1.
using ScorePair = u64;

constexpr Value score_of(ScorePair pair, Colour colour) {
  return static_cast<Value>(pair >> (32 * side_index(colour)));
}

constexpr ScorePair make_scores(Value black, Value white) {
  return static_cast<ScorePair>(black) | (static_cast<ScorePair>(white) << 32);
}

/// Maps line keys to scores for one rule, and gives the cells that a new stone affects. A key
/// leaves out its middle cell, so the score is the same for an existing and a possible stone.
struct PointScoreTables {
  explicit PointScoreTables(Rule rule);

  /// Scores of both colours on the key's line. Two lookups, since 2^20 words do not fit into a
  /// cache.
  ScorePair scores(LineKey key) const { return by_shapes[shapes[key]]; }

  Rule rule;
  /// Maximum distance at which a stone affects a score: 4 in freestyle (the paper's star), 5
  /// elsewhere because of overlines.
  int reach;
  const ShapePair* shapes;  ///< by LineKey: pattern_tables(rule).shapes
  /// By ShapePair. Shapes forbidden to black on one line (double four, overline) score 0.
  std::array<ScorePair, 256> by_shapes{};
  /// Cells of the paper's blocked scan among the five after a new stone, by their contents (half a
  /// key); one bit per cell, nearest first. The scan of a colour ends at the first opposing stone,
  /// the edge, or `reach`; a cell counts if a colour's scan reaches it and the colour can have a
  /// score there.
  std::array<u8, HALF_KEY_NB> scan_after{};
  /// The same for the five cells before the stone: farthest first, in the key and in the bits.
  std::array<u8, HALF_KEY_NB> scan_before{};
};

/// The tables of a rule, created on the first call. Thread-safe.
const PointScoreTables& point_score_tables(Rule rule);

/// The paper's r in v = s1 - r * s2, in per cent. The paper states it twice, with opposite signs;
/// this is the statement that its argument supports (docs/evaluation.md).
constexpr int enemy_percent(bool agent_to_move) { return agent_to_move ? 95 : 105; }

/// The paper's v = s1 - r * s2 for the agent: r * s2 is rounded half up, and v clamped to the
/// evaluation range. Requires non-negative scores.
constexpr Value point_score_value(i64 agent, i64 enemy, bool agent_to_move) {
  return clamp_eval(agent - (enemy * enemy_percent(agent_to_move) + 50) / 100);
}

}  // namespace tengen
