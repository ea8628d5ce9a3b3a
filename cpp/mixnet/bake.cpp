// SPDX-License-Identifier: MIT
// Layer by layer over all windows: 3 cells around a point, then 5, 7, 9, 11, each cut at the edge.
// A layer reads three windows of the previous layer: around the left cell, the cell itself and the
// right cell. There are few of those, so their contributions are computed once each and only added
// for the many larger windows.
#include "mixnet/bake.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/crc32.h"
#include "base/parallel.h"
#include "mixnet/patterns.h"
#include "os/os.h"

namespace tengen::mixnet {

namespace {

using Rows = std::vector<float>;  ///< [window][channels]

constexpr int halves_up_to(int reach) { return (POWERS[static_cast<size_t>(reach) + 1] - 1) / 2; }
constexpr size_t windows(int reach) {
  return static_cast<size_t>(halves_up_to(reach)) * 3 * static_cast<size_t>(halves_up_to(reach));
}

/// A half: its cells, nearest first, as base-3 digits.
struct Half {
  int length = 0;
  std::array<int, HALF_REACH> cells{};
};

Half half_of(int number) {
  Half half;
  while (half.length < HALF_REACH && number >= FIRST_HALF[static_cast<size_t>(half.length) + 1])
    ++half.length;
  int rest = number - FIRST_HALF[static_cast<size_t>(half.length)];
  for (int i = half.length - 1; i >= 0; --i, rest /= 3)
    half.cells[static_cast<size_t>(i)] = rest % 3;
  return half;
}

/// The number of a half, cut after `reach` cells.
int half_number(const int* cells, int length, int reach) {
  const int kept = std::min(length, reach);
  int number = 0;
  for (int i = 0; i < kept; ++i) number = 3 * number + cells[i];
  return FIRST_HALF[static_cast<size_t>(kept)] + number;
}

/// The three windows, smaller by one on each side, that a window's layer reads; -1: off board.
struct Neighbours {
  std::array<i32, 3> window;
};

std::vector<Neighbours> neighbours_of(int reach) {
  const int halves = halves_up_to(reach), inner = halves_up_to(reach - 1);
  std::vector<Half> all;
  for (int i = 0; i < halves; ++i) all.push_back(half_of(i));
  const auto number = [&](int left, int centre, int right) {
    return static_cast<i32>((left * 3 + centre) * inner + right);
  };
  std::vector<Neighbours> result(windows(reach));
  for (int l = 0; l < halves; ++l)
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < halves; ++r) {
        const Half &left = all[static_cast<size_t>(l)], &right = all[static_cast<size_t>(r)];
        Neighbours& entry = result[static_cast<size_t>((l * 3 + c) * halves + r)];
        entry.window = {-1,
                        number(half_number(left.cells.data(), left.length, reach - 1), c,
                               half_number(right.cells.data(), right.length, reach - 1)),
                        -1};
        // For the cell to the left, the point and the cells right of it are the right half.
        std::array<int, HALF_REACH + 1> beyond{};
        if (left.length > 0) {
          beyond[0] = c;
          std::copy_n(right.cells.begin(), HALF_REACH, beyond.begin() + 1);
          entry.window[0] =
              number(half_number(left.cells.data() + 1, left.length - 1, reach - 1), left.cells[0],
                     half_number(beyond.data(), right.length + 1, reach - 1));
        }
        if (right.length > 0) {
          beyond[0] = c;
          std::copy_n(left.cells.begin(), HALF_REACH, beyond.begin() + 1);
          entry.window[2] =
              number(half_number(beyond.data(), left.length + 1, reach - 1), right.cells[0],
                     half_number(right.cells.data() + 1, right.length - 1, reach - 1));
        }
      }
  return result;
}

constexpr int SLAB = 32;  ///< outputs summed per pass: as many as fit into registers

/// A non-zero input and the offset of its weights.
struct Term {
  u32 weights;
  float x;
};

/// Non-zero inputs of several windows. After a ReLU most are zero; skipping them changes at most
/// the sign of a zero sum, which the quantised result does not contain.
class Terms {
 public:
  void clear() {
    terms_.clear();
    ends_.clear();
  }
  void add(const float* inputs, int count) {
    size_t end = terms_.size();
    terms_.resize(end + static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      terms_[end] = {static_cast<u32>(i * SLAB), inputs[i]};
      end += inputs[i] != 0;
    }
    terms_.resize(end);
    ends_.push_back(end);
  }

  size_t windows() const { return ends_.size(); }
  const Term* begin(size_t window) const {
    return terms_.data() + (window == 0 ? 0 : ends_[window - 1]);
  }
  const Term* end(size_t window) const { return terms_.data() + ends_[window]; }

 private:
  std::vector<Term> terms_;
  std::vector<size_t> ends_;  ///< of each window
};

/// A vector of WIDTH floats, unaligned.
template <int WIDTH>
struct Lanes {
  typedef float Type __attribute__((vector_size(WIDTH * sizeof(float)), aligned(4), may_alias));
};

/// to[o] += weights[i][o] * x[i], i ascending, for the outputs of a slab; each product and each sum
/// is rounded separately (-ffp-contract=off), so the result does not depend on the width. There is
/// no loop over the outputs: compilers would interchange it and keep the sums in memory.
template <int WIDTH, size_t... K>
[[gnu::always_inline]] inline void add_terms(const float* weights, const Term* term,
                                             const Term* end, float* to,
                                             std::index_sequence<K...>) {
  using Lane = typename Lanes<WIDTH>::Type;
  Lane sums[] = {reinterpret_cast<const Lane*>(to)[K]...};
  for (; term != end; ++term) {
    const auto* const row = reinterpret_cast<const Lane*>(weights + term->weights);
    ((sums[K] += row[K] * term->x), ...);
  }
  ((reinterpret_cast<Lane*>(to)[K] = sums[K]), ...);
}

using AddTerms = void (*)(const float*, const Term*, const Term*, float*);

void add_terms_plain(const float* weights, const Term* term, const Term* end, float* to) {
  add_terms<4>(weights, term, end, to, std::make_index_sequence<SLAB / 4>());
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void add_terms_avx2(const float* weights, const Term* term,
                                                    const Term* end, float* to) {
  add_terms<8>(weights, term, end, to, std::make_index_sequence<SLAB / 8>());
}
#endif

AddTerms choose_add_terms() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) return add_terms_avx2;
#endif
  return add_terms_plain;
}

/// The weights of a tap as [slab][in][SLAB], zero-padded: a slab stays in the cache for many
/// windows.
class Slabs {
 public:
  Slabs(const FloatLayer& layer, int tap) : in_(layer.in), out_(layer.out) {
    const int slabs = (out_ + SLAB - 1) / SLAB;
    weights_.resize(static_cast<size_t>(slabs * in_ * SLAB));
    for (int o = 0; o < out_; ++o)
      for (int i = 0; i < in_; ++i)
        weights_[static_cast<size_t>((o / SLAB * in_ + i) * SLAB + o % SLAB)] =
            layer.weight(o, i, tap);
  }

  /// Adds the products with the inputs to the sums, [window][out].
  void add_products(const Terms& terms, float* sums) const {
    static const AddTerms add = choose_add_terms();
    for (int begin = 0; begin < out_; begin += SLAB) {
      const float* const slab = &weights_[static_cast<size_t>(begin * in_)];
      const auto width = static_cast<size_t>(std::min(SLAB, out_ - begin));
      for (size_t n = 0; n < terms.windows(); ++n) {
        float* const to = sums + n * static_cast<size_t>(out_) + begin;
        if (width == SLAB) {
          add(slab, terms.begin(n), terms.end(n), to);
        } else {
          float buffer[SLAB] = {};
          std::copy_n(to, width, buffer);
          add(slab, terms.begin(n), terms.end(n), buffer);
          std::copy_n(buffer, width, to);
        }
      }
    }
  }
  /// Multiplications for one window, zeros included.
  u64 cost() const { return static_cast<u64>(in_) * static_cast<u64>(out_); }

 private:
  int in_, out_;
  Rows weights_;
};

/// A parallel loop over windows that reports progress and can be stopped.
template <typename Work>
void for_each_range(const BakeOptions& options, size_t count, u64 cost, Work work) {
  parallel_ranges(count, options.threads, [&](size_t first, size_t last) {
    if (options.progress != nullptr) options.progress->check();
    work(first, last);
    if (options.progress == nullptr) return;
    options.progress->add((last - first) * cost);
    if (options.report) options.report(options.progress->fraction());
  });
}

void relu(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = values[i] > 0 ? values[i] : 0;
}

/// Contributions of each window to its neighbours: one array per tap.
std::array<Rows, 3> contributions(const Rows& from, const FloatLayer& layer,
                                  const BakeOptions& options) {
  const auto in = static_cast<size_t>(layer.in), out = static_cast<size_t>(layer.out);
  const size_t count = from.size() / in;
  const std::array<Slabs, 3> taps = {Slabs(layer, 0), Slabs(layer, 1), Slabs(layer, 2)};
  std::array<Rows, 3> result;
  for (Rows& sums : result) sums.assign(count * out, 0.0f);
  for_each_range(options, count, 3 * taps[0].cost(), [&](size_t first, size_t last) {
    Terms terms;
    for (size_t n = first; n < last; ++n) terms.add(&from[n * in], layer.in);
    for (size_t tap = 0; tap < 3; ++tap) taps[tap].add_products(terms, &result[tap][first * out]);
  });
  return result;
}

/// ((bias + first) + second) + third, ReLU.
void along_line(const std::array<Rows, 3>& parts, const Neighbours& near, const FloatLayer& layer,
                float* to) {
  std::copy(layer.bias.begin(), layer.bias.end(), to);
  for (size_t tap = 0; tap < 3; ++tap) {
    if (near.window[tap] < 0) continue;
    const float* part =
        &parts[tap][static_cast<size_t>(near.window[tap]) * static_cast<size_t>(layer.out)];
    for (int o = 0; o < layer.out; ++o) to[o] += part[o];
  }
  relu(to, layer.out);
}

/// A residual block: convolution along the line, then pointwise over the channels.
class Block {
 public:
  Block(const Rows& from, const FloatLayer& along, const FloatLayer& across,
        const BakeOptions& options)
      : from_(from),
        parts_(contributions(from, along, options)),
        along_(along),
        across_(across),
        slabs_(across, 0) {}

  /// Features of `count` windows with these neighbours. `buffer` has one row; `terms` is scratch.
  void compute(const Neighbours* near, size_t count, Rows& buffer, Terms& terms, float* to) const {
    const auto out = static_cast<size_t>(across_.out);
    terms.clear();
    for (size_t n = 0; n < count; ++n) {
      along_line(parts_, near[n], along_, buffer.data());
      terms.add(buffer.data(), across_.in);
      std::copy(across_.bias.begin(), across_.bias.end(), to + n * out);
    }
    slabs_.add_products(terms, to);
    for (size_t n = 0; n < count; ++n, to += out) {
      relu(to, across_.out);
      const float* before = &from_[static_cast<size_t>(near[n].window[1]) * out];
      for (size_t o = 0; o < out; ++o) to[o] = before[o] + to[o];
    }
  }
  /// Multiplications for one window.
  u64 cost() const { return slabs_.cost(); }

 private:
  const Rows& from_;
  std::array<Rows, 3> parts_;
  const FloatLayer &along_, &across_;
  Slabs slabs_;
};

/// The first layer reads single cells: own, opponent's or empty.
Rows first_layer(const FloatLayer& layer) {
  const Rows cells = {0, 0, 1, 0, 0, 1};  // [empty, own, opponent][2]
  const auto parts = contributions(cells, layer, {.threads = 1});
  const auto near = neighbours_of(1);
  Rows result(near.size() * static_cast<size_t>(layer.out));
  for (size_t n = 0; n < near.size(); ++n)
    along_line(parts, near[n], layer, &result[n * static_cast<size_t>(layer.out)]);
  return result;
}

/// Features of all windows of four cells to each side.
Rows inner_features(const MappingWeights& weights, size_t m, const BakeOptions& options) {
  Rows features = first_layer(weights.first);
  for (int reach = 2; reach < HALF_REACH; ++reach) {
    const auto k = static_cast<size_t>(reach - 2);
    const Block block(features, weights.along[k], weights.across[k], options);
    const auto near = neighbours_of(reach);
    Rows next(near.size() * m);
    for_each_range(options, near.size(), block.cost(), [&](size_t first, size_t last) {
      Rows buffer(m);
      Terms terms;
      block.compute(&near[first], last - first, buffer, terms, &next[first * m]);
    });
    features = std::move(next);
  }
  return features;
}

/// Throws std::invalid_argument for NaN.
i16 quantised(float feature) {
  if (std::isnan(feature))
    throw std::invalid_argument("the net's codebooks overflow: its mapping weights are too large");
  const float kept = std::clamp(feature, -16.0f, 16.0f);
  return static_cast<i16>(std::nearbyint(kept * FEATURE_SCALE));
}

/// Multiplications of `bake`, zeros included.
u64 cost_of(const Shape& shape) {
  const auto m = static_cast<u64>(shape.m), c = static_cast<u64>(shape.c);
  u64 cost = windows(HALF_REACH) * m * c;
  for (int reach = 2; reach <= HALF_REACH; ++reach)
    cost += (3 * windows(reach - 1) + windows(reach)) * m * m;
  return cost;
}

}  // namespace

Codebook bake(const MappingWeights& weights, const Shape& shape, const BakeOptions& options) {
  const auto m = static_cast<size_t>(shape.m), c = static_cast<size_t>(shape.c);
  const Rows features = inner_features(weights, m, options);
  const Block block(features, weights.along.back(), weights.across.back(), options);
  const auto near = neighbours_of(HALF_REACH);
  const Slabs last_layer(weights.last, 0);
  Codebook book(near.size() * c);
  for_each_range(options, near.size(), block.cost() + last_layer.cost(),
                 [&](size_t first, size_t last) {
                   const size_t count = last - first;
                   Rows buffer(m), inner(count * m), result(count * c);
                   Terms terms;
                   block.compute(&near[first], count, buffer, terms, inner.data());
                   terms.clear();
                   for (size_t n = 0; n < count; ++n) {
                     terms.add(&inner[n * m], shape.m);
                     std::copy(weights.last.bias.begin(), weights.last.bias.end(), &result[n * c]);
                   }
                   last_layer.add_products(terms, result.data());
                   for (size_t i = 0; i < count * c; ++i)
                     book[first * c + i] = quantised(result[i]);
                 });
  return book;
}

Codebooks bake(const Weights& weights, const BakeOptions& options) {
  if (options.in_background) os::lower_thread_priority();
  if (options.progress != nullptr) options.progress->begin(2 * cost_of(weights.shape));
  Codebooks result{bake(weights.mapping[0], weights.shape, options),
                   bake(weights.mapping[1], weights.shape, options)};
  const u64 checksum = codebook_checksum(result), expected = weights.codebook_checksum;
  if (expected != 0 && expected != checksum)
    throw std::runtime_error("the baked codebook is not the one that the net file specifies");
  return result;
}

u64 codebook_checksum(const Codebooks& books) {
  std::array<u32, 2> result{};
  parallel_ranges(
      result.size(), 2, [&](size_t i, size_t) { result[i] = crc32(bytes_of(books[i])); }, 1);
  return u64{result[0]} << 32 | result[1];
}

}  // namespace tengen::mixnet
