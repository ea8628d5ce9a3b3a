// SPDX-License-Identifier: MIT
#include "mixnet/layout.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "mixnet/patterns.h"

namespace tengen::mixnet {

Layout::Layout(int lines) : size(lines), points(lines * lines) {
  int areas[CHUNKS] = {};
  for (int p = 0; p < points; ++p) {
    const int x = p % size, y = p / size;
    chunk.push_back(static_cast<u8>(3 * chunk_of_line(y, size) + chunk_of_line(x, size)));
    ++areas[chunk.back()];
    Taps& entry = taps.emplace_back();
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        // Tap (dy, dx) of point r reads r + (dy, dx); so this point is read by this one - (dy, dx).
        const int u = x - dx, v = y - dy;
        const bool on_board = u >= 0 && v >= 0 && u < size && v < size;
        entry.output_point[(dy + 1) * 3 + dx + 1] = static_cast<i16>(on_board ? v * size + u : -1);
      }
  }
  for (size_t k = 0; k < CHUNKS; ++k) means[k] = mean_over(areas[k]);
  means[CHUNKS] = mean_over(points);
  for (int p = 0; p < points; ++p) find_reach(p);
  reaches.push_back({static_cast<u32>(touched.size()), static_cast<u32>(reads.size())});
}

void Layout::find_reach(int point) {
  std::vector<int> changed;  // in the order of PointPatterns, each once
  for (const AffectedPattern& affected : PointPatterns::of(size).affected_by(point))
    if (changed.empty() || changed.back() != affected.point) changed.push_back(affected.point);
  std::vector<std::vector<Read>> read_by(static_cast<size_t>(points));
  for (size_t n = 0; n < changed.size(); ++n)
    for (int tap = 0; tap < 9; ++tap) {
      const int output_point = taps[static_cast<size_t>(changed[n])].output_point[tap];
      if (output_point < 0) continue;
      read_by[static_cast<size_t>(output_point)].push_back(
          {static_cast<u16>(n * READ_STEP), static_cast<u16>(tap * READ_STEP)});
    }
  std::vector<size_t> order;
  for (size_t p = 0; p < read_by.size(); ++p)
    if (!read_by[p].empty()) order.push_back(p);
  // By the number of reads, so that the loop count over them is predictable.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t p, size_t q) { return read_by[p].size() < read_by[q].size(); });
  reaches.push_back({static_cast<u32>(touched.size()), static_cast<u32>(reads.size())});
  for (const size_t p : order) {
    touched.push_back({static_cast<u16>(p), chunk[p], static_cast<u8>(read_by[p].size())});
    reads.insert(reads.end(), read_by[p].begin(), read_by[p].end());
  }
  max_affected = std::max(max_affected, static_cast<int>(touched.size() - reaches.back().touched));
}

const Layout& Layout::of(int size) {
  static std::array<std::unique_ptr<const Layout>, MAX_SIZE + 1> made;
  static std::mutex lock;
  const std::lock_guard guard(lock);
  auto& entry = made[static_cast<size_t>(size)];
  if (!entry) entry = std::make_unique<const Layout>(size);
  return *entry;
}

}  // namespace tengen::mixnet
