// SPDX-License-Identifier: MIT
// Node and time limits of a search, a cancel flag set by other threads, and a periodic hook. Every
// search counts its nodes here.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/types.h"

namespace tengen {

/// 0 means no limit.
struct Limits {
  double seconds = 0;
  u64 nodes = 0;
  /// Nodes between two checks of the clock and the flag: about 0.1 ms with a fast evaluation. At
  /// least 1.
  u64 nodes_per_check = 128;
};

/// Why a search ended.
enum class StopReason : u8 { FINISHED, TIME, NODES, CANCELLED, MEMORY };

class StopCondition {
 public:
  /// Called about every 50 ms from the searching thread; returning false ends the search.
  using Hook = std::function<bool()>;

  /// Starts the clock. `cancel` and `hook` are optional; `cancel` must outlive this object.
  explicit StopCondition(const Limits& limits = {}, const std::atomic<bool>* cancel = nullptr,
                         Hook hook = {});
  /// With a deadline, in now_in_nanoseconds(), that other threads may change during the search. It
  /// must outlive this object.
  StopCondition(const Limits& limits, const std::atomic<bool>& cancel,
                const std::atomic<i64>& deadline, Hook hook = {});

  /// The monotonic clock of all limits.
  static i64 now_in_nanoseconds();
  /// The same in seconds.
  static double now() { return static_cast<double>(now_in_nanoseconds()) * 1e-9; }

  /// Counts one node (one play). False if the search must end; the node is then not counted.
  bool count_node() {
    if (nodes_ >= next_check_ && !check()) return false;
    ++nodes_;
    return true;
  }

  /// Ends the search for the given reason.
  void stop(StopReason reason) {
    stop_reason_ = reason;
    next_check_ = 0;
  }

  bool stopped() const { return stop_reason_ != StopReason::FINISHED; }
  StopReason stop_reason() const { return stop_reason_; }
  u64 nodes() const { return nodes_; }
  /// Seconds since construction.
  double seconds() const;

  /// Checks clock, flag and hook now; for work that counts no nodes.
  bool check();

 private:
  using Clock = std::chrono::steady_clock;

  u64 nodes_ = 0;
  u64 next_check_ = 0;
  StopReason stop_reason_ = StopReason::FINISHED;
  Limits limits_;
  const std::atomic<bool>* cancel_;
  const std::atomic<i64>* deadline_ = nullptr;
  Hook hook_;
  Clock::time_point start_;
  Clock::time_point next_hook_;
};

}  // namespace tengen
