// SPDX-License-Identifier: MIT
#include "base/stop_condition.h"

#include <algorithm>
#include <utility>

namespace tengen {

namespace {

constexpr auto HOOK_PERIOD = std::chrono::milliseconds(50);

}  // namespace

StopCondition::StopCondition(const Limits& limits, const std::atomic<bool>* cancel, Hook hook)
    : limits_(limits),
      cancel_(cancel),
      hook_(std::move(hook)),
      start_(Clock::now()),
      next_hook_(start_ + HOOK_PERIOD) {}

StopCondition::StopCondition(const Limits& limits, const std::atomic<bool>& cancel,
                             const std::atomic<i64>& deadline, Hook hook)
    : StopCondition(limits, &cancel, std::move(hook)) {
  deadline_ = &deadline;
}

i64 StopCondition::now_in_nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

double StopCondition::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool StopCondition::check() {
  if (stopped()) return false;
  if (limits_.nodes && nodes_ >= limits_.nodes) {
    stop_reason_ = StopReason::NODES;
  } else if (cancel_ && cancel_->load(std::memory_order_relaxed)) {
    stop_reason_ = StopReason::CANCELLED;
  } else {
    const auto now = Clock::now();
    if (limits_.seconds > 0 &&
        std::chrono::duration<double>(now - start_).count() >= limits_.seconds) {
      stop_reason_ = StopReason::TIME;
    } else if (deadline_ && now_in_nanoseconds() >= deadline_->load(std::memory_order_relaxed)) {
      stop_reason_ = StopReason::TIME;
    } else if (hook_ && now >= next_hook_) {
      if (!hook_()) stop_reason_ = StopReason::CANCELLED;
      next_hook_ = Clock::now() + HOOK_PERIOD;
    }
  }
  next_check_ = nodes_ + limits_.nodes_per_check;
  if (limits_.nodes) next_check_ = std::min(next_check_, limits_.nodes);
  if (stopped()) next_check_ = 0;
  return !stopped();
}

}  // namespace tengen
