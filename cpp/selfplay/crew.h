// SPDX-License-Identifier: MIT
// Threads that wait for loops to share out. Made once: starting threads anew for every batch would
// cost more than a tenth of it. Relies on base.
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

class Crew {
 public:
  /// Work on the indices first … last - 1, by one member of the crew, whose number is told.
  using Work = std::function<void(int member, size_t first, size_t last)>;

  /// `threads`, the caller's among them; 0: one for each core.
  explicit Crew(int threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int members() const { return static_cast<int>(others_.size()) + 1; }

  /// Calls work for ranges that cover 0 … count - 1, each index once, and returns when all is done.
  /// The first exception is thrown again here. Not for several callers at once.
  void run(size_t count, const Work& work);

 private:
  void wait_for_work(int member);
  void share(int member);

  std::vector<std::thread> others_;
  std::mutex lock_;
  std::condition_variable begin_, end_;
  u64 round_ = 0;  ///< loops begun so far
  int busy_ = 0;   ///< others that have not finished this one
  bool closing_ = false;
  const Work* work_ = nullptr;
  size_t count_ = 0;
  std::atomic<size_t> next_ = 0;
  std::exception_ptr failure_;
};

}  // namespace tengen::selfplay
