// SPDX-License-Identifier: MIT
// Loads a net in its own thread: reads the weights and takes the codebooks from the cache or bakes
// them. In WebAssembly it is loaded when the constructor returns.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "mixnet/codebook_cache.h"
#include "mixnet/net.h"

namespace tengen::mixnet {

class NetLoading {
 public:
  /// Starts loading from the bytes of a net file. `threads`: for baking; 0: one per core.
  NetLoading(std::string file, CodebookCache cache, int threads = 0);
  /// Stops loading; takes some milliseconds.
  ~NetLoading();
  NetLoading(const NetLoading&) = delete;
  NetLoading& operator=(const NetLoading&) = delete;

  /// Whether loading ended, with success or not.
  bool is_done() const { return done_.load(std::memory_order_acquire); }
  /// Waits at most `seconds`; whether it is done.
  bool wait(double seconds) const;
  /// Fraction of baking done, 0 to 1. Stays 0 if the cache has the codebooks.
  double progress() const { return progress_.fraction(); }
  /// Stops loading and waits for the thread. Thread-safe.
  void stop();

  /// The net, after is_done. Throws std::invalid_argument if the bytes are not a net, and
  /// what bake() throws.
  const std::shared_ptr<const Net>& net() const;
  /// Where the codebooks came from, after is_done.
  const CacheReport& report() const { return report_; }

 private:
  void work(const std::string& file, const CodebookCache& cache, int threads);

  Progress progress_;
  std::shared_ptr<const Net> net_;
  std::exception_ptr failure_;
  CacheReport report_;
  std::atomic<bool> done_{false};
  mutable std::mutex lock_;
  mutable std::condition_variable ended_;
  long process_;  ///< id of the process that started loading
  std::mutex joining_;
  std::thread thread_;
};

}  // namespace tengen::mixnet
