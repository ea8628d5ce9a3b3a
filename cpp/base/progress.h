// SPDX-License-Identifier: MIT
// How far long work is, and whether somebody still wants it: the work tells and asks, others look
// and stop. Relies on types.h.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>

#include "base/types.h"

namespace tengen {

/// Thrown out of work that nobody wants any more.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped before its end"; }
};

/// For any number of threads on both sides.
class Progress {
 public:
  /// How much work there will be, in any unit; sets how far it is back to nothing.
  void begin(u64 total) {
    done_ = 0;
    total_ = total;
  }
  void add(u64 work) { done_.fetch_add(work, std::memory_order_relaxed); }
  /// The part that is done, from 0 to 1.
  double part() const {
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
