// SPDX-License-Identifier: MIT
// Progress of long work and a request to stop it. The worker reports and checks; others read and
// stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/types.h"

namespace tengen {

/// Thrown by work that was stopped.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped before its end"; }
};

/// Thread-safe on both sides.
class Progress {
 public:
  /// Sets the total amount of work, in any unit, and resets the progress.
  void begin(u64 total) {
    done_ = 0;
    total_ = total;
  }
  void add(u64 work) { done_.fetch_add(work, std::memory_order_relaxed); }
  /// Fraction done, from 0 to 1.
  double fraction() const {
    const u64 total = total_;
    return total == 0 ? 0.0
                      : std::min(1.0, static_cast<double>(done_) / static_cast<double>(total));
  }

  void stop() { stopped_ = true; }
  /// Throws Stopped after `stop`.
  void check() const {
    if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
  }

 private:
  std::atomic<u64> done_{0}, total_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace tengen
