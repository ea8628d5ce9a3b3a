// SPDX-License-Identifier: MIT
// Adds a stone to the feature sums, undoes it, or computes the sums after it. Generic over vector
// operations; part of kernels_inl.h.
#pragma once

#include "mixnet/kernels.h"

namespace tengen::mixnet {

// In an anonymous namespace: each file that includes this compiles it for its own instruction set.
namespace {

/// Contribution of a changed point to a sum, before and after.
template <typename Vec>
struct TwoVectors {
  typename Vec::Words removed, added;

  static TwoVectors scaled(const i16* before, const i16* after, const i16* weights) {
    const auto weight = Vec::load(weights);
    return {Vec::scaled(Vec::load(before), weight), Vec::scaled(Vec::load(after), weight)};
  }
  void add_scaled(const i16* before, const i16* after, const i16* weights) {
    const auto weight = Vec::load(weights);
    removed = Vec::add_scaled(removed, Vec::load(before), weight);
    added = Vec::add_scaled(added, Vec::load(after), weight);
  }
  typename Vec::Words delta() const { return Vec::sub(added, removed); }
};

/// The same in one register, for vector types that have Pair.
template <typename Vec>
struct PairOf {
  using Type = TwoVectors<Vec>;
};
template <typename Vec>
  requires requires { typename Vec::Pair; }
struct PairOf<Vec> {
  using Type = typename Vec::Pair;
};

template <typename Vec, int C>
struct Update {
  static constexpr int H = C / 2;
  static_assert(H % Vec::N == 0);

  /// Words per changed point: its features before, then after, of the first half of the channels.
  static constexpr int CHANGED = 2 * H;

  static void apply(const StoneView& stone, const i16* weights, const AccumulatorState& state,
                    const RowChange* changes, int count, const SavedValues& saved) {
    copy_chunks(state.chunks, saved.chunks);
    put<true>(stone, weights, state, changes, count, saved);
  }

  static void preview_add(const StoneView& stone, const i16* weights, const AccumulatorState& state,
                          const RowChange* changes, int count, i32* chunks) {
    copy_chunks(state.chunks, chunks);
    const SavedValues untouched{state.features, state.conv, chunks};
    put<false>(stone, weights, {state.features, state.conv, chunks}, changes, count, untouched);
  }

  static void restore(const StoneView& stone, const AccumulatorState& state, const u16* points,
                      int count, const SavedValues& saved) {
    copy_chunks(saved.chunks, state.chunks);
    for (int i = 0; i < count; ++i) copy<C>(saved.features + i * C, state.features + points[i] * C);
    const i16* conv = saved.conv;
    for (const Layout::Touched* touched = stone.touched; touched != stone.end; ++touched, conv += H)
      copy<H>(conv, state.conv + touched->point * H);
  }

  /// Adds the changes of a stone to the chunk sums; WRITE also updates features and convolution and
  /// saves old values to `saved`.
  template <bool WRITE>
  [[gnu::always_inline]] static void put(const StoneView& stone, const i16* weights,
                                         const AccumulatorState& state, const RowChange* changes,
                                         int count, const SavedValues& saved) {
    alignas(64) i16 changed[MAX_CHANGES * CHANGED];
    int points = 0;
    for (int i = 0; i < count;) {
      int next = i + 1;
      while (next < count && changes[next].point == changes[i].point) ++next;
      change_features<WRITE>(stone, state, changes + i, next - i, changed + points * CHANGED,
                             saved.features + points * C);
      ++points;
      i = next;
    }
    convolve<WRITE>(stone, weights, state, changed, saved.conv);
  }

  template <int COUNT>
  static void copy(const i16* from, i16* to) {
    __builtin_memcpy(to, from, COUNT * sizeof(i16));
  }

  /// Vector by vector: a large memcpy would become an instruction with a long start-up time.
  static void copy_chunks(const i32* from, i32* to) {
#pragma GCC unroll 4
    for (int i = 0; i < CHUNKS * C; i += Vec::N)
      Vec::store_totals(to + i, Vec::load_totals(from + i));
  }

  /// The rows of one point; only the stone's own point has several.
  template <bool WRITE>
  static void change_features(const StoneView& stone, const AccumulatorState& state,
                              const RowChange* rows, int count, i16* changed, i16* saved) {
    const int point = rows[0].point;
    i16* const features = state.features + point * C;
    i32* const chunk = state.chunks + stone.chunk[point] * C;
    const auto updated = [](auto before, const RowChange& row, int i) {
      return Vec::add(before, Vec::sub(Vec::load(row.added + i), Vec::load(row.removed + i)));
    };
    if (count == 1) {
      const RowChange row = rows[0];
      change_point<WRITE>(features, chunk, changed, saved,
                          [&](auto before, int i) { return updated(before, row, i); });
    } else {
      change_point<WRITE>(features, chunk, changed, saved, [&](auto before, int i) {
        auto after = before;
        for (int k = 0; k < count; ++k) after = updated(after, rows[k], i);
        return after;
      });
    }
  }

  /// The first half of the channels goes through the convolution, the second directly to the chunk
  /// sums.
  template <bool WRITE, typename After>
  [[gnu::always_inline]] static void change_point(i16* features, i32* chunk, i16* changed,
                                                  i16* saved, const After& after_of) {
    for (int i = 0; i < C; i += Vec::N) {
      const auto before = Vec::load(features + i), after = after_of(before, i);
      if constexpr (WRITE) {
        Vec::store(saved + i, before);
        Vec::store(features + i, after);
      }
      const auto old_relu = Vec::relu(before), new_relu = Vec::relu(after);
      if (i < H) {
        Vec::store(changed + i, old_relu);
        Vec::store(changed + H + i, new_relu);
      } else {
        Vec::store_totals(chunk + i,
                          Vec::add(Vec::load_totals(chunk + i), Vec::sub(new_relu, old_relu)));
      }
    }
  }

  static constexpr int PARTS = H / Vec::N;
  using Pair = typename PairOf<Vec>::Type;

  /// Each point of the convolution once, with all changed points that it reads, ordered by their
  /// number: so branches are predictable.
  template <bool WRITE>
  static void convolve(const StoneView& stone, const i16* weights, const AccumulatorState& state,
                       const i16* changed, i16* saved) {
    const Layout::Read* read = stone.reads;
    const Layout::Touched* touched = stone.touched;
    const auto point = [&](int reads) {
      const Delta delta = multiply(weights, changed, read, reads);
      finish<WRITE>(delta, state.conv + touched->point * H, state.chunks + touched->chunk * C,
                    saved);
      read += reads;
      saved += H;
      ++touched;
    };
    const auto points = [&]<int READS>() {
      while (touched != stone.end && touched->reads == READS) point(READS);
    };
    points.template operator()<1>();
    points.template operator()<2>();
    points.template operator()<3>();
    while (touched != stone.end) point(touched->reads);
  }

  /// Increment of a convolution point.
  struct Delta {
    typename Vec::Words parts[PARTS];
  };

  [[gnu::always_inline]] static Delta multiply(const i16* weights, const i16* changed,
                                               const Layout::Read* reads, int count) {
    // Stays within 16 bits: nine features of at most 4 FEATURE_MAX, and weights below 1.
    Pair sums[PARTS];
    read_point(changed, weights, reads[0],
               [&](int i, auto... operands) { sums[i] = Pair::scaled(operands...); });
    for (int k = 1; k < count; ++k)
      read_point(changed, weights, reads[k],
                 [&](int i, auto... operands) { sums[i].add_scaled(operands...); });
    Delta delta;
    for (int i = 0; i < PARTS; ++i) delta.parts[i] = sums[i].delta();
    return delta;
  }

  template <typename Work>
  [[gnu::always_inline]] static void read_point(const i16* changed, const i16* weights,
                                                const Layout::Read& read, const Work& work) {
    constexpr int STEP = Layout::READ_STEP;
    static_assert(H % STEP == 0);
    const i16* const before = changed + std::size_t{read.changed} * (CHANGED / STEP);
    const i16* const after = before + H;
    const i16* const row = weights + std::size_t{read.tap} * (H / STEP);
    for (int i = 0; i < PARTS; ++i)
      work(i, before + i * Vec::N, after + i * Vec::N, row + i * Vec::N);
  }

  template <bool WRITE>
  [[gnu::always_inline]] static void finish(const Delta& delta, i16* conv, i32* chunk, i16* saved) {
    for (int i = 0; i < H; i += Vec::N) {
      const auto before = Vec::load(conv + i), after = Vec::add(before, delta.parts[i / Vec::N]);
      if constexpr (WRITE) {
        Vec::store(saved + i, before);
        Vec::store(conv + i, after);
      }
      const auto updated = Vec::sub(Vec::relu(after), Vec::relu(before));
      Vec::store_totals(chunk + i, Vec::add(Vec::load_totals(chunk + i), updated));
    }
  }
};

}  // namespace

}  // namespace tengen::mixnet
