// SPDX-License-Identifier: MIT
// A net that is loaded in a thread of its own: read, and its codebooks taken from the cache or
// baked. Relies on codebook_cache.h and net.h; the bindings rely on it.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "mixnet/codebook_cache.h"
#include "mixnet/net.h"

namespace tengen::mixnet {

class NetLoading {
 public:
  /// Begins to load from the bytes of a net file. `threads` are for baking; 0: one for each core.
  NetLoading(std::string file, CodebookCache cache, int threads = 0);
  /// Stops loading. Takes some milliseconds at most, where the disk does not hang.
  ~NetLoading();
  NetLoading(const NetLoading&) = delete;
  NetLoading& operator=(const NetLoading&) = delete;

  /// Whether loading ended, well or not.
  bool is_done() const { return done_.load(std::memory_order_acquire); }
  /// The part of baking that is done, from 0 to 1. Stays 0 if the cache has the codebooks.
  double progress() const { return progress_.part(); }
  /// Ends loading, unless it is done, and waits for that end.
  void stop();

  /// The net, after is_done. Throws std::invalid_argument if the bytes are no net, what `bake`
  /// throws, and Stopped.
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
  long process_;  ///< that start_time to load
  std::thread thread_;
};

}  // namespace tengen::mixnet
