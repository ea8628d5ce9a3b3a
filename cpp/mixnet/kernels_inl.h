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
    int point;
    alignas(64) i16 before[H];
    alignas(64) i16 after[H];
  };

  static void apply(const BoardView& board, const i16* taps, const Planes& planes,
                    const RowChange* changes, int count) {
    Changed changed[MAX_CHANGES];
    int points = 0;
    for (int i = 0; i < count;) {
      int next = i + 1;
      while (next < count && changes[next].point == changes[i].point) ++next;
      change_features(board, planes, changes + i, next - i, changed[points++]);
      i = next;
    }
    convolve(board, taps, planes, changed, points);
  }

  /// The rows of one point. The second half of the channels goes on to the chunk's sums at once.
  static void change_features(const BoardView& board, const Planes& planes, const RowChange* rows,
                              int count, Changed& changed) {
    const int point = rows[0].point;
    i16* features = planes.features + point * C;
    i32* chunk = planes.chunks + board.chunk[point] * C;
    changed.point = point;
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

  static void convolve(const BoardView& board, const i16* taps, const Planes& planes,
                       const Changed* changed, int points) {
    i16 touched[MAX_TOUCHED];
    alignas(64) i16 old[MAX_TOUCHED][H];
    int count = 0;
    u64 marked[(22 * 22 + 63) / 64] = {};
    for (int n = 0; n < points; ++n) {
      const Changed& entry = changed[n];
      for (int tap = 0; tap < 9; ++tap) {
        const int point = board.taps[entry.point].reader[tap];
        if (point < 0) continue;
        i16* conv = planes.conv + point * H;
        const u64 bit = u64{1} << (point & 63);
        if (!(marked[point >> 6] & bit)) {
          marked[point >> 6] |= bit;
          touched[count] = static_cast<i16>(point);
          __builtin_memcpy(old[count++], conv, sizeof(old[0]));
        }
        for (int i = 0; i < H; i += Half::N) {
          const auto weight = Half::load(taps + tap * H + i);
          const auto gone = Half::scaled(Half::load(entry.before + i), weight);
          const auto come = Half::scaled(Half::load(entry.after + i), weight);
          Half::store(conv + i, Half::add(Half::load(conv + i), Half::sub(come, gone)));
        }
      }
    }
    for (int k = 0; k < count; ++k) {
      const int point = touched[k];
      const i16* conv = planes.conv + point * H;
      i32* chunk = planes.chunks + board.chunk[point] * C;
      for (int i = 0; i < H; i += Half::N)
        Half::add_to(chunk + i, Half::sub(Half::relu(Half::load(conv + i)),
                                          Half::relu(Half::load(old[k] + i))));
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
