// SPDX-License-Identifier: MIT
// The feature sums of a position for one point of view, kept up to date stone by stone. Taking a
// stone away is the same as adding it with the rows exchanged, and leaves every bit as it was.
// Relies on net.h and kernels.h; the evaluator relies on it.
#pragma once

#include <span>

#include "mixnet/kernels.h"
#include "mixnet/net.h"
#include "mixnet/patterns.h"

namespace tengen::mixnet {

class Accumulator {
 public:
  Accumulator(const Net& net, int size, const Kernels& kernels);

  /// The empty board.
  void clear();
  /// A stone is put on, or taken off, a point (y * size + x). `digit` is 1 for the side whose point
  /// of view it is, 2 for the other.
  void add(int point, int digit) { change(point, digit); }
  void remove(int point, int digit) { change(point, -digit); }

  const Layout& layout() const { return layout_; }
  std::span<const i32> chunk(int which) const {
    return {&chunks_[static_cast<size_t>(which * channels_)], static_cast<size_t>(channels_)};
  }
  /// Sums of the convolution at a point, before the ReLU: c / 2 of them.
  const i16* conv(int point) const { return &conv_[static_cast<size_t>(point * channels_ / 2)]; }
  const i16* features(int point) const {
    return &features_[static_cast<size_t>(point * channels_)];
  }
  /// Numbers of the patterns: four for each point.
  std::span<const i32> patterns() const { return patterns_; }

  bool operator==(const Accumulator& other) const;

 private:
  void change(int point, int digit);

  const Net& net_;
  const Layout& layout_;
  const PatternSteps& steps_;
  int channels_;
  Kernels::Apply apply_;
  std::vector<i32> patterns_;
  std::vector<i16> features_, conv_;
  std::vector<i32> chunks_;
};

}  // namespace tengen::mixnet
