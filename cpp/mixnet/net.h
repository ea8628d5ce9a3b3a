// SPDX-License-Identifier: MIT
// A net ready to run: codebooks, and the weights of the heads in the order in which the kernels
// read them. Immutable, and shared by all who use it. Relies on bake.h and kernels.h.
#pragma once

#include <array>
#include <memory>

#include "base/aligned_vector.h"
#include "mixnet/bake.h"
#include "mixnet/kernels.h"

namespace tengen::mixnet {

/// A layer as the kernels read it:
/// [out / LAYER_WIDTH][in / group][LAYER_WIDTH][group], with the outputs filled up.
template <typename W, int GROUP>
struct Packed {
  Packed() = default;
  template <typename Source>
  explicit Packed(const Layer<Source, i32>& layer);

  int in = 0, out = 0;
  AlignedVector<W> weights;
  bool light = false;  ///< see ByteWeights; of bytes alone
  AlignedVector<i32> bias;
};

using PackedBytes = Packed<i8, 4>;
using PackedWords = Packed<i16, 2>;

/// Whether the weights are light: see ByteWeights.
bool is_light(const ByteLayer& layer);

struct Star {
  int in = 0, out = 0;
  /// Up, then gate, 4 in outputs; of each the even ones first, as their products want them.
  PackedBytes both;
  PackedWords down;
  PackedBytes down_bytes;  ///< the same in another order
};

class Net {
 public:
  /// Of weights and the codebooks that are baked from them.
  Net(const Weights& weights, Codebooks books);
  /// Bakes what the file's weights say. Throws std::runtime_error if the codebooks are not what the
  /// file promises.
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
  bool fits(int rule, int size) const { return rules_ >> rule & 1 && sizes_ >> size & 1; }

  AlignedVector<i16> conv_taps;  ///< [9][c / 2]
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

/// The nets of a rule: for black to move, for white to move. They may be the same one.
using Nets = std::array<std::shared_ptr<const Net>, 2>;

}  // namespace tengen::mixnet
