// SPDX-License-Identifier: MIT
// The guess: a quick evaluation that imitates a net, for the many positions of a search where an
// exact value would change nothing. It sees what `classical` sees, a combo for each empty point and
// colour, but each combo adds a row of sixteen numbers, of which the first are points and the
// others go through a small net. Tables are learned from a net's own searches by
// tengen.export.guess and lie beside the net (docs/formats/guess.md). Relies on classical.h and
// simd.
//
//     lanes(S) = sum over empty points of to_move[S][combo of S] + waiting[O][combo of O]
//              + by_threats[S][mask]
//     value(S) = lanes[0] + second · max(0, first · max(0, lanes) + first_bias)
//
// S is to move, O its opponent. The sums are kept up to date by play and undo. All numbers are
// whole, so a guess is the same on every machine.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "eval/classical.h"
#include "simd/simd.h"

namespace tengen {

/// The tables of one net's guesses, ready for use. Immutable; shared by all evaluators.
struct GuessTables {
  static constexpr int LANE_NB = simd::SmallNet::IN, HIDDEN_NB = simd::SmallNet::HIDDEN;
  /// Lanes are 1/512; before the first layer they lose three bits, its sums ten.
  static constexpr int LANE_SHIFT = 3, FIRST_SHIFT = 10, SECOND_SHIFT = 16;

  using Lanes = std::array<i16, LANE_NB>;
  /// What an empty point adds for a colour, and sums: by side to move, black first.
  struct alignas(64) Row {
    std::array<Lanes, COLOUR_NB> by_side;

    i16* words() { return by_side[0].data(); }
    const i16* words() const { return by_side[0].data(); }
  };
  static_assert(sizeof(Row) == simd::ROW_WORDS * sizeof(i16));
  /// For one side to move.
  struct Head {
    std::array<Lanes, THREAT_MASK_NB> by_threats;
    simd::SmallNet net;  ///< does not read the first lane
  };

  Rule rule = Rule::FREESTYLE;
  std::array<std::vector<Row>, COLOUR_NB> rows;  ///< by colour and combo
  std::array<Head, COLOUR_NB> heads;             ///< by side to move
  std::vector<u16> combos;                       ///< by ShapeSet

  /// Reads a file's bytes. Throws std::invalid_argument with a sentence if they are not tables for
  /// the rule.
  static std::shared_ptr<const GuessTables> parse(std::string_view bytes, Rule rule);
};

class GuessEvaluator final : public Evaluator {
 public:
  /// Moves are scored by the classical tables.
  GuessEvaluator(std::shared_ptr<const GuessTables> tables,
                 std::shared_ptr<const ClassicalTables> for_moves);

  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override { sums_.pop_back(); }
  Value value(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

 private:
  /// What a point with such shapes adds for the colour.
  const i16* row(Colour colour, u32 shape_set) const {
    return tables_->rows[static_cast<size_t>(side_index(colour))][tables_->combos[shape_set]]
        .words();
  }

  std::shared_ptr<const GuessTables> tables_;
  std::shared_ptr<const ClassicalTables> for_moves_;
  const simd::Ops& ops_;
  /// A stack: of the position, and after each play. Sums may overflow on the way: what counts is
  /// the rest modulo 2^16.
  std::vector<GuessTables::Row> sums_;
};

}  // namespace tengen
