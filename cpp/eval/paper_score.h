// SPDX-License-Identifier: MIT
// The point scores of the classical paper: what its nine shapes are worth (its Table 1), which of
// our shapes is which of the nine, and how two whole-scores become a value. docs/evaluation.md
// gives the reasons. Relies on pattern; paper_board.h keeps the scores of a position.
#pragma once

#include <array>

#include "eval/value.h"
#include "pattern/tables.h"

namespace tengen {

/// Score of a stone on one line, by Shape. Requires that the shape is not forbidden (see
/// PaperTables). Our ONE … FOUR are the paper's sleeping shapes, our open ones its live ones.
inline constexpr std::array<Value, SHAPE_NB> SHAPE_SCORES = {
    0,           // NONE: no five can ever go through the stone
    1,           // ONE
    10,          // OPEN_ONE
    10,          // TWO
    100,         // OPEN_TWO
    100,         // THREE
    1'000,       // OPEN_THREE
    10'000,      // FOUR
    100'000,     // DOUBLE_FOUR: as little to be stopped by one stone as an open four
    100'000,     // OPEN_FOUR
    0,           // OVERLINE: does not win, and nothing can be made of it
    10'000'000,  // FIVE
};

/// Scores of both colours in one word: black's in the low half, white's in the high half. Words may
/// be added and subtracted, as long as both colours' results are from 0 to 2^32 - 1.
using ScorePair = u64;

constexpr Value score_of(ScorePair pair, Colour colour) {
  return static_cast<Value>(pair >> (32 * side_index(colour)));
}

constexpr ScorePair make_scores(Value black, Value white) {
  return static_cast<ScorePair>(black) | (static_cast<ScorePair>(white) << 32);
}

/// From line keys to scores, for one rule, and which cells of a line a new stone can concern.
/// A key leaves out its middle, so its score is that of a stone that is there as well as that of
/// one that would be there.
struct PaperTables {
  explicit PaperTables(Rule rule);

  /// Scores of both colours' stones on the key's line. Two steps, since 2^20 words would not stay
  /// in a cache.
  ScorePair scores(LineKey key) const { return by_shapes[shapes[key]]; }

  Rule rule;
  /// How far a stone can matter: no score depends on a cell farther away. In freestyle 4 (the
  /// paper's star of nine), elsewhere 5, for the stone that would make six of five.
  int reach;
  const ShapePair* shapes;  ///< by LineKey: pattern_tables(rule).shapes
  /// By ShapePair. What renju forbids to black on one line (two fours, an overline) scores 0.
  std::array<ScorePair, 256> by_shapes{};
  /// The cells that the paper's blocked scan finds among the five after a new stone, by what they
  /// hold (half a key); one bit a cell, nearest first. A colour's scan ends at the first opposing
  /// stone, at the edge, or at `reach`; a cell counts if the scan of some colour gets to it and
  /// that colour can have a score there.
  std::array<u8, HALF_KEY_NB> scan_after{};
  /// The same for the five before the stone: farthest first, in the key and in the bits.
  std::array<u8, HALF_KEY_NB> scan_before{};
};

/// The tables of a rule, made on the first call. Thread-safe.
const PaperTables& paper_tables(Rule rule);

/// The two things that the paper says about the multiplier r in v = s1 - r * s2.
enum class FirstHand : u8 {
  ARGUMENT,  ///< r = 0.95 if the agent is to move, 1.05 if its enemy is
  PRACTICE,  ///< the other way round
};

/// The one we hold to be meant, and the only place that decides.
inline constexpr FirstHand FIRST_HAND = FirstHand::ARGUMENT;

/// The paper's r, in hundredths.
constexpr int enemy_percent(bool agent_to_move, FirstHand reading = FIRST_HAND) {
  return agent_to_move == (reading == FirstHand::ARGUMENT) ? 95 : 105;
}

/// The paper's v = s1 - r * s2, for the agent: r * s2 is rounded to the nearest whole number,
/// halves up, and v clamped to what an evaluator may say. Requires whole-scores that are not
/// negative.
constexpr Value paper_value(i64 agent, i64 enemy, bool agent_to_move,
                            FirstHand reading = FIRST_HAND) {
  return clamp_eval(agent - (enemy * enemy_percent(agent_to_move, reading) + 50) / 100);
}

}  // namespace tengen
