// SPDX-License-Identifier: MIT
// The layers of the heads, generic over vector operations; part of kernels_inl.h.
#pragma once

#include "mixnet/kernels.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

/// Loops that the compiler vectorises. Counts are multiples of LAYER_WIDTH.
struct Elementwise {
  /// out[i] = make(i). Goes through a local buffer of LAYER_WIDTH elements: no remainder loop, and
  /// the compiler can rule out aliasing.
  template <typename T, typename Make>
  [[gnu::always_inline]] static void fill(T* out, int count, const Make& make) {
    for (int i = 0; i < count; i += LAYER_WIDTH) {
      T made[LAYER_WIDTH];
      for (int k = 0; k < LAYER_WIDTH; ++k) made[k] = static_cast<T>(make(i + k));
      __builtin_memcpy(out + i, made, sizeof(made));
    }
  }

  static i32 rounded(i32 sum, int shift) { return (sum + (1 << (shift - 1))) >> shift; }
  static i32 clamp(i32 value, i32 min, i32 max) {
    const i32 low = value < min ? min : value;
    return low > max ? max : low;
  }

  static void activate(const i32* sums, int count, int shift, u8* out) {
    fill(out, count, [&](int i) { return clamp(rounded(sums[i], shift), 0, ACTIVATION_MAX); });
  }

  static void make_dynamic(const i32* sums, int count, i16* out) {
    fill(out, count,
         [&](int i) { return clamp(rounded(sums[i], DYNAMIC_SHIFT), -DYNAMIC_MAX, DYNAMIC_MAX); });
  }

  /// A star block's products: out[i] = a[i] b[i] + a[n + i] b[n + i] for n = count, with the
  /// activations a of the first 2 n sums and b of the next, which keep their sign.
  static void multiply(const i32* sums, int count, i16* out) {
    const i32 *a = sums, *b = sums + 2 * count;
    fill(out, count,
         [&](int i) { return product(a[i], b[i]) + product(a[count + i], b[count + i]); });
  }
  static i32 product(i32 a, i32 b) {
    return clamp(rounded(a, ACTIVATION_SHIFT), 0, ACTIVATION_MAX) *
           clamp(rounded(b, ACTIVATION_SHIFT), -ACTIVATION_MAX, ACTIVATION_MAX);
  }

  static void mean_of_four(const u8* const* rows, int count, u8* out) {
    const u8 *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
    fill(out, count, [&](int i) { return (a[i] + b[i] + c[i] + d[i] + 2) >> 2; });
  }

  static void compute_means(const i32* sums, int c, const Mean* means, u8* chunks, u8* all) {
    const auto mean_of = [](i32 sum, Mean mean) {
      const i32 kept = sum > mean.limit ? mean.limit : sum;
      return clamp(rounded(kept * mean.factor, 16), 0, ACTIVATION_MAX);
    };
    for (int first = 0; first < c; first += LAYER_WIDTH) {
      const i32* const from = sums + first;
      for (int k = 0; k < CHUNKS; ++k)
        fill(chunks + k * MAX_CHANNELS + first, LAYER_WIDTH,
             [&](int i) { return mean_of(from[k * c + i], means[k]); });
      fill(all + first, LAYER_WIDTH, [&](int i) {
        i32 sum = 0;
#pragma GCC unroll 9
        for (int k = 0; k < CHUNKS; ++k) sum += from[k * c + i];
        return mean_of(sum, means[CHUNKS]);
      });
    }
  }
};

template <typename Vec>
struct Linear {
  static constexpr int LANES = Vec::N / 2;               ///< sums per register
  static constexpr int MIN_BLOCK = LAYER_WIDTH / LANES;  ///< registers for LAYER_WIDTH outputs

  static void add_bytes(const u8* const* x, int rows, int in, const ByteWeights& weights,
                        const i32* bias, int out, i32* sums) {
    const auto add = [&]<bool FITS_I16>() {
      dispatch_rows(rows, [&]<int ROWS>() {
        for_each_block<registers(ROWS)>(out, [&]<int BLOCK>(int first) {
          byte_block<ROWS, BLOCK, FITS_I16>(x, in, weights.bytes + first * in, bias + first, out,
                                            sums + first);
        });
      });
    };
    if (Vec::HAS_I16_SUMS && weights.fits_i16)
      add.template operator()<Vec::HAS_I16_SUMS>();
    else
      add.template operator()<false>();
  }

  static void add_words(const i16* x, int rows, int in, const WordWeights& weights, const i32* bias,
                        int out, i32* sums) {
    if constexpr (Vec::SPLITS_WORDS) {
      for (int row = 0; row < rows; ++row)
        add_split_words(x + row * in, in, weights.bytes, bias, out, sums + row * out);
    } else {
      dispatch_rows(rows, [&]<int ROWS>() {
        for_each_block<registers(ROWS)>(out, [&]<int BLOCK>(int first) {
          word_block<ROWS, BLOCK>(x, in, weights.words + first * in, bias + first, out,
                                  sums + first);
        });
      });
    }
  }

  /// x = 256 high + low, both signed bytes.
  static void add_split_words(const i16* x, int in, const i8* weights, const i32* bias, int out,
                              i32* sums) {
    alignas(64) u8 parts[2][MAX_CHANNELS];
    for (int i = 0; i < in; ++i) {
      const auto low = static_cast<i8>(x[i]);
      parts[0][i] = static_cast<u8>(low);
      parts[1][i] = static_cast<u8>((x[i] - low) >> 8);
    }
    constexpr int BLOCK = MIN_BLOCK;
    const u8* const both[2] = {parts[0], parts[1]};
    for (int first = 0; first < out; first += BLOCK * LANES) {
      typename Vec::Sums acc[2][BLOCK];
      for (int k = 0; k < BLOCK; ++k) {
        acc[0][k] = Vec::load_sums(bias + first + k * LANES);
        acc[1][k] = Vec::load_sums(ZEROS + k * LANES);
      }
      multiply_bytes<2, BLOCK>(both, in, weights + first * in, acc);
      i32 low[BLOCK * LANES], high[BLOCK * LANES];
      for (int k = 0; k < BLOCK; ++k) {
        Vec::store_sums(low + k * LANES, acc[0][k]);
        Vec::store_sums(high + k * LANES, acc[1][k]);
      }
      for (int i = 0; i < BLOCK * LANES; ++i) sums[first + i] = low[i] + 256 * high[i];
    }
  }

  static constexpr i32 ZEROS[LAYER_WIDTH] = {};
  static constexpr int WIDTH = LAYER_WIDTH;

  /// Offset of the weights of a block's k-th register; outputs are interleaved by WIDTH.
  template <int GROUP>
  static constexpr int offset(int k, int in) {
    return k / MIN_BLOCK * WIDTH * in + k % MIN_BLOCK * LANES * GROUP;
  }

  /// Registers of sums per row: MIN_BLOCK times a power of two.
  static constexpr int registers(int rows) {
    return clamp_block(Vec::SUMS / (rows == 3 ? 4 : rows));
  }
  static constexpr int clamp_block(int block) { return block > MIN_BLOCK ? block : MIN_BLOCK; }

  template <typename Work>
  static void dispatch_rows(int rows, const Work& work) {
    static_assert(MAX_ROWS == 4);
    switch (rows) {
      case 1: return work.template operator()<1>();
      case 2: return work.template operator()<2>();
      case 3: return work.template operator()<3>();
      default: return work.template operator()<4>();
    }
  }

  /// More independent sums hide latency: as many registers as possible, then half as many for the
  /// remaining outputs, and so on.
  template <int BLOCK, typename Work>
  static void for_each_block(int out, const Work& work, int first = 0) {
    for (; first + BLOCK * LANES <= out; first += BLOCK * LANES)
      work.template operator()<BLOCK>(first);
    if constexpr (BLOCK > MIN_BLOCK) for_each_block<clamp_block(BLOCK / 2)>(out, work, first);
  }

  template <int ROWS, int BLOCK, bool FITS_I16 = false>
  static void byte_block(const u8* const* x, int in, const i8* weights, const i32* bias, int out,
                         i32* sums) {
    typename Vec::Sums acc[ROWS][BLOCK];
    for (int row = 0; row < ROWS; ++row)
      for (int k = 0; k < BLOCK; ++k) acc[row][k] = Vec::load_sums(bias + k * LANES);
    if constexpr (FITS_I16)
      multiply_i16<ROWS, BLOCK>(x, in, weights, acc);
    else
      multiply_bytes<ROWS, BLOCK>(x, in, weights, acc);
    for (int row = 0; row < ROWS; ++row)
      for (int k = 0; k < BLOCK; ++k) Vec::store_sums(sums + row * out + k * LANES, acc[row][k]);
  }

  template <int ROWS, int BLOCK>
  static void multiply_bytes(const u8* const* x, int in, const i8* weights,
                             typename Vec::Sums (&acc)[ROWS][BLOCK]) {
    for (int i = 0; i < in; i += 4 * Vec::INPUT_GROUPS, weights += 4 * Vec::INPUT_GROUPS * WIDTH) {
      typename Vec::Inputs inputs[ROWS];
      for (int row = 0; row < ROWS; ++row) inputs[row] = Vec::load_inputs(x[row] + i);
      multiply_groups<0>(inputs, in, weights, acc);
    }
  }

  /// The groups of four inputs of one register, starting with GROUP.
  template <int GROUP, int ROWS, int BLOCK>
  [[gnu::always_inline]] static void multiply_groups(const typename Vec::Inputs (&inputs)[ROWS],
                                                     int in, const i8* weights,
                                                     typename Vec::Sums (&acc)[ROWS][BLOCK]) {
    for (int k = 0; k < BLOCK; ++k) {
      const auto w = Vec::load_bytes(weights + offset<4>(k, in));
      for (int row = 0; row < ROWS; ++row)
        acc[row][k] = Vec::template add_bytes<GROUP>(acc[row][k], inputs[row], w);
    }
    if constexpr (GROUP + 1 < Vec::INPUT_GROUPS)
      multiply_groups<GROUP + 1>(inputs, in, weights + 4 * WIDTH, acc);
  }

  /// For weights that fit (ByteWeights::fits_i16): two groups of four inputs per step.
  template <int ROWS, int BLOCK>
  static void multiply_i16(const u8* const* x, int in, const i8* weights,
                           typename Vec::Sums (&acc)[ROWS][BLOCK]) {
    for (int i = 0; i < in; i += 8, weights += 8 * WIDTH) {
      typename Vec::Inputs first[ROWS], second[ROWS];
      for (int row = 0; row < ROWS; ++row) {
        first[row] = Vec::load_inputs(x[row] + i);
        second[row] = Vec::load_inputs(x[row] + i + 4);
      }
      for (int k = 0; k < BLOCK; ++k) {
        const i8* const from = weights + offset<4>(k, in);
        const auto w = Vec::load_bytes(from), next = Vec::load_bytes(from + 4 * WIDTH);
        for (int row = 0; row < ROWS; ++row) {
          const auto pairs = Vec::add(Vec::pairs(first[row], w), Vec::pairs(second[row], next));
          acc[row][k] = Vec::add_pairs(acc[row][k], pairs);
        }
      }
    }
  }

  /// Weights as in WordWeights::words.
  template <int ROWS, int BLOCK>
  static void word_block(const i16* x, int in, const i16* weights, const i32* bias, int out,
                         i32* sums) {
    typename Vec::WordSums acc[ROWS][BLOCK];
    for (int row = 0; row < ROWS; ++row)
      for (int k = 0; k < BLOCK; ++k) acc[row][k] = Vec::load_word_sums(bias + k * LANES);
    for (int i = 0; i < in; i += 2, weights += 2 * WIDTH) {
      typename Vec::Words twos[ROWS];
      for (int row = 0; row < ROWS; ++row) {
        u32 two;
        __builtin_memcpy(&two, x + row * in + i, sizeof(two));
        twos[row] = Vec::broadcast_words(two);
      }
      for (int k = 0; k < BLOCK; ++k) {
        const auto w = Vec::load(weights + offset<2>(k, in));
        for (int row = 0; row < ROWS; ++row)
          acc[row][k] = Vec::add_words(acc[row][k], twos[row], w);
      }
    }
    for (int row = 0; row < ROWS; ++row)
      for (int k = 0; k < BLOCK; ++k)
        Vec::store_word_sums(sums + row * out + k * LANES, acc[row][k]);
  }
};

/// Layers including their activation in one call: small nets would spend much of their time in
/// calls.
template <typename Vec>
struct Blocks {
  static void layer(const u8* x, int in, const ByteWeights& weights, const i32* bias, int out,
                    u8* to) {
    alignas(64) i32 sums[MAX_CHANNELS];
    Linear<Vec>::add_bytes(&x, 1, in, weights, bias, out, sums);
    Elementwise::activate(sums, out, ACTIVATION_SHIFT, to);
  }

  static void star(const StarLayers& star, const u8* const* from, u8* const* to, int rows) {
    alignas(64) i32 sums[MAX_ROWS * 4 * MAX_CHANNELS];
    alignas(64) i16 products[MAX_ROWS * MAX_CHANNELS];
    const int wide = 4 * star.in;
    Linear<Vec>::add_bytes(from, rows, star.in, star.both, star.both_bias, wide, sums);
    for (int row = 0; row < rows; ++row)
      Elementwise::multiply(sums + row * wide, star.in, products + row * star.in);
    Linear<Vec>::add_words(products, rows, star.in, star.down, star.down_bias, star.down_out, sums);
    for (int row = 0; row < rows; ++row)
      Elementwise::activate(sums + row * star.down_out, star.out, STAR_SHIFT, to[row]);
  }
};

}  // namespace

}  // namespace tengen::mixnet
