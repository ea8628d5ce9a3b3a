// SPDX-License-Identifier: MIT
// Layer by layer over the windows that there are: of 3 cells around a point, then 5, 7, 9, 11, each
// cut at the edge. A layer looks at three windows of the layer before: around the cell to the left,
// the cell itself, the cell to the right. There are few of them, so that what each contributes is
// worked out once for each of these windows, and only added for each of the many larger ones.
#include "mixnet/bake.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/crc32.h"
#include "base/parallel.h"
#include "mixnet/patterns.h"

namespace tengen::mixnet {

namespace {

using Rows = std::vector<float>;  ///< [window][channels]

constexpr int halves_up_to(int reach) { return (POWERS[static_cast<size_t>(reach) + 1] - 1) / 2; }
constexpr size_t windows(int reach) {
  return static_cast<size_t>(halves_up_to(reach)) * 3 * static_cast<size_t>(halves_up_to(reach));
}

/// A half: its cells from the nearest on, digits to the base 3.
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

/// The number of a half made of cells, cut after `reach` of them.
int half_number(const int* cells, int length, int reach) {
  const int kept = std::min(length, reach);
  int number = 0;
  for (int i = 0; i < kept; ++i) number = 3 * number + cells[i];
  return FIRST_HALF[static_cast<size_t>(kept)] + number;
}

/// The three windows, smaller by one on each side, that a window's layer looks at; -1: off board.
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
  std::vector<Neighbours> found(windows(reach));
  for (int l = 0; l < halves; ++l)
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < halves; ++r) {
        const Half &left = all[static_cast<size_t>(l)], &right = all[static_cast<size_t>(r)];
        Neighbours& entry = found[static_cast<size_t>((l * 3 + c) * halves + r)];
        entry.window = {-1,
                        number(half_number(left.cells.data(), left.length, reach - 1), c,
                               half_number(right.cells.data(), right.length, reach - 1)),
                        -1};
        // Seen from the cell to the left, the point and what lies right of it are its right half.
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
  return found;
}

/// Weights of one tap as [in][out], so that a sum over inputs runs over whole rows.
Rows turned(const FloatLayer& layer, int tap) {
  Rows found(static_cast<size_t>(layer.in * layer.out));
  for (int i = 0; i < layer.in; ++i)
    for (int o = 0; o < layer.out; ++o)
      found[static_cast<size_t>(i * layer.out + o)] = layer.weight(o, i, tap);
  return found;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENGEN_WIDER __attribute__((target_clones("avx2", "default")))
#else
#define TENGEN_WIDER
#endif

/// to[o] += weights[i][o] * from[i], i ascending; each product and each sum is rounded by itself
/// (the build forbids fused ones), so that wider registers change nothing. Blocks of outputs stay
/// in registers.
TENGEN_WIDER void add_products(const float* weights, const float* from, int in, int out,
                               float* to) {
  constexpr int BLOCK = 32;
  for (int begin = 0; begin < out; begin += BLOCK) {
    const int width = std::min(BLOCK, out - begin);
    float sums[BLOCK];
    std::copy_n(to + begin, width, sums);
    if (width == BLOCK) {
      for (int i = 0; i < in; ++i) {
        const float x = from[i];
        const float* row = weights + static_cast<size_t>(i) * static_cast<size_t>(out) + begin;
        for (int o = 0; o < BLOCK; ++o) sums[o] += row[o] * x;
      }
    } else {
      for (int i = 0; i < in; ++i)
        for (int o = 0; o < width; ++o)
          sums[o] += weights[static_cast<size_t>(i * out + begin + o)] * from[i];
    }
    std::copy_n(sums, width, to + begin);
  }
}

void relu(float* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = values[i] > 0 ? values[i] : 0;
}

/// What each window contributes to its neighbours: one array for each tap.
std::array<Rows, 3> contributions(const Rows& from, const FloatLayer& layer, int threads) {
  const size_t count = from.size() / static_cast<size_t>(layer.in);
  std::array<Rows, 3> found;
  for (int tap = 0; tap < 3; ++tap) {
    const Rows weights = turned(layer, tap);
    Rows& sums = found[static_cast<size_t>(tap)];
    sums.assign(count * static_cast<size_t>(layer.out), 0.0f);
    parallel_ranges(count, threads, [&](size_t first, size_t last) {
      for (size_t n = first; n < last; ++n)
        add_products(weights.data(), &from[n * static_cast<size_t>(layer.in)], layer.in, layer.out,
                     &sums[n * static_cast<size_t>(layer.out)]);
    });
  }
  return found;
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

/// A block without its last step: along the line, across the channels, and what was there before.
class Block {
 public:
  Block(const Rows& from, const FloatLayer& along, const FloatLayer& across, int threads)
      : from_(from),
        parts_(contributions(from, along, threads)),
        along_(along),
        across_(across),
        turned_(turned(across, 0)) {}

  /// Features of a window with those neighbours; `room` is for as many numbers.
  void work_out(const Neighbours& near, float* room, float* to) const {
    along_line(parts_, near, along_, room);
    std::copy(across_.bias.begin(), across_.bias.end(), to);
    add_products(turned_.data(), room, across_.in, across_.out, to);
    relu(to, across_.out);
    const float* before =
        &from_[static_cast<size_t>(near.window[1]) * static_cast<size_t>(across_.out)];
    for (int o = 0; o < across_.out; ++o) to[o] = before[o] + to[o];
  }

 private:
  const Rows& from_;
  std::array<Rows, 3> parts_;
  const FloatLayer &along_, &across_;
  Rows turned_;
};

/// The first layer looks at single cells: own, the opponent's, or none.
Rows first_layer(const FloatLayer& layer, int threads) {
  const Rows cells = {0, 0, 1, 0, 0, 1};  // [empty, own, opponent][2]
  const auto parts = contributions(cells, layer, threads);
  const auto near = neighbours_of(1);
  Rows found(near.size() * static_cast<size_t>(layer.out));
  for (size_t n = 0; n < near.size(); ++n)
    along_line(parts, near[n], layer, &found[n * static_cast<size_t>(layer.out)]);
  return found;
}

i16 quantised(float feature) {
  const float kept = std::clamp(feature, -16.0f, 16.0f);
  return static_cast<i16>(std::nearbyint(kept * FEATURE_SCALE));
}

}  // namespace

Codebook bake(const MappingWeights& weights, const Shape& shape, int threads) {
  const auto m = static_cast<size_t>(shape.m), c = static_cast<size_t>(shape.c);
  Rows features = first_layer(weights.first, threads);
  for (int reach = 2; reach < HALF_REACH; ++reach) {
    const auto k = static_cast<size_t>(reach - 2);
    const Block block(features, weights.along[k], weights.across[k], threads);
    const auto near = neighbours_of(reach);
    Rows next(near.size() * m);
    parallel_ranges(near.size(), threads, [&](size_t first, size_t last) {
      Rows room(m);
      for (size_t n = first; n < last; ++n) block.work_out(near[n], room.data(), &next[n * m]);
    });
    features = std::move(next);
  }
  const Block block(features, weights.along.back(), weights.across.back(), threads);
  const auto near = neighbours_of(HALF_REACH);
  const Rows out = turned(weights.last, 0);
  Codebook book(near.size() * c);
  parallel_ranges(near.size(), threads, [&](size_t first, size_t last) {
    Rows room(m), inner(m), found(c);
    for (size_t n = first; n < last; ++n) {
      block.work_out(near[n], room.data(), inner.data());
      found = weights.last.bias;
      add_products(out.data(), inner.data(), shape.m, shape.c, found.data());
      for (size_t i = 0; i < c; ++i) book[n * c + i] = quantised(found[i]);
    }
  });
  return book;
}

u64 codebook_checksum(const Codebook& straight, const Codebook& diagonal) {
  const auto bytes = [](const Codebook& book) {
    return std::string_view(reinterpret_cast<const char*>(&book[0]), book.bytes());
  };
  return u64{crc32(bytes(straight))} << 32 | crc32(bytes(diagonal));
}

}  // namespace tengen::mixnet
