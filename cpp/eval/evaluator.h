// SPDX-License-Identifier: MIT
// The evaluator interface: a value of a position and scores of moves. Searches use evaluators only
// through it.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "eval/value.h"
#include "pattern/pattern_board.h"

namespace tengen {

/// A move and its ordering score; larger is better.
struct ScoredMove {
  Point point;
  i32 score;
};

/// Evaluates several positions at once if that is faster. Belongs to one thread, like its
/// evaluator; independent of the evaluator's position.
class BatchedEvaluator {
 public:
  virtual ~BatchedEvaluator() = default;

  /// Adds a position with `side` to move; returns its place in the batch. Requirements as for
  /// value().
  virtual size_t add(const PatternBoard& patterns, Colour side) = 0;
  /// Evaluates the batch; the next add() starts a new one.
  virtual void run() = 0;
  /// Results of the last batch, by place.
  virtual Value value_at(size_t place) const = 0;
  virtual void score_moves_at(size_t place, std::span<ScoredMove> moves) const = 0;
};

/// Follows the moves of one position. An evaluator belongs to one thread; shared data (tables,
/// weights) is immutable. No call blocks or allocates during a game.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Whether it is a net: searches use other parameters for nets.
  virtual bool is_net() const { return false; }

  /// Sets a new position with these patterns.
  virtual void assign(const PatternBoard& patterns) = 0;
  /// A stone was played at p; `patterns` are those after it.
  virtual void play(const PatternBoard& patterns, Point p, Colour colour) = 0;
  /// Undoes the last play.
  virtual void undo() = 0;

  /// Value for `side`, the side to move. Requires that neither side can make a five. Never a mate.
  virtual Value value(const PatternBoard& patterns, Colour side) = 0;
  /// The same for a position whose children and policy are unlikely to be evaluated; some
  /// evaluators are faster then.
  virtual Value value_without_update(const PatternBoard& patterns, Colour side) {
    return value(patterns, side);
  }
  /// Fast estimate of value(); NO_VALUE if there is none.
  virtual Value lazy_value(const PatternBoard&, Colour) { return NO_VALUE; }
  /// Batched evaluation if that is faster, else nullptr.
  virtual BatchedEvaluator* batched() { return nullptr; }
  /// Scores moves (empty points) for `side`, the side to move. The unit is that of value(); only
  /// differences matter.
  virtual void score_moves(const PatternBoard& patterns, Colour side,
                           std::span<ScoredMove> moves) = 0;
  /// The same by the fast estimate if there is one; for small sets of forced moves.
  virtual void lazy_score_moves(const PatternBoard& patterns, Colour side,
                                std::span<ScoredMove> moves) {
    score_moves(patterns, side, moves);
  }
};

/// Called once per search thread.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>()>;

}  // namespace tengen
