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
  static_assert(H % Vec::N == 0);

  using Words = typename Vec::Words;

  /// Line by line: while the rows of one line's changes are on their way from memory, those of the
  /// line before it are worked on, and the convolution of the line before that.
  static void renew(BoardView board, Convolution conv, Planes planes, Renewal renewal) {
    Changes lists[2];
    u32 changed[MOST_LINES + 2] = {};  // points of each line; the first and the last are off board
    for (int y = 0; y < board.size + 2; ++y) {
      if (y < board.size) changed[y + 1] = find_changes(board, renewal, y, lists[y % 2]);
      if (y >= 1 && y <= board.size) change_line(board, planes, lists[(y - 1) % 2]);
      if (y < 2) continue;
      const u32 near = changed[y - 2] | changed[y - 1] | changed[y];
      const u32 touched = (near | near << 1 | near >> 1) & ((u32{1} << board.size) - 1);
      convolve_line(board, conv, planes, y - 2, touched);
    }
  }

  /// The rows of one line that take the place of others.
  struct Changes {
    RowChange rows[MOST_LINES * POINT_PATTERNS];
    int count;
  };

  /// Finds the changes of a line, and asks for their rows. Returns the points that change.
  static u32 find_changes(const BoardView& board, const Renewal& renewal, int y, Changes& found) {
    i32 places[MOST_LINES * POINT_PATTERNS + PATTERNS_AT_ONCE];
    const int first = y * board.size * POINT_PATTERNS;
    const int count = find_differing(renewal, first, board.size * POINT_PATTERNS, places);
    u32 points = 0;
    for (int k = 0; k < count; ++k) {
      const int place = first + places[k];
      const i16* const book = renewal.books[places[k] / 2 % 2];
      RowChange& change = found.rows[k];
      change = {place / POINT_PATTERNS, book + std::ptrdiff_t{renewal.after[place]} * C,
                book + std::ptrdiff_t{renewal.before[place]} * C};
      ask_for(change.added);
      ask_for(change.removed);
      points |= u32{1} << places[k] / POINT_PATTERNS;
    }
    found.count = count;
    return points;
  }

  /// Which of `count` patterns from the first on differ: their number. PATTERNS_AT_ONCE more places
  /// may be written.
  static int find_differing(const Renewal& renewal, int first, int count, i32* places) {
    i32* next = places;
    for (int i = 0; i < count; i += PATTERNS_AT_ONCE) {
      const int left = count - i;
      const u32 among = left < PATTERNS_AT_ONCE ? (u32{1} << left) - 1 : 0xFFFF;
      const i32 *before = renewal.before + first + i, *after = renewal.after + first + i;
      if constexpr (requires { Vec::list_differing(before, after, among, i, next); })
        next = Vec::list_differing(before, after, among, i, next);
      else
        for (u32 others = Vec::differing(before, after) & among; others; others &= others - 1)
          *next++ = i + __builtin_ctz(others);
    }
    return static_cast<int>(next - places);
  }

  [[gnu::always_inline]] static void ask_for(const i16* row) {
    for (int i = 0; i < C; i += LINE_WORDS) __builtin_prefetch(row + i);
  }

  /// Row by row, also where several are of the same point: to find these together would cost more,
  /// in branches that no processor foresees.
  static void change_line(const BoardView& board, const Planes& planes, const Changes& changes) {
    for (int k = 0; k < changes.count; ++k) {
      const RowChange& row = changes.rows[k];
      change_features(planes.features + row.point * C, planes.chunks + board.chunk[row.point] * C,
                      row);
    }
  }

  /// The second half of the channels goes on to the chunk's sums.
  static void change_features(i16* features, i32* chunk, const RowChange& row) {
    const i16 *const added = row.added, *const removed = row.removed;
#pragma GCC unroll 8
    for (int i = 0; i < C; i += Vec::N) {
      const Words before = Vec::load(features + i);
      const Words after = Vec::add(before, Vec::sub(Vec::load(added + i), Vec::load(removed + i)));
      Vec::store(features + i, after);
      if (i >= H) grow(chunk + i, before, after);
    }
  }

  /// The convolution of the points of one line: one run of neighbours after the other.
  static void convolve_line(const BoardView& board, const Convolution& conv, const Planes& planes,
                            int y, u32 line) {
    const bool above = y > 0, below = y + 1 < board.size;
    while (line != 0) {
      const int first = __builtin_ctz(line), end = first + __builtin_ctz(~(line >> first));
      line &= ~u32{0} << end;
      for (int part = 0; part < H; part += Vec::N) {
        const Run run{y * board.size, first, end, part};
        if (above && below)
          convolve_run<true, true>(board, conv, planes, run);
        else if (above)
          convolve_run<true, false>(board, conv, planes, run);
        else
          convolve_run<false, true>(board, conv, planes, run);
      }
    }
  }

  /// Points side by side, and the channels of a vector.
  struct Run {
    int line;        ///< the first point of their line
    int first, end;  ///< columns
    int part;        ///< the first channel
  };

  /// The features of a column that a point reads: above it, its own, below it.
  struct Column {
    Words rows[3];
  };

  /// Each column is read once, and goes to the points on its right, of its own and on its left. A
  /// bias of 8192 at most and the products of a point stay within 16 bits in any order: nine
  /// features of 4 FEATURE_MAX at most, and weights below 1.
  template <bool ABOVE, bool BELOW>
  static void convolve_run(const BoardView& board, const Convolution& conv, const Planes& planes,
                           Run run) {
    Words taps[9];
#pragma GCC unroll 9
    for (int tap = 0; tap < 9; ++tap) taps[tap] = Vec::load(conv.taps + tap * H + run.part);
    const Words bias = Vec::load(conv.bias + run.part);
    const std::ptrdiff_t line = board.size * C;
    const auto column = [&](int x) {
      const i16* const from = planes.features + (run.line + x) * C + run.part;
      Column read;
      if constexpr (ABOVE) read.rows[0] = Vec::relu(Vec::load(from - line));
      read.rows[1] = Vec::relu(Vec::load(from));
      if constexpr (BELOW) read.rows[2] = Vec::relu(Vec::load(from + line));
      return read;
    };
    const auto add = [&](Words sums, const Column& read, int dx) {
      if constexpr (ABOVE) sums = Vec::add_scaled(sums, read.rows[0], taps[1 + dx]);
      sums = Vec::add_scaled(sums, read.rows[1], taps[4 + dx]);
      if constexpr (BELOW) sums = Vec::add_scaled(sums, read.rows[2], taps[7 + dx]);
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
      i16* const old = planes.conv + point * H + run.part;
      const Words before = Vec::load(old);
      Vec::store(old, sums);
      grow(planes.chunks + board.chunk[point] * C + run.part, before, sums);
      sums = next;
    }
  }

  [[gnu::always_inline]] static void grow(i32* chunk, Words before, Words after) {
    Vec::store_totals(
        chunk, Vec::add(Vec::load_totals(chunk), Vec::sub(Vec::relu(after), Vec::relu(before))));
  }
};

}  // namespace

}  // namespace tengen::mixnet
