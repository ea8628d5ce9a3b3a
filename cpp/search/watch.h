// SPDX-License-Identifier: MIT
// When a search has to end: node and time limits, a flag that other threads set, and a hook that is
// called now and then. Relies on base; every search counts its nodes here.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include "base/types.h"

namespace tengen {

/// Zero means "no limit".
struct Limits {
  double seconds = 0;
  u64 nodes = 0;
  /// Nodes between two looks at the clock and the flag: some 0.1 ms of a search with a quick
  /// evaluation. At least 1.
  u64 nodes_a_check = 128;
};

/// What made a search end.
enum class EndedBy : u8 { FINISHED, TIME, NODES, CANCELLED, MEMORY };

class Watch {
 public:
  /// Called about every 50 ms from the searching thread; a false answer ends the search.
  using Hook = std::function<bool()>;

  /// The clock starts now. `cancel` and `hook` may be absent; `cancel` must outlive this object.
  explicit Watch(const Limits& limits = {}, const std::atomic<bool>* cancel = nullptr,
                 Hook hook = {});
  /// The same with a deadline that others may set and move while the search runs: a time of
  /// now_in_nanoseconds(). It must outlive this object, too.
  Watch(const Limits& limits, const std::atomic<bool>& cancel, const std::atomic<i64>& deadline);

  /// Of the clock by which all limits are measured; it never goes back.
  static i64 now_in_nanoseconds();

  /// Counts one node (one play). False once the search has to end; then the node was not counted.
  bool count_node() {
    if (nodes_ >= next_check_ && !check()) return false;
    ++nodes_;
    return true;
  }

  /// Ends the search for a reason of the caller's.
  void stop(EndedBy reason) {
    ended_by_ = reason;
    next_check_ = 0;
  }

  bool stopped() const { return ended_by_ != EndedBy::FINISHED; }
  EndedBy ended_by() const { return ended_by_; }
  u64 nodes() const { return nodes_; }
  /// Since the clock was started.
  double seconds() const;

  /// Looks at the clock, the flag and the hook at once; for work that counts no nodes.
  bool check();

 private:
  using Clock = std::chrono::steady_clock;

  u64 nodes_ = 0;
  u64 next_check_ = 0;
  EndedBy ended_by_ = EndedBy::FINISHED;
  Limits limits_;
  const std::atomic<bool>* cancel_;
  const std::atomic<i64>* deadline_ = nullptr;
  Hook hook_;
  Clock::time_point start_;
  Clock::time_point next_hook_;
};

}  // namespace tengen
