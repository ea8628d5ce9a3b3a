// SPDX-License-Identifier: MIT
// The policy logits, generic over vector operations; part of kernels_inl.h.
#pragma once

#include "mixnet/kernels_layers_inl.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

template <typename Vec>
struct Policy {
  using Layers = Linear<Vec>;
  static constexpr int OUT = Shape::POLICY_OUTPUTS;
  static_assert(OUT == LAYER_WIDTH);

  static void logits(const PolicyLayers& layers, const i16* conv, int stride, const u16* points,
                     size_t count, i32* to) {
    if constexpr (Vec::SPLITS_WORDS) {
      SplitWeights weights;
      split(layers, weights);
      for_each_point(count, [&]<int ROWS>(size_t k) {
        split_logits<ROWS>(layers, weights, conv, stride, points + k, to + k);
      });
    } else {
      for_each_point(count, [&]<int ROWS>(size_t k) {
        word_logits<ROWS>(layers, conv, stride, points + k, to + k);
      });
    }
  }

 private:
  /// MAX_ROWS points per step, then the remaining ones.
  template <typename Work>
  static void for_each_point(size_t count, const Work& work) {
    for (size_t k = 0; k < count; k += MAX_ROWS) {
      const int rows = count - k < MAX_ROWS ? static_cast<int>(count - k) : MAX_ROWS;
      Layers::dispatch_rows(rows, [&]<int ROWS>() { work.template operator()<ROWS>(k); });
    }
  }

  static i16 input(i16 feature) {
    const i16 low = feature < 0 ? i16{0} : feature;
    return low > POLICY_INPUT_MAX ? i16{POLICY_INPUT_MAX} : low;
  }

  /// `sum(o)` is the sum of output o. Not inlined: inlined code would not be vectorised.
  template <typename Sum>
  [[gnu::noinline]] static i32 logit(const PolicyLayers& layers, const Sum& sum) {
    i16 features[OUT];
    for (int o = 0; o < OUT; ++o) {
      const i32 feature = Elementwise::rounded(sum(o), POLICY_SHIFT);
      features[o] = static_cast<i16>(Elementwise::clamp(feature, 0, POLICY_FEATURE_MAX));
    }
    i32 sums = layers.last_bias;
    for (int o = 0; o < OUT; ++o) sums += features[o] * layers.weights[o];
    return sums;
  }

  template <int ROWS>
  static void word_logits(const PolicyLayers& layers, const i16* conv, int stride,
                          const u16* points, i32* to) {
    alignas(64) i16 features[ROWS * MAX_CHANNELS / 2];
    for (int row = 0; row < ROWS; ++row) {
      const i16* const from = conv + points[row] * stride;
      for (int i = 0; i < layers.channels; ++i)
        features[row * layers.channels + i] = input(from[i]);
    }
    alignas(64) i32 sums[ROWS][OUT];
    Layers::template word_block<ROWS, Layers::MIN_BLOCK>(features, layers.channels, layers.dynamic,
                                                         layers.bias, OUT, sums[0]);
    for (int row = 0; row < ROWS; ++row)
      to[row] = logit(layers, [&](int o) { return sums[row][o]; });
  }

  // Where words are split, a product of twelve bits each is made of three products of bytes. With
  // x = 64 h + l, w = 64 H + L, where l is 0 to 63 and L is -32 to 31,
  //
  //     x w = 4096 h H + 64 ((h + l) (H + L) - h H - l L) + l L
  //
  // and all factors fit into seven bits and a sign.
  enum { HIGH, LOW, BOTH, PART_NB };
  static constexpr int BITS = 6, ONE = 1 << BITS;

  struct SplitWeights {
    alignas(64) i8 parts[PART_NB][OUT * MAX_CHANNELS / 2];  ///< [padded / 4][OUT][4]
  };
  struct SplitInputs {
    alignas(64) u8 parts[PART_NB][MAX_CHANNELS / 2];
  };

  /// Channels padded to a multiple of 16; the padding has zero weights.
  static int padded(int channels) { return (channels + 15) / 16 * 16; }

  static void split(const PolicyLayers& layers, SplitWeights& to) {
    static constexpr i16 ZERO_PAIR[2 * OUT] = {};
    const auto pairs = [&](int i) {
      return i < layers.channels ? layers.dynamic + i * OUT : ZERO_PAIR;
    };
    for (int i = 0; i < padded(layers.channels); i += 4)
      split_group(pairs(i), pairs(i + 2), to.parts[HIGH] + i * OUT, to.parts[LOW] + i * OUT,
                  to.parts[BOTH] + i * OUT);
  }

  /// The weights for four inputs: from two times [OUT][2] to [OUT][4].
  static void split_group(const i16* first, const i16* second, i8* __restrict high,
                          i8* __restrict low, i8* __restrict both) {
    alignas(64) i16 words[4 * OUT];
    for (int o = 0; o < OUT; ++o) {
      __builtin_memcpy(words + 4 * o, first + 2 * o, 2 * sizeof(i16));
      __builtin_memcpy(words + 4 * o + 2, second + 2 * o, 2 * sizeof(i16));
    }
    for (int i = 0; i < 4 * OUT; ++i) {
      const int above = Elementwise::rounded(words[i], BITS), below = words[i] - ONE * above;
      high[i] = static_cast<i8>(above);
      low[i] = static_cast<i8>(below);
      both[i] = static_cast<i8>(above + below);
    }
  }

  static void split(const i16* features, int channels, SplitInputs& to) {
    for (int i = 0; i < channels; ++i) {
      const int x = input(features[i]), above = x / ONE, below = x % ONE;
      to.parts[HIGH][i] = static_cast<u8>(above);
      to.parts[LOW][i] = static_cast<u8>(below);
      to.parts[BOTH][i] = static_cast<u8>(above + below);
    }
  }

  template <int ROWS>
  static void split_logits(const PolicyLayers& layers, const SplitWeights& weights, const i16* conv,
                           int stride, const u16* points, i32* to) {
    const int channels = padded(layers.channels);
    SplitInputs inputs[ROWS];
    for (int row = 0; row < ROWS; ++row) split(conv + points[row] * stride, channels, inputs[row]);
    alignas(64) i32 sums[PART_NB][ROWS][OUT];
    for (int part = 0; part < PART_NB; ++part) {
      const u8* from[ROWS];
      for (int row = 0; row < ROWS; ++row) from[row] = inputs[row].parts[part];
      Layers::template byte_block<ROWS, Layers::MIN_BLOCK>(from, channels, weights.parts[part],
                                                           Layers::ZEROS, OUT, sums[part][0]);
    }
    for (int row = 0; row < ROWS; ++row) {
      const i32 *const high = sums[HIGH][row], *const low = sums[LOW][row];
      const i32* const both = sums[BOTH][row];
      to[row] = logit(layers, [&](int o) {
        const i32 middle = both[o] - high[o] - low[o];
        return layers.bias[o] + low[o] + ONE * (middle + ONE * high[o]);
      });
    }
  }
};

}  // namespace

}  // namespace tengen::mixnet
