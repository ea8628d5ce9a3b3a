// SPDX-License-Identifier: MIT
// The `classical` evaluation: a sum of learned weights of shape combos at all empty points, plus a
// weight of the present threats. Tables are trained by scripts/classical, one file per rule.
//
//     value(S) = sum over empty points of own[S][combo of S] - opponent[O][combo of O]
//              + mask[S][threats] + bias[S]
//     score(S, p) = move_own[S][combo of S at p] + move_opponent[O][combo of O at p]
//
// S is to move, O its opponent. play() and undo() update the sums incrementally.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "eval/combo.h"
#include "eval/evaluator.h"

namespace tengen {

/// Threat groups of the mask; one bit per side and group.
inline constexpr int THREAT_GROUP_NB = 5;
inline constexpr int THREAT_MASK_NB = 1 << (2 * THREAT_GROUP_NB);

/// The tables of one rule, expanded for lookup. Immutable; shared by all evaluators.
struct ClassicalTables {
  /// Weight of a point for a colour: when it is to move, and when its opponent is.
  struct Pair {
    i16 to_move, waiting;
  };

  Rule rule = Rule::FREESTYLE;
  std::array<std::vector<Pair>, COLOUR_NB> value;                     ///< by colour and ShapeSet
  std::array<std::vector<Pair>, COLOUR_NB> move;                      ///< move scores
  std::array<std::array<i16, THREAT_MASK_NB>, COLOUR_NB> by_threats;  ///< by side to move and mask
  std::array<i16, COLOUR_NB> bias;

  /// Parses a table file (docs/classical.md). Throws std::invalid_argument if it is not valid for
  /// the rule.
  static std::shared_ptr<const ClassicalTables> parse(std::string_view bytes, Rule rule);
};

class ClassicalEvaluator final : public Evaluator {
 public:
  explicit ClassicalEvaluator(std::shared_ptr<const ClassicalTables> tables);

  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override { sums_.pop_back(); }
  Value value(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

 private:
  /// Sums of a colour over the empty points.
  struct Sum {
    i32 to_move = 0, waiting = 0;

    void add(ClassicalTables::Pair pair) {
      to_move += pair.to_move;
      waiting += pair.waiting;
    }
    void subtract(ClassicalTables::Pair pair) {
      to_move -= pair.to_move;
      waiting -= pair.waiting;
    }
  };
  using Sums = std::array<Sum, COLOUR_NB>;

  std::shared_ptr<const ClassicalTables> tables_;
  std::vector<Sums> sums_;  ///< stack: one entry for the root and one per play
};

/// Scores moves by table lookup alone.
void score_by_tables(const ClassicalTables& tables, const PatternBoard& patterns, Colour side,
                     std::span<ScoredMove> moves);

/// Threat groups of the side to move (low bits) and of its opponent (high bits).
int threat_mask(const PatternBoard& patterns, Colour side);

}  // namespace tengen
