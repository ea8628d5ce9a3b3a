// SPDX-License-Identifier: MIT
// A thread pool for parallel loops. Kept between batches: starting threads for each batch would
// cost more than a tenth of it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/types.h"

namespace tengen::selfplay {

class WorkerPool {
 public:
  /// Processes the indices first to last - 1 on the worker with this number.
  using Work = std::function<void(int worker, size_t first, size_t last)>;

  /// `threads` includes the caller; 0: one per core.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Runs `work` on ranges that cover 0 to count - 1 and returns when all are done. Rethrows the
  /// first exception. Not reentrant.
  void run(size_t count, const Work& work);

 private:
  void wait_for_work(int worker);
  void process_chunks(int worker);

  std::vector<std::thread> threads_;
  std::mutex lock_;
  std::condition_variable begin_, end_;
  u64 round_ = 0;  ///< loops started so far
  int busy_ = 0;   ///< other workers still running
  bool closing_ = false;
  const Work* work_ = nullptr;
  size_t count_ = 0;
  std::atomic<size_t> next_ = 0;
  std::exception_ptr failure_;
};

}  // namespace tengen::selfplay
