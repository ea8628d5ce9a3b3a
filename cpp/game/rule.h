// SPDX-License-Identifier: MIT
// Rules, stones and kinds of forbidden moves, as in docs/rules.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace tengen {

/// Contents of a cell. EDGE: a cell outside the board.
enum Stone : u8 { EMPTY = 0, BLACK = 1, WHITE = 2, EDGE = 3 };

/// A side is its stone: BLACK or WHITE.
using Colour = Stone;

inline constexpr int COLOUR_NB = 2;

/// Index of a side in arrays of two.
constexpr int side_index(Colour colour) { return colour - BLACK; }

constexpr Colour opponent(Colour colour) { return static_cast<Colour>(BLACK + WHITE - colour); }

/// The order is that of `tengen.Rule` in Python.
enum class Rule : u8 { FREESTYLE, STANDARD, RENJU, CARO, CARO6 };

inline constexpr int RULE_NB = 5;
inline constexpr std::array<std::string_view, RULE_NB> RULE_NAMES = {"freestyle", "standard",
                                                                     "renju", "caro", "caro6"};

inline std::string rule_name(Rule rule) {
  return std::string(RULE_NAMES[static_cast<size_t>(rule)]);
}

/// The rule of a name; nullopt if there is none.
inline std::optional<Rule> rule_of_name(std::string_view name) {
  for (size_t rule = 0; rule < RULE_NAMES.size(); ++rule)
    if (RULE_NAMES[rule] == name) return static_cast<Rule>(rule);
  return std::nullopt;
}

/// Why a point is forbidden to black in renju. If several apply, the first in this order is
/// reported.
enum class Forbidden : u8 { NONE, OVERLINE, DOUBLE_FOUR, DOUBLE_THREE };

inline constexpr std::array<std::string_view, 4> FORBIDDEN_NAMES = {"none", "overline",
                                                                    "double_four", "double_three"};

/// Only black in renju has forbidden moves.
constexpr bool has_forbidden_moves(Rule rule, Colour colour) {
  return rule == Rule::RENJU && colour == BLACK;
}

}  // namespace tengen
