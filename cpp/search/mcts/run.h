// SPDX-License-Identifier: MIT
// One search, as its threads see it. Inside of mcts.cpp and mcts_root.cpp.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <shared_mutex>

#include "search/mcts/mcts.h"

namespace tengen {

struct Mcts::Run {
  Run(const SearchRequest& asked, SearchControl& steered, const OnInfo& told)
      : request(asked),
        control(steered),
        on_info(told),
        limit(asked.nodes ? asked.nodes : ~u64{0}) {}

  const SearchRequest& request;
  SearchControl& control;
  const OnInfo& on_info;
  u64 limit;  ///< playouts
  i64 began = Watch::now_in_nanoseconds();

  std::atomic<u64> claimed = 0, done = 0;  ///< playouts begun and backed up
  std::atomic<bool> over = false;
  std::atomic<int> collections = 0;
  std::shared_mutex gate;  ///< shared by playouts; a collection has it to itself
  std::mutex failure_lock;
  std::exception_ptr failure;

  // Of the main thread.
  u64 solver_nodes = 0;
  u64 next_report = 8;  ///< playouts after which lines are told; doubled each time
  u64 next_look = 0;    ///< playouts after which line and time are looked at
  i64 last_report = began;

  bool is_stopped() const {
    return control.stop.load(std::memory_order_relaxed) ||
           Watch::now_in_nanoseconds() >= control.deadline.load(std::memory_order_relaxed);
  }
};

}  // namespace tengen
