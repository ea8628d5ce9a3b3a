// SPDX-License-Identifier: MIT
// What a worker learns about moves while it searches: how often they were good, alone and as
// replies. Relies on game; move_picker.h and worker.h rely on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "game/point.h"
#include "game/rule.h"

namespace tengen {

/// A number that moves towards +-LIMIT by boni, more slowly the nearer it is.
class HistoryCell {
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

/// Points packed without the margin; the last number stands for "no move".
inline constexpr int DENSE_NB = MAX_SIZE * MAX_SIZE + 1;
constexpr int dense(Point p) { return p == NO_POINT ? DENSE_NB - 1 : y_of(p) * MAX_SIZE + x_of(p); }

/// Scores of moves that follow one given move.
using Continuation = std::array<HistoryCell, DENSE_NB>;

class History {
 public:
  History() : replies_(std::make_unique<Replies>()), sequels_(std::make_unique<Replies>()) {}

  void clear() {
    for (auto& side : moves_) side.fill({});
    for (Replies* table : {replies_.get(), sequels_.get()})
      for (auto& side : *table)
        for (Continuation& row : side) row.fill({});
    for (auto& side : counters_) side.fill(NO_POINT);
  }

  HistoryCell& move(Colour side, Point p) { return moves_[side_index(side)][dense(p)]; }
  /// Moves of `side` that answer the opponent's move `last`.
  Continuation& replies(Colour side, Point last) {
    return (*replies_)[side_index(side)][dense(last)];
  }
  /// Moves of `side` two plies after its own move.
  Continuation& sequels(Colour side, Point own) {
    return (*sequels_)[side_index(side)][dense(own)];
  }
  /// The last move of `side` that refuted `last`.
  Point& counter(Colour side, Point last) { return counters_[side_index(side)][dense(last)]; }

 private:
  using Replies = std::array<std::array<Continuation, DENSE_NB>, COLOUR_NB>;

  std::array<std::array<HistoryCell, DENSE_NB>, COLOUR_NB> moves_{};
  std::unique_ptr<Replies> replies_, sequels_;
  std::array<std::array<Point, DENSE_NB>, COLOUR_NB> counters_{};
};

}  // namespace tengen
