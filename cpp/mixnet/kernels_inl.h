// SPDX-License-Identifier: MIT
// The kernels over any set of vector operations (simd/vec_*.h); included once by the file of each
// instruction set, which compiles it for that set.
#pragma once

#include "mixnet/kernels.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

/// `Vec` for rows of c channels, `Half` for rows of c / 2.
template <typename Vec, typename Half, int C>
struct Update {
  static constexpr int H = C / 2;
  static_assert(C % Vec::N == 0 && H % Half::N == 0);

  /// Features of the points that changed, before and after; the first half of the channels.
  struct Changed {
    alignas(64) i16 before[H];
    alignas(64) i16 after[H];
  };

  static void apply(const StoneView& stone, const i16* taps, const Planes& planes,
                    const RowChange* changes, int count) {
    Changed changed[MAX_CHANGES];
    int points = 0;
    for (int i = 0; i < count;) {
      int next = i + 1;
      while (next < count && changes[next].point == changes[i].point) ++next;
      change_features(stone, planes, changes + i, next - i, changed[points++]);
      i = next;
    }
    convolve(stone, taps, planes, changed);
  }

  /// The rows of one point. The second half of the channels goes on to the chunk's sums at once.
  static void change_features(const StoneView& stone, const Planes& planes, const RowChange* rows,
                              int count, Changed& changed) {
    const int point = rows[0].point;
    i16* features = planes.features + point * C;
    i32* chunk = planes.chunks + stone.chunk[point] * C;
    for (int i = 0; i < C; i += Half::N) {
      const auto before = Half::load(features + i);
      auto after = before;
      for (int k = 0; k < count; ++k)
        after = Half::add(
            after, Half::sub(Half::load(rows[k].added + i), Half::load(rows[k].removed + i)));
      Half::store(features + i, after);
      const auto was = Half::relu(before), is = Half::relu(after);
      if (i < H) {
        Half::store(changed.before + i, was);
        Half::store(changed.after + i, is);
      } else {
        Half::add_to(chunk + i, Half::sub(is, was));
      }
    }
  }

  /// Each point of the convolution once, with all changed points that it reads.
  static void convolve(const StoneView& stone, const i16* taps, const Planes& planes,
                       const Changed* changed) {
    constexpr int PARTS = H / Half::N;
    const Layout::Read* read = stone.reads;
    for (const Layout::Touched* touched = stone.touched; touched != stone.end; ++touched) {
      i16* conv = planes.conv + touched->point * H;
      typename Half::Words before[PARTS], sums[PARTS];
      for (int i = 0; i < PARTS; ++i) before[i] = sums[i] = Half::load(conv + i * Half::N);
      for (int k = 0; k < touched->reads; ++k, ++read) {
        const Changed& entry = changed[read->changed];
        const i16* weights = taps + read->tap * H;
        for (int i = 0; i < PARTS; ++i) {
          const auto weight = Half::load(weights + i * Half::N);
          const auto come = Half::scaled(Half::load(entry.after + i * Half::N), weight);
          const auto gone = Half::scaled(Half::load(entry.before + i * Half::N), weight);
          sums[i] = Half::add(sums[i], Half::sub(come, gone));
        }
      }
      i32* chunk = planes.chunks + touched->chunk * C;
      for (int i = 0; i < PARTS; ++i) {
        Half::store(conv + i * Half::N, sums[i]);
        Half::add_to(chunk + i * Half::N, Half::sub(Half::relu(sums[i]), Half::relu(before[i])));
      }
    }
  }
};

template <typename Vec>
struct Linear {
  static constexpr int LANES = Vec::N / 2;  ///< sums in a register
  static constexpr int BLOCK = 16 > LANES ? 16 / LANES : 1;

  static void add_bytes(const u8* x, int in, const i8* weights, const i32* bias, int out,
                        i32* sums) {
    for (int first = 0; first < out; first += BLOCK * LANES) {
      typename Vec::Sums acc[BLOCK];
      for (int k = 0; k < BLOCK; ++k) acc[k] = Vec::load_sums(bias + first + k * LANES);
      const i8* row = weights + 4 * static_cast<size_t>(first);
      for (int i = 0; i < in; i += 4, row += 4 * static_cast<size_t>(out)) {
        u32 four;
        __builtin_memcpy(&four, x + i, sizeof(four));
        if (four == 0) continue;  // many features are: that is what a ReLU does
        for (int k = 0; k < BLOCK; ++k) acc[k] = Vec::add_bytes(acc[k], four, row + 4 * k * LANES);
      }
      for (int k = 0; k < BLOCK; ++k) Vec::store_sums(sums + first + k * LANES, acc[k]);
    }
  }

  static void add_words(const i16* x, int in, const i16* weights, const i32* bias, int out,
                        i32* sums) {
    for (int first = 0; first < out; first += BLOCK * LANES) {
      typename Vec::Sums acc[BLOCK];
      for (int k = 0; k < BLOCK; ++k) acc[k] = Vec::load_sums(bias + first + k * LANES);
      const i16* row = weights + 2 * static_cast<size_t>(first);
      for (int i = 0; i < in; i += 2, row += 2 * static_cast<size_t>(out)) {
        u32 two;
        __builtin_memcpy(&two, x + i, sizeof(two));
        for (int k = 0; k < BLOCK; ++k) acc[k] = Vec::add_words(acc[k], two, row + 2 * k * LANES);
      }
      for (int k = 0; k < BLOCK; ++k) Vec::store_sums(sums + first + k * LANES, acc[k]);
    }
  }
};

/// Plain loops, which the compiler turns into those of the instruction set.
struct Elementwise {
  static i32 rounded(i32 sum, int shift) { return (sum + (1 << (shift - 1))) >> shift; }
  static i32 within(i32 value, i32 least, i32 most) {
    const i32 low = value < least ? least : value;
    return low > most ? most : low;
  }

  static void activate(const i32* sums, int count, int shift, u8* out) {
    for (int i = 0; i < count; ++i)
      out[i] = static_cast<u8>(within(rounded(sums[i], shift), 0, ACTIVATION_MAX));
  }

  static void multiply(const i32* sums, int count, i16* out) {
    const i32 *a = sums, *b = sums + 2 * count;
    for (int i = 0; i < count; ++i) {
      const i32 first = product(a[i], b[i]), second = product(a[count + i], b[count + i]);
      out[i] = static_cast<i16>(first + second);
    }
  }
  static i32 product(i32 a, i32 b) {
    return within(rounded(a, ACTIVATION_SHIFT), 0, ACTIVATION_MAX) *
           within(rounded(b, ACTIVATION_SHIFT), -ACTIVATION_MAX, ACTIVATION_MAX);
  }

  static void take_means(const i32* sums, int count, i32 limit, i32 factor, u8* out) {
    for (int i = 0; i < count; ++i) {
      const i32 kept = sums[i] > limit ? limit : sums[i];
      out[i] = static_cast<u8>(within(rounded(kept * factor, 16), 0, ACTIVATION_MAX));
    }
  }
};

template <typename Vec, typename Half>
constexpr Kernels make_kernels(std::string_view name) {
  return {
      name,
      {Update<Half, Half, 32>::apply, Update<Vec, Vec, 64>::apply, Update<Vec, Vec, 128>::apply},
      Linear<Vec>::add_bytes,
      Linear<Vec>::add_words,
      Elementwise::activate,
      Elementwise::multiply,
      Elementwise::take_means};
}

}  // namespace

}  // namespace tengen::mixnet
