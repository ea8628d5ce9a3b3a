// SPDX-License-Identifier: MIT
// What a search wants of an evaluation: a value, and scores for moves. Relies on pattern; searches
// know evaluators through this interface alone.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "eval/value.h"
#include "pattern/pattern_board.h"

namespace tengen {

/// A move and how promising it is; the larger the score, the better.
struct ScoredMove {
  Point point;
  i32 score;
};

/// Several positions evaluated at once, where that is quicker than one after another. Belongs to
/// one thread, as the evaluator does that it comes from, and has nothing to do with its position.
class BatchedEvaluator {
 public:
  virtual ~BatchedEvaluator() = default;

  /// Adds a position with `side` to move: its place in the batch. Requires what value() does.
  virtual size_t add(const PatternBoard& patterns, Colour side) = 0;
  /// Evaluates the batch; the next add() begins another one. Nothing to do if it is empty.
  virtual void run() = 0;
  /// As of Evaluator, for a place of the batch that was evaluated last.
  virtual Value value_at(size_t place) const = 0;
  virtual void score_moves_at(size_t place, std::span<ScoredMove> moves) const = 0;
};

/// Follows the moves of one position. An evaluator belongs to one thread; what many of them share
/// (tables, weights) is immutable. None of the calls blocks or allocates once a game is under way.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// Whether it is a net: searches have other margins for those.
  virtual bool is_net() const { return false; }

  /// A new position; `patterns` are its patterns.
  virtual void assign(const PatternBoard& patterns) = 0;
  /// A stone of the colour was put on p; `patterns` are those after it.
  virtual void play(const PatternBoard& patterns, Point p, Colour colour) = 0;
  /// The last play is taken back.
  virtual void undo() = 0;

  /// Value for `side`, who is to move. Requires that neither side can make a five. Never a mate.
  virtual Value value(const PatternBoard& patterns, Colour side) = 0;
  /// The same where most likely nothing else will be asked, neither of this position nor of those
  /// after it: some are quicker so.
  virtual Value leaf_value(const PatternBoard& patterns, Colour side) {
    return value(patterns, side);
  }
  /// A quick guess at value(), where there is one that is much quicker; else NO_VALUE.
  virtual Value rough_value(const PatternBoard&, Colour) { return NO_VALUE; }
  /// Where positions are evaluated several at once, if that is quicker; else nullptr.
  virtual BatchedEvaluator* batched() { return nullptr; }
  /// Fills in the scores of the moves, which are empty points, for `side`, who is to move. The unit
  /// is that of value(); only differences count.
  virtual void score_moves(const PatternBoard& patterns, Colour side,
                           std::span<ScoredMove> moves) = 0;
  /// The same, quickly where there is a way: for moves of which there are few, all of them forced.
  virtual void rough_score_moves(const PatternBoard& patterns, Colour side,
                                 std::span<ScoredMove> moves) {
    score_moves(patterns, side, moves);
  }
};

/// Searches make one for each of their threads.
using MakeEvaluator = std::function<std::unique_ptr<Evaluator>()>;

}  // namespace tengen
