// SPDX-License-Identifier: MIT
// A stone put on the feature sums of a position and taken back, over any set of vector operations:
// a part of kernels_inl.h.
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
                    const RowChange* changes, int count, const Kept& kept) {
    copy<i32, CHUNKS * C>(planes.chunks, kept.chunks);
    Changed changed[MAX_CHANGES];
    int points = 0;
    for (int i = 0; i < count;) {
      int next = i + 1;
      while (next < count && changes[next].point == changes[i].point) ++next;
      change_features(stone, planes, changes + i, next - i, changed[points],
                      kept.features + points * C);
      ++points;
      i = next;
    }
    convolve(stone, taps, planes, changed, kept.conv);
  }

  static void put_back(const StoneView& stone, const Planes& planes, const u16* points, int count,
                       const Kept& kept) {
    copy<i32, CHUNKS * C>(kept.chunks, planes.chunks);
    for (int i = 0; i < count; ++i)
      copy<i16, C>(kept.features + i * C, planes.features + points[i] * C);
    const i16* conv = kept.conv;
    for (const Layout::Touched* touched = stone.touched; touched != stone.end; ++touched, conv += H)
      copy<i16, H>(conv, planes.conv + touched->point * H);
  }

  template <typename T, int COUNT>
  static void copy(const T* from, T* to) {
    __builtin_memcpy(to, from, COUNT * sizeof(T));
  }

  /// The rows of one point. The second half of the channels goes on to the chunk's sums at once.
  static void change_features(const StoneView& stone, const Planes& planes, const RowChange* rows,
                              int count, Changed& changed, i16* kept) {
    const int point = rows[0].point;
    i16* features = planes.features + point * C;
    i32* chunk = planes.chunks + stone.chunk[point] * C;
    for (int i = 0; i < C; i += Half::N) {
      const auto before = Half::load(features + i);
      Half::store(kept + i, before);
      auto after = Half::add(
          before, Half::sub(Half::load(rows[0].added + i), Half::load(rows[0].removed + i)));
      for (int k = 1; k < count; ++k)  // of the stone's own point alone
        after = Half::add(
            after, Half::sub(Half::load(rows[k].added + i), Half::load(rows[k].removed + i)));
      Half::store(features + i, after);
      const auto was = Half::relu(before), is = Half::relu(after);
      if (i < H) {
        Half::store(changed.before + i, was);
        Half::store(changed.after + i, is);
      } else {
        Half::store_totals(chunk + i, Half::add(Half::load_totals(chunk + i), Half::sub(is, was)));
      }
    }
  }

  static constexpr int PARTS = H / Half::N;
  using Totals = typename Half::Totals[PARTS];

  /// Each point of the convolution once, with all changed points that it reads; chunk by chunk, so
  /// that the chunk's sums wait in registers.
  static void convolve(const StoneView& stone, const i16* taps, const Planes& planes,
                       const Changed* changed, i16* kept) {
    const Layout::Read* read = stone.reads;
    for (const Layout::Touched* touched = stone.touched; touched != stone.end;) {
      const int which = touched->chunk;
      i32* const chunk = planes.chunks + which * C;
      Totals totals;
      for (int i = 0; i < PARTS; ++i) totals[i] = Half::load_totals(chunk + i * Half::N);
      for (; touched != stone.end && touched->chunk == which; ++touched, kept += H) {
        convolve_point(planes.conv + touched->point * H, taps, changed, read, touched->reads, kept,
                       totals);
        read += touched->reads;
      }
      for (int i = 0; i < PARTS; ++i) Half::store_totals(chunk + i * Half::N, totals[i]);
    }
  }

  [[gnu::always_inline]] static void convolve_point(i16* conv, const i16* taps,
                                                    const Changed* changed,
                                                    const Layout::Read* reads, int count, i16* kept,
                                                    Totals& totals) {
    typename Half::Words before[PARTS], sums[PARTS];
    for (int i = 0; i < PARTS; ++i) before[i] = sums[i] = Half::load(conv + i * Half::N);
    for (int k = 0; k < count; ++k) {
      const Changed& entry = changed[reads[k].changed];
      const i16* const weights = taps + reads[k].tap * H;
      for (int i = 0; i < PARTS; ++i) {
        const auto weight = Half::load(weights + i * Half::N);
        const auto come = Half::scaled(Half::load(entry.after + i * Half::N), weight);
        const auto gone = Half::scaled(Half::load(entry.before + i * Half::N), weight);
        sums[i] = Half::add(sums[i], Half::sub(come, gone));
      }
    }
    for (int i = 0; i < PARTS; ++i) {
      Half::store(kept + i * Half::N, before[i]);
      Half::store(conv + i * Half::N, sums[i]);
      totals[i] = Half::add(totals[i], Half::sub(Half::relu(sums[i]), Half::relu(before[i])));
    }
  }
};

}  // namespace

}  // namespace tengen::mixnet
