// SPDX-License-Identifier: MIT
// The tables behind the patterns of one rule: from a line key to the shapes both colours would
// make, and from four shapes to a threat. Generated from the referee on first use (some tens of
// milliseconds a rule), then immutable and shared. Relies on game and line.h.
#pragma once

#include <array>
#include <vector>

#include "game/rule.h"
#include "pattern/line.h"
#include "pattern/shape.h"

namespace tengen {

/// Four shapes of one colour, four bits a direction.
using ShapeSet = u16;

struct PatternTables {
  explicit PatternTables(Rule rule);

  Rule rule;
  /// By LineKey. Keys that cannot occur (an edge with board beyond it) hold 0.
  std::vector<ShapePair> shapes;
  /// By colour and ShapeSet. The threat stands in its own half of the pair, so that those of both
  /// colours need only be joined.
  std::array<std::vector<ThreatPair>, COLOUR_NB> threats;
  /// Which of the five cells after a new stone see it: those empty cells whose shapes the stone can
  /// change. By colour of the stone and by what the cells hold (half a key); one bit a cell,
  /// nearest first. Read off the shapes, so nothing that matters is left out.
  std::array<std::array<u8, HALF_KEY_NB>, COLOUR_NB> sees_stone_after{};
  /// The same for the five cells before the stone. There a key has the farthest first, and so have
  /// the bits.
  std::array<std::array<u8, HALF_KEY_NB>, COLOUR_NB> sees_stone_before{};

 private:
  void find_seeing_cells(LineKey key);
};

/// The tables of a rule, made on the first call. Thread-safe.
const PatternTables& pattern_tables(Rule rule);

}  // namespace tengen
