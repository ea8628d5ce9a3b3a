// SPDX-License-Identifier: MIT
// Mixnet as an Evaluator. The net's point of view is the side to move, so there are two
// accumulators; each is updated lazily, directly from its last state to the requested position.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "eval/evaluator.h"
#include "mixnet/heads.h"

namespace tengen::mixnet {

class MixnetEvaluator final : public Evaluator {
 public:
  /// One net per side to move, black first; they may be the same. Requires nets that support the
  /// board size.
  MixnetEvaluator(const Nets& nets, int size, const Kernels& kernels = mixnet::kernels());

  bool is_net() const override { return true; }
  void assign(const PatternBoard& patterns) override;
  void play(const PatternBoard& patterns, Point p, Colour colour) override;
  void undo() override;
  Value value(const PatternBoard& patterns, Colour side) override;
  /// Evaluates the last move without making it: siblings of a leaf need no undo.
  Value value_without_update(const PatternBoard& patterns, Colour side) override;
  void score_moves(const PatternBoard& patterns, Colour side, std::span<ScoredMove> moves) override;

 private:
  /// Number of stones to add, or to remove without undo, from which a refresh is faster. A refresh
  /// compares every pattern of the board, which pays off later for small nets.
  static constexpr size_t refresh_threshold(const Shape& shape) { return shape.c <= 32 ? 4 : 3; }

  struct Placed {
    u16 point;  ///< y * size + x
    u8 side;    ///< side_index of its colour

    bool operator==(const Placed&) const = default;
  };

  /// The net of one side, its sums, and the stones that they contain.
  struct View {
    View(std::shared_ptr<const Net> own, int size, const Kernels& kernels)
        : net(std::move(own)), heads(*net, kernels), sums(*net, size, kernels) {}

    std::shared_ptr<const Net> net;
    Heads heads;
    Accumulator sums;
    std::vector<Placed> stones;
    size_t shared = 0;  ///< lower bound of the stones shared with the position
  };

  /// The `cell_state` of Accumulator::add().
  static int cell_state_of(const Placed& stone, Colour side) {
    return stone.side == side_index(side) ? 1 : 2;
  }
  u16 index_of(Point p) const {
    return static_cast<u16>(((p >> 5) - MARGIN) * size_ + (p & (GRID - 1)) - MARGIN);
  }
  View& view_of(Colour side) { return views_[static_cast<size_t>(side_index(side))]; }
  /// Number of the position's first stones that the view shares.
  size_t shared_stones(View& view) const;
  /// The view of a side with the position's first `count` stones.
  View& with_stones(Colour side, size_t count);
  View& up_to_date(Colour side) { return with_stones(side, stones_.size()); }
  bool is_refresh_faster(const View& view, size_t shared, size_t count) const;

  int size_;
  std::vector<Placed> stones_;  ///< of the position, in order of play
  std::array<View, COLOUR_NB> views_;
  std::vector<u16> points_;  ///< buffer of score_moves()
  std::vector<i32> logits_;
  std::vector<Accumulator::StoneChange> changes_;  ///< buffer of up_to_date()
};

}  // namespace tengen::mixnet
