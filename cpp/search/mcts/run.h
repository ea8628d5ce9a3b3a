// SPDX-License-Identifier: MIT
// Shared state of one search. Used by mcts.cpp and mcts_root.cpp only.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <shared_mutex>

#include "search/mcts/mcts.h"

namespace tengen {

struct Mcts::Run {
  Run(const SearchRequest& search_request, SearchControl& search_control, const OnInfo& report)
      : request(search_request),
        control(search_control),
        on_info(report),
        limit(search_request.nodes ? search_request.nodes : ~u64{0}) {}

  const SearchRequest& request;
  SearchControl& control;
  const OnInfo& on_info;
  u64 limit;  ///< maximum playouts
  i64 start_time = StopCondition::now_in_nanoseconds();

  std::atomic<u64> reserved = 0;  ///< playouts done, or reserved by a thread
  std::atomic<u64> done = 0;      ///< playouts backed up
  std::atomic<bool> finished = false;
  std::atomic<int> gc_count = 0;  ///< how often nodes were freed (Tree::collect_garbage)
  std::shared_mutex tree_mutex;   ///< shared by playouts, exclusive while nodes are freed
  std::mutex failure_lock;
  std::exception_ptr failure;

  // Main thread only.
  u64 solver_nodes = 0;
  u64 next_report = 8;  ///< value of `done` at which to report next; doubled each time
  u64 next_check = 0;   ///< value of `done` at which to check depth and time next
  i64 last_report = start_time;
  StopCondition stop_condition{{}, control.stop, control.deadline, control.hook};

  bool is_stopped() const {
    return control.stop.load(std::memory_order_relaxed) ||
           StopCondition::now_in_nanoseconds() >= control.deadline.load(std::memory_order_relaxed);
  }
};

}  // namespace tengen
