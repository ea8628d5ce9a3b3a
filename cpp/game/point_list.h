// SPDX-License-Identifier: MIT
// A list of points with fixed capacity, without allocation.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>

#include "game/point.h"

namespace tengen {

template <int Capacity>
class PointList {
 public:
  /// Requires size() < Capacity.
  void push(Point p) {
    assert(size_ < Capacity);
    points_[size_++] = p;
  }
  void clear() { size_ = 0; }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Point operator[](int i) const { return points_[i]; }
  bool contains(Point p) const { return std::find(begin(), end(), p) != end(); }

  const Point* begin() const { return points_.data(); }
  const Point* end() const { return points_.data() + size_; }
  Point* begin() { return points_.data(); }
  Point* end() { return points_.data() + size_; }

  /// Keeps the points for which keep(point) holds, in their order.
  template <typename Keep>
  void keep_if(Keep keep) {
    size_ = static_cast<int>(std::remove_if(begin(), end(), [&](Point p) { return !keep(p); }) -
                             begin());
  }

 private:
  std::array<Point, Capacity> points_;
  int size_ = 0;
};

}  // namespace tengen
