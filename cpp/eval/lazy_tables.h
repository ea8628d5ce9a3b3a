// SPDX-License-Identifier: MIT
// Lazy tables: a fast evaluation trained to imitate a net. Inputs are the combos of `classical`,
// but each combo adds a row of sixteen numbers: the first is an evaluation, the others feed a small
// net. Trained on positions of the net's own searches and stored beside the net
// (docs/formats/guess.md).
//
//     lanes(S) = sum over empty points of to_move[S][combo of S] + waiting[O][combo of O]
//              + by_threats[S][mask]
//     value(S) = lanes[0] + second · max(0, first · max(0, lanes) + first_bias)
//
// S is to move, O its opponent. play() and undo() update the sums incrementally. Integer
// arithmetic, so values are the same on every machine.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "eval/classical.h"
#include "simd/simd.h"

namespace tengen {

/// The lazy tables of one net. Immutable; shared by all evaluators.
struct LazyTables {
  static constexpr int LANE_NB = simd::SmallNet::IN, HIDDEN_NB = simd::SmallNet::HIDDEN;
  /// Lanes are in 1/512; inputs of the first layer lose three bits, its sums ten.
  static constexpr int LANE_SHIFT = 3, FIRST_SHIFT = 10, SECOND_SHIFT = 16;

  using Lanes = std::array<i16, LANE_NB>;
  /// Contribution of an empty point for a colour, and the sums: by side to move, black first.
  struct alignas(64) Row {
    std::array<Lanes, COLOUR_NB> by_side;

    i16* words() { return by_side[0].data(); }
    const i16* words() const { return by_side[0].data(); }
  };
  static_assert(sizeof(Row) == simd::ROW_WORDS * sizeof(i16));
  /// Per side to move.
  struct Head {
    std::array<Lanes, THREAT_MASK_NB> by_threats;
    simd::SmallNet net;  ///< ignores the first lane
  };

  Rule rule = Rule::FREESTYLE;
  std::array<std::vector<Row>, COLOUR_NB> rows;  ///< by colour and combo
  std::array<Head, COLOUR_NB> heads;             ///< by side to move
  std::vector<u16> combos;                       ///< by ShapeSet

  /// The rule of a file, by its start. Throws std::invalid_argument.
  static Rule rule_of(std::string_view bytes);
  /// Parses a file. Throws std::invalid_argument if it is not valid for the rule.
  static std::shared_ptr<const LazyTables> parse(std::string_view bytes, Rule rule);
};

class LazyTablesEvaluator final : public Evaluator {
 public:
  /// Moves are scored by the classical tables.
  LazyTablesEvaluator(std::shared_ptr<const LazyTables> tables,
                      std::shared_ptr<const ClassicalTables> for_moves);

  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override { sums_.pop_back(); }
  Value value(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

 private:
  /// Row of a point with these shapes.
  const i16* row(Colour colour, u32 shape_set) const {
    return tables_->rows[static_cast<size_t>(side_index(colour))][tables_->combos[shape_set]]
        .words();
  }

  std::shared_ptr<const LazyTables> tables_;
  std::shared_ptr<const ClassicalTables> for_moves_;
  const simd::Ops& ops_;
  /// Stack: one entry for the root and one per play. Sums wrap modulo 2^16.
  std::vector<LazyTables::Row> sums_;
};

}  // namespace tengen
