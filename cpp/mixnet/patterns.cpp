// SPDX-License-Identifier: MIT
#include "mixnet/patterns.h"

#include <algorithm>
#include <memory>
#include <mutex>

namespace tengen::mixnet {

namespace {

constexpr int STEP_X[DIRECTION_NB] = {1, 0, 1, 1};
constexpr int STEP_Y[DIRECTION_NB] = {0, 1, 1, -1};

/// Cells from a point to the edge in a direction, at most five.
int reach(int x, int y, int dx, int dy, int size) {
  int cells = 0;
  for (int i = 1; i <= HALF_REACH; ++i, ++cells) {
    const int u = x + i * dx, v = y + i * dy;
    if (u < 0 || v < 0 || u >= size || v >= size) break;
  }
  return cells;
}

}  // namespace

PointPatterns::PointPatterns(int size) : size_(size) {
  const int points = size * size;
  empty_.resize(static_cast<size_t>(points * DIRECTION_NB));
  for (int p = 0; p < points; ++p) {
    const int x = p % size, y = p / size;
    first_.push_back(static_cast<u32>(affected_.size()));
    for (int d = 0; d < DIRECTION_NB; ++d) {
      const int left = reach(x, y, -STEP_X[d], -STEP_Y[d], size);
      const int right = reach(x, y, STEP_X[d], STEP_Y[d], size);
      empty_[static_cast<size_t>(p * DIRECTION_NB + d)] =
          FIRST_HALF[static_cast<size_t>(left)] * 3 * HALF_NB +
          FIRST_HALF[static_cast<size_t>(right)];
      affected_.push_back({static_cast<u16>(p), static_cast<u16>(d), HALF_NB});
    }
    for (int d = 0; d < DIRECTION_NB; ++d) {
      for (int i = -HALF_REACH; i <= HALF_REACH; ++i) {
        const int u = x + i * STEP_X[d], v = y + i * STEP_Y[d];
        if (i == 0 || u < 0 || v < 0 || u >= size || v >= size) continue;
        // The stone is in the left half of (u, v) if (u, v) lies ahead of it; the distance is |i|.
        const bool in_left = i > 0;
        const int sign = in_left ? -1 : 1, distance = std::abs(i);
        const int length = reach(u, v, sign * STEP_X[d], sign * STEP_Y[d], size);
        const int weight = POWERS[static_cast<size_t>(length - distance)];
        affected_.push_back({static_cast<u16>(v * size + u), static_cast<u16>(d),
                             in_left ? weight * 3 * HALF_NB : weight});
      }
    }
  }
  first_.push_back(static_cast<u32>(affected_.size()));
}

const PointPatterns& PointPatterns::of(int size) {
  static std::array<std::unique_ptr<const PointPatterns>, MAX_SIZE + 1> made;
  static std::mutex lock;
  const std::lock_guard guard(lock);
  auto& entry = made[static_cast<size_t>(size)];
  if (!entry) entry.reset(new PointPatterns(size));
  return *entry;
}

}  // namespace tengen::mixnet
