// SPDX-License-Identifier: MIT
// A parallel loop over index ranges.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/types.h"

namespace tengen {

/// Calls work(first, last) for ranges that cover 0 … count - 1, each index once, on up to `threads`
/// threads (0: one per core). A range has `length` indices, the last one fewer: the default is
/// short enough to balance the load and long enough to hide the cost of the counter. The first
/// exception thrown by a call ends the loop and is rethrown here.
template <typename Work>
void parallel_ranges(size_t count, int threads, Work work, size_t length = 64) {
  constexpr size_t MAX_THREADS = 256;
  const size_t ranges = (count + length - 1) / length;
  const size_t requested =
      threads > 0 ? static_cast<size_t>(threads) : std::thread::hardware_concurrency();
  const size_t workers =
      std::clamp<size_t>(requested, 1, std::clamp<size_t>(ranges, 1, MAX_THREADS));

  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&] {
    try {
      for (size_t i = next++; i < ranges; i = next++)
        work(i * length, std::min(count, (i + 1) * length));
    } catch (...) {
      next = ranges;
      const std::lock_guard guard(failure_lock);
      if (!failure) failure = std::current_exception();
    }
  };

  std::vector<std::thread> others;
  others.reserve(workers - 1);
  try {
    while (others.size() + 1 < workers) others.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads available: the existing ones and this one do the work.
  }
  run();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tengen
