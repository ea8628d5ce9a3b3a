// SPDX-License-Identifier: MIT
// Refresh: adds and removes several stones at once. Generic over vector operations; part of
// kernels_inl.h.
#pragma once

#include "mixnet/kernels.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

template <typename Vec, int C>
struct RefreshKernel {
  static constexpr int H = C / 2;
  static_assert(H % Vec::N == 0);

  using Words = typename Vec::Words;

  /// Line by line, as a pipeline: prefetches the rows of one line while the previous line is
  /// updated and the one before that is convolved.
  static void refresh(BoardView board, Convolution conv, AccumulatorState state,
                      RefreshInput input) {
    Changes lists[2];
    u32 changed[MAX_LINES + 2] =
        {};  // changed points of each line; the first and last lines are off the board
    for (int y = 0; y < board.size + 2; ++y) {
      if (y < board.size) changed[y + 1] = find_changes(board, input, y, lists[y % 2]);
      if (y >= 1 && y <= board.size) change_line(board, state, lists[(y - 1) % 2]);
      if (y < 2) continue;
      const u32 near = changed[y - 2] | changed[y - 1] | changed[y];
      const u32 touched = (near | near << 1 | near >> 1) & ((u32{1} << board.size) - 1);
      convolve_line(board, conv, state, y - 2, touched);
    }
  }

  /// Changed rows of one line.
  struct Changes {
    RowChange rows[MAX_LINES * POINT_PATTERNS];
    int count;
  };

  /// Finds the changes of a line and prefetches their rows. Returns the changed points.
  static u32 find_changes(const BoardView& board, const RefreshInput& input, int y,
                          Changes& changes) {
    i32 indices[MAX_LINES * POINT_PATTERNS + PATTERNS_PER_BLOCK];
    const int first = y * board.size * POINT_PATTERNS;
    const int count = find_differing(input, first, board.size * POINT_PATTERNS, indices);
    u32 points = 0;
    for (int k = 0; k < count; ++k) {
      const int index = first + indices[k];
      const i16* const book = input.books[indices[k] / 2 % 2];
      RowChange& change = changes.rows[k];
      change = {index / POINT_PATTERNS, book + std::ptrdiff_t{input.after[index]} * C,
                book + std::ptrdiff_t{input.before[index]} * C};
      prefetch(change.added);
      prefetch(change.removed);
      points |= u32{1} << indices[k] / POINT_PATTERNS;
    }
    changes.count = count;
    return points;
  }

  /// Lists the patterns that differ, of `count` from the first on; returns their number. Up to
  /// PATTERNS_PER_BLOCK more entries may be written.
  static int find_differing(const RefreshInput& input, int first, int count, i32* indices) {
    i32* next = indices;
    for (int i = 0; i < count; i += PATTERNS_PER_BLOCK) {
      const int left = count - i;
      const u32 among = left < PATTERNS_PER_BLOCK ? (u32{1} << left) - 1 : 0xFFFF;
      const i32 *before = input.before + first + i, *after = input.after + first + i;
      if constexpr (requires { Vec::list_differing(before, after, among, i, next); })
        next = Vec::list_differing(before, after, among, i, next);
      else
        for (u32 others = Vec::differing(before, after) & among; others; others &= others - 1)
          *next++ = i + __builtin_ctz(others);
    }
    return static_cast<int>(next - indices);
  }

  [[gnu::always_inline]] static void prefetch(const i16* row) {
    for (int i = 0; i < C; i += CACHE_LINE_WORDS) __builtin_prefetch(row + i);
  }

  /// Row by row, even for several rows of the same point: grouping them would cost unpredictable
  /// branches.
  static void change_line(const BoardView& board, const AccumulatorState& state,
                          const Changes& changes) {
    for (int k = 0; k < changes.count; ++k) {
      const RowChange& row = changes.rows[k];
      change_features(state.features + row.point * C, state.chunks + board.chunk[row.point] * C,
                      row);
    }
  }

  /// The second half of the channels is added to the chunk sums.
  static void change_features(i16* features, i32* chunk, const RowChange& row) {
    const i16 *const added = row.added, *const removed = row.removed;
#pragma GCC unroll 8
    for (int i = 0; i < C; i += Vec::N) {
      const Words before = Vec::load(features + i);
      const Words after = Vec::add(before, Vec::sub(Vec::load(added + i), Vec::load(removed + i)));
      Vec::store(features + i, after);
      if (i >= H) add_delta(chunk + i, before, after);
    }
  }

  /// Convolution of the points of one line, one run of neighbours at a time.
  static void convolve_line(const BoardView& board, const Convolution& conv,
                            const AccumulatorState& state, int y, u32 line) {
    const bool above = y > 0, below = y + 1 < board.size;
    while (line != 0) {
      const int first = __builtin_ctz(line), end = first + __builtin_ctz(~(line >> first));
      line &= ~u32{0} << end;
      for (int part = 0; part < H; part += Vec::N) {
        const Run run{y * board.size, first, end, part};
        if (above && below)
          convolve_run<true, true>(board, conv, state, run);
        else if (above)
          convolve_run<true, false>(board, conv, state, run);
        else
          convolve_run<false, true>(board, conv, state, run);
      }
    }
  }

  /// Adjacent points and the channels of a vector.
  struct Run {
    int line;        ///< first point of their line
    int first, end;  ///< columns
    int part;        ///< first channel
  };

  /// Features of a column: above, at, and below the point.
  struct Column {
    Words rows[3];
  };

  /// Each column is read once and added to the points right of it, at it and left of it. A bias of
  /// at most 8192 and the products stay within 16 bits in any order: nine features of at most 4
  /// FEATURE_MAX, and weights below 1.
  template <bool ABOVE, bool BELOW>
  static void convolve_run(const BoardView& board, const Convolution& conv,
                           const AccumulatorState& state, Run run) {
    Words weights[9];
#pragma GCC unroll 9
    for (int tap = 0; tap < 9; ++tap) weights[tap] = Vec::load(conv.weights + tap * H + run.part);
    const Words bias = Vec::load(conv.bias + run.part);
    const std::ptrdiff_t line = board.size * C;
    const auto column = [&](int x) {
      const i16* const from = state.features + (run.line + x) * C + run.part;
      Column read;
      if constexpr (ABOVE) read.rows[0] = Vec::relu(Vec::load(from - line));
      read.rows[1] = Vec::relu(Vec::load(from));
      if constexpr (BELOW) read.rows[2] = Vec::relu(Vec::load(from + line));
      return read;
    };
    const auto add = [&](Words sums, const Column& read, int dx) {
      if constexpr (ABOVE) sums = Vec::add_scaled(sums, read.rows[0], weights[1 + dx]);
      sums = Vec::add_scaled(sums, read.rows[1], weights[4 + dx]);
      if constexpr (BELOW) sums = Vec::add_scaled(sums, read.rows[2], weights[7 + dx]);
      return sums;
    };
    Words sums = run.first > 0 ? add(bias, column(run.first - 1), -1) : bias;
    Column read = column(run.first);
    for (int x = run.first; x < run.end; ++x) {
      sums = add(sums, read, 0);
      const Words next = add(bias, read, -1);
      if (x + 1 < board.size) {
        read = column(x + 1);
        sums = add(sums, read, 1);
      }
      const int point = run.line + x;
      i16* const old = state.conv + point * H + run.part;
      const Words before = Vec::load(old);
      Vec::store(old, sums);
      add_delta(state.chunks + board.chunk[point] * C + run.part, before, sums);
      sums = next;
    }
  }

  [[gnu::always_inline]] static void add_delta(i32* chunk, Words before, Words after) {
    Vec::store_totals(
        chunk, Vec::add(Vec::load_totals(chunk), Vec::sub(Vec::relu(after), Vec::relu(before))));
  }
};

}  // namespace

}  // namespace tengen::mixnet
