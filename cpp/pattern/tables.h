// SPDX-License-Identifier: MIT
// Pattern tables of one rule: from a line key to the shapes of both colours, and from four shapes
// to a threat. Generated from the referee on first use (tens of milliseconds per rule), then
// immutable and shared.
#pragma once

#include <array>
#include <vector>

#include "game/rule.h"
#include "pattern/line.h"
#include "pattern/shape.h"

namespace tengen {

/// Four shapes of one colour, four bits per direction.
using ShapeSet = u16;

struct PatternTables {
  explicit PatternTables(Rule rule);

  Rule rule;
  /// By LineKey. Impossible keys (board cells beyond an edge) have 0.
  std::vector<ShapePair> shapes;
  /// By colour and ShapeSet. The threat is in its colour's half of the pair, so that both can be
  /// combined by OR.
  std::array<std::vector<ThreatPair>, COLOUR_NB> threats;
  /// Empty cells among the five after a new stone whose shapes the stone can change. By colour of
  /// the stone and contents of the cells (half a key); one bit per cell, nearest first.
  std::array<std::array<u8, HALF_KEY_NB>, COLOUR_NB> affected_after{};
  /// The same for the five cells before the stone: farthest first, in the key and in the bits.
  std::array<std::array<u8, HALF_KEY_NB>, COLOUR_NB> affected_before{};

 private:
  void find_affected_cells(LineKey key);
};

/// The tables of a rule, created on the first call. Thread-safe.
const PatternTables& pattern_tables(Rule rule);

}  // namespace tengen
