// SPDX-License-Identifier: MIT
// The `classical` evaluation: every empty point adds a learned number for what each side could make
// there, and the threats that there are add another. Tables are learned by scripts/classical and
// come in a file for each rule. Relies on combo.h and evaluator.h.
//
//     value(S) = sum over empty points of own[S][combo of S] - opposing[O][combo of O]
//              + by_threats[S][mask] + bias[S]
//     score(S, p) = own_move[S][combo of S at p] + opposing_move[O][combo of O at p]
//
// S is to move, O its opponent. The sums are kept up to date by play and undo.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "eval/combo.h"
#include "eval/evaluator.h"

namespace tengen {

/// Groups of threats that the mask tells apart; one bit a side and group.
inline constexpr int THREAT_GROUP_NB = 5;
inline constexpr int THREAT_MASK_NB = 1 << (2 * THREAT_GROUP_NB);

/// The tables of one rule, spread out for quick use. Immutable; shared by all evaluators.
struct ClassicalTables {
  /// Contribution of a point for a colour: when it is to move, and when its opponent is.
  struct Pair {
    i16 to_move, waiting;
  };

  Rule rule = Rule::FREESTYLE;
  std::array<std::vector<Pair>, COLOUR_NB> value;  ///< by colour and ShapeSet
  std::array<std::vector<Pair>, COLOUR_NB> move;   ///< the same for the scores of moves
  std::array<std::array<i16, THREAT_MASK_NB>, COLOUR_NB> by_threats;  ///< by side to move and mask
  std::array<i16, COLOUR_NB> bias;

  /// Reads a file's bytes (docs/classical.md). Throws std::invalid_argument with a sentence
  /// if they are not tables for the rule.
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
  /// The two sums of each colour over the empty points.
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
  std::vector<Sums> sums_;  ///< a stack: of the position, and after each play
};

/// Scores moves by the tables alone: no sums are needed.
void score_by_tables(const ClassicalTables& tables, const PatternBoard& patterns, Colour side,
                     std::span<ScoredMove> moves);

/// Which threat groups the side to move (low bits) and its opponent (high bits) have.
int threat_mask(const PatternBoard& patterns, Colour side);

}  // namespace tengen
