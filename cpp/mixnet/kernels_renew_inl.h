// SPDX-License-Identifier: MIT
// Several stones at once put on the feature sums of a position, or taken off, over any set of
// vector operations: a part of kernels_inl.h.
#pragma once

#include "mixnet/kernels.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

template <typename Vec, int C>
struct Renewing {
  static constexpr int H = C / 2;
  static constexpr int PARTS = H / Vec::N;
  static_assert(H % Vec::N == 0);

  using Words = typename Vec::Words;

  static void renew(BoardView board, Convolution conv, Planes planes, Renewal renewal) {
    const RowChange* const end = renewal.changes + renewal.count;
    const RowChange* asked = renewal.changes;
    for (const RowChange* change = renewal.changes; change != end;) {
      for (; asked != end && asked < change + AHEAD; ++asked) {
        ask_for(asked->added);
        ask_for(asked->removed);
      }
      int count = 1;
      while (change + count != end && change[count].point == change->point) ++count;
      change_features(board, planes, change, count);
      change += count;
    }
    for (int y = 0; y < board.size; ++y)
      for (u32 line = renewal.touched[y]; line != 0; line &= line - 1)
        convolve(board, conv, planes, __builtin_ctz(line), y);
  }

  /// Changes whose rows are on their way from memory, while those before them are worked on.
  static constexpr int AHEAD = 16;

  [[gnu::always_inline]] static void ask_for(const i16* row) {
    for (int i = 0; i < C; i += LINE_WORDS) __builtin_prefetch(row + i);
  }

  /// The rows of one point, four at most.
  static void change_features(const BoardView& board, const Planes& planes, const RowChange* rows,
                              int count) {
    i16* const features = planes.features + rows->point * C;
    i32* const chunk = planes.chunks + board.chunk[rows->point] * C;
    switch (count) {
      case 1: return change_rows<1>(features, chunk, rows);
      case 2: return change_rows<2>(features, chunk, rows);
      case 3: return change_rows<3>(features, chunk, rows);
      default: return change_rows<4>(features, chunk, rows);
    }
  }

  /// The second half of the channels goes on to the chunk's sums.
  template <int COUNT>
  static void change_rows(i16* features, i32* chunk, const RowChange* rows) {
    const i16 *added[COUNT], *removed[COUNT];
    for (int k = 0; k < COUNT; ++k) {
      added[k] = rows[k].added;
      removed[k] = rows[k].removed;
    }
#pragma GCC unroll 8
    for (int i = 0; i < C; i += Vec::N) {
      const Words before = Vec::load(features + i);
      Words after = before;
      for (int k = 0; k < COUNT; ++k)
        after = Vec::add(after, Vec::sub(Vec::load(added[k] + i), Vec::load(removed[k] + i)));
      Vec::store(features + i, after);
      if (i >= H) grow(chunk + i, before, after);
    }
  }

  static void convolve(const BoardView& board, const Convolution& conv, const Planes& planes, int x,
                       int y) {
    const int point = y * board.size + x;
    const i16* const features = planes.features + point * C;
    Words sums[PARTS];
    if (x > 0 && y > 0 && x + 1 < board.size && y + 1 < board.size)
      add_taps(conv.taps, features, board.size, sums, [](int, int) { return true; });
    else
      add_taps(conv.taps, features, board.size, sums, [&](int dx, int dy) {
        return x + dx >= 0 && y + dy >= 0 && x + dx < board.size && y + dy < board.size;
      });
    i16* const old = planes.conv + point * H;
    i32* const chunk = planes.chunks + board.chunk[point] * C;
    for (int i = 0; i < PARTS; ++i) {
      const Words before = Vec::load(old + i * Vec::N);
      const Words after = Vec::add(sums[i], Vec::load(conv.bias + i * Vec::N));
      Vec::store(old + i * Vec::N, after);
      grow(chunk + i * Vec::N, before, after);
    }
  }

  /// Products of the point and its neighbours with their weights. Together they stay within 16
  /// bits: nine features of 4 FEATURE_MAX at most, and weights below 1.
  template <typename IsOn>
  [[gnu::always_inline]] static void add_taps(const i16* taps, const i16* features, int size,
                                              Words (&sums)[PARTS], const IsOn& is_on) {
    for (int i = 0; i < PARTS; ++i)
      sums[i] = Vec::scaled(Vec::relu(Vec::load(features + i * Vec::N)),
                            Vec::load(taps + 4 * H + i * Vec::N));
    const std::ptrdiff_t line = size * C;
#pragma GCC unroll 3
    for (int dy = -1; dy <= 1; ++dy)
#pragma GCC unroll 3
      for (int dx = -1; dx <= 1; ++dx) {
        if ((dy == 0 && dx == 0) || !is_on(dx, dy)) continue;
        const i16* const from = features + dy * line + dx * C;
        const i16* const weights = taps + (3 * dy + dx + 4) * H;
        for (int i = 0; i < PARTS; ++i)
          sums[i] = Vec::add_scaled(sums[i], Vec::relu(Vec::load(from + i * Vec::N)),
                                    Vec::load(weights + i * Vec::N));
      }
  }

  [[gnu::always_inline]] static void grow(i32* chunk, Words before, Words after) {
    Vec::store_totals(
        chunk, Vec::add(Vec::load_totals(chunk), Vec::sub(Vec::relu(after), Vec::relu(before))));
  }
};

}  // namespace

}  // namespace tengen::mixnet
