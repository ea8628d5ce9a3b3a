// SPDX-License-Identifier: MIT
// A net ready for evaluation: codebooks, and the weights of the heads in the order in which the
// kernels read them. Immutable, so evaluators share it.
#pragma once

#include <array>
#include <memory>

#include "base/aligned_vector.h"
#include "mixnet/bake.h"
#include "mixnet/kernels.h"

namespace tengen::mixnet {

/// A layer as the kernels read it:
/// [out / LAYER_WIDTH][in / group][LAYER_WIDTH][group], with padded outputs.
template <typename W, int GROUP>
struct Packed {
  Packed() = default;
  template <typename Source>
  explicit Packed(const Layer<Source, i32>& layer);

  int in = 0, out = 0;
  AlignedVector<W> weights;
  bool fits_i16 = false;  ///< see ByteWeights; only for i8 weights
  AlignedVector<i32> bias;
};

using PackedBytes = Packed<i8, 4>;
using PackedWords = Packed<i16, 2>;

/// See ByteWeights::fits_i16.
bool weights_fit_i16(const ByteLayer& layer);

struct Star {
  int in = 0, out = 0;
  /// Up, then gate, 4 in outputs; of each the even ones first, as their products need them.
  PackedBytes both;
  PackedWords down;
  PackedBytes down_bytes;  ///< the same in another order
};

class Net {
 public:
  /// From weights and the codebooks baked from them.
  Net(const Weights& weights, Codebooks books);
  /// Bakes the codebooks. Throws std::runtime_error if their checksum is not that of the net file.
  explicit Net(const Weights& weights, int threads = 0)
      : Net(weights, bake(weights, {.threads = threads})) {}

  const Shape& shape() const { return shape_; }
  /// Features of a pattern, c of them, of a row or column (0, 1) or a diagonal (2, 3).
  const i16* row(int direction, i32 pattern) const {
    return &books_[static_cast<size_t>(direction >> 1)]
                  [static_cast<size_t>(pattern) * static_cast<size_t>(shape_.c)];
  }
  const Codebooks& codebooks() const { return books_; }
  const Codebook& codebook(int which) const { return books_[static_cast<size_t>(which)]; }
  bool supports(int rule, int size) const { return rules_ >> rule & 1 && sizes_ >> size & 1; }

  AlignedVector<i16> conv_weights;  ///< [9][c / 2]
  AlignedVector<i16> conv_bias;
  PackedBytes policy_hidden, policy_dynamic;
  std::array<i16, Shape::POLICY_OUTPUTS> policy_weights;
  i32 policy_bias;
  std::array<Star, 4> stars;  ///< corner, edge, centre, quad
  std::array<PackedBytes, 3> value;

 private:
  Shape shape_;
  u16 rules_;
  u32 sizes_;
  Codebooks books_;
};

/// One net per side to move, black first; they may be the same.
using Nets = std::array<std::shared_ptr<const Net>, 2>;

}  // namespace tengen::mixnet
