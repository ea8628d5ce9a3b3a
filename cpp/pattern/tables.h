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
  /// By colour and ShapeSet.
  std::array<std::vector<Threat>, COLOUR_NB> threats;
  /// For the five cells on one side of a new stone (10 bits, nearest first): which of them are
  /// empty and can see the stone, one bit a cell, nearest first. Beyond the first black *and* the
  /// first white stone nobody sees it: every five, and the ends of every run, lie on this side of a
  /// stone of the other colour.
  std::array<u8, 1024> sees_stone_after;
  /// The same for the other side; the key's cells come farthest first there, and so do the bits.
  std::array<u8, 1024> sees_stone_before;
};

/// The tables of a rule, made on the first call. Thread-safe.
const PatternTables& pattern_tables(Rule rule);

}  // namespace tengen
