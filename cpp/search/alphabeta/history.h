// SPDX-License-Identifier: MIT
// Move-ordering statistics of one worker: butterfly history, continuation histories (1 and 2 plies
// back) and counter moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "game/point.h"
#include "game/rule.h"

namespace tengen {

/// A history value in [-LIMIT, LIMIT]; updates shrink as it approaches the bounds.
class HistoryEntry {
 public:
  static constexpr int LIMIT = 8192;

  operator int() const { return value_; }  // NOLINT: reads like the number it is
  void add(int bonus) {
    bonus = std::clamp(bonus, -LIMIT, LIMIT);
    value_ = static_cast<i16>(value_ + bonus - value_ * std::abs(bonus) / LIMIT);
  }

 private:
  i16 value_ = 0;
};

/// Point index without margin; the last index means "no move".
inline constexpr int BOARD_INDEX_NB = MAX_SIZE * MAX_SIZE + 1;
constexpr int board_index(Point p) {
  return p == NO_POINT ? BOARD_INDEX_NB - 1 : y_of(p) * MAX_SIZE + x_of(p);
}

/// Scores of moves that follow one given move.
using ContinuationHistory = std::array<HistoryEntry, BOARD_INDEX_NB>;

class History {
 public:
  History()
      : continuation1_(std::make_unique<ContinuationTable>()),
        continuation2_(std::make_unique<ContinuationTable>()) {}

  void clear() {
    for (auto& side : moves_) side.fill({});
    for (ContinuationTable* table : {continuation1_.get(), continuation2_.get()})
      for (auto& side : *table)
        for (ContinuationHistory& row : side) row.fill({});
    for (auto& side : counter_moves_) side.fill(NO_POINT);
  }

  HistoryEntry& move(Colour side, Point p) { return moves_[side_index(side)][board_index(p)]; }
  /// 1-ply continuation history: moves of `side` after the opponent's move `last`.
  ContinuationHistory& continuation1(Colour side, Point last) {
    return (*continuation1_)[side_index(side)][board_index(last)];
  }
  /// 2-ply continuation history: moves of `side` after its own previous move.
  ContinuationHistory& continuation2(Colour side, Point own) {
    return (*continuation2_)[side_index(side)][board_index(own)];
  }
  /// The last move of `side` that refuted `last`.
  Point& counter_move(Colour side, Point last) {
    return counter_moves_[side_index(side)][board_index(last)];
  }

 private:
  using ContinuationTable = std::array<std::array<ContinuationHistory, BOARD_INDEX_NB>, COLOUR_NB>;

  std::array<std::array<HistoryEntry, BOARD_INDEX_NB>, COLOUR_NB> moves_{};
  std::unique_ptr<ContinuationTable> continuation1_, continuation2_;
  std::array<std::array<Point, BOARD_INDEX_NB>, COLOUR_NB> counter_moves_{};
};

}  // namespace tengen
