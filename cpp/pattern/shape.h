// SPDX-License-Identifier: MIT
// What a stone would make: a Shape on one line, a Threat on all four lines together.
#pragma once

#include <array>
#include <string_view>

#include "base/types.h"
#include "game/rule.h"

namespace tengen {

/// What a colour's stone on an empty point would make on one line. Does not check whether black in
/// renju may play the stones that complete a three. Four bits; the order is that of `tengen.Shape`.
enum class Shape : u8 {
  NONE,
  ONE,          ///< one more stone on the line would make a TWO
  OPEN_ONE,     ///< … an OPEN_TWO
  TWO,          ///< … a THREE
  OPEN_TWO,     ///< … an OPEN_THREE
  THREE,        ///< … a FOUR
  OPEN_THREE,   ///< … an OPEN_FOUR, or a DOUBLE_FOUR where that is not forbidden
  FOUR,         ///< one stone stops it
  DOUBLE_FOUR,  ///< two fours in one line: X.XXX.X
  OPEN_FOUR,    ///< .XXXX.
  OVERLINE,     ///< six or more that do not win
  FIVE,         ///< a win
};

inline constexpr int SHAPE_NB = 12;
inline constexpr std::array<std::string_view, SHAPE_NB> SHAPE_NAMES = {
    "none",       "one",  "open_one",    "two",       "open_two", "three",
    "open_three", "four", "double_four", "open_four", "overline", "five"};

/// What a colour's stone on an empty point would make on all lines. Ordered by urgency from TWO on,
/// so that "at least FOUR" finds every four that may be legal. For black in renju, DOUBLE_THREE and
/// FOUR_DOUBLE_THREE may be forbidden or not; PatternBoard::forbidden decides.
enum class Threat : u8 {
  NONE,
  FORBIDDEN,  ///< black in renju: overline or double-four, certain by shapes alone
  TWO,
  OPEN_TWO,
  THREE,
  OPEN_THREE,
  DOUBLE_THREE,  ///< open threes on two or more lines
  FOUR,
  FOUR_THREE,         ///< a four and an open three
  FOUR_DOUBLE_THREE,  ///< black in renju: a four, open or not, and apparent threes on two lines
  DOUBLE_FOUR,        ///< two or more fours, on one line or several
  OPEN_FOUR,
  FIVE,
};

inline constexpr int THREAT_NB = 13;
inline constexpr std::array<std::string_view, THREAT_NB> THREAT_NAMES = {
    "none",        "forbidden",    "two",  "open_two",   "three",
    "open_three",  "double_three", "four", "four_three", "four_double_three",
    "double_four", "open_four",    "five"};

/// Shapes or threats of both colours in one byte: black's in the low four bits, white's in the high
/// four.
using ShapePair = u8;
using ThreatPair = u8;

constexpr Shape shape_of(ShapePair pair, Colour colour) {
  return static_cast<Shape>(colour == BLACK ? pair & 15 : pair >> 4);
}

constexpr Threat threat_of(ThreatPair pair, Colour colour) {
  return static_cast<Threat>(colour == BLACK ? pair & 15 : pair >> 4);
}

/// Requires a Shape or a Threat.
template <typename Class>
constexpr u8 make_pair_of(Class black, Class white) {
  return static_cast<u8>(static_cast<u8>(black) | (static_cast<u8>(white) << 4));
}

}  // namespace tengen
