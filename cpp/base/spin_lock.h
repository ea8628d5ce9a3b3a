// SPDX-License-Identifier: MIT
// A one-byte spin lock for critical sections of some nanoseconds: a tree node, a hash chain.
#pragma once

#include <atomic>
#include <thread>

#include "base/types.h"

namespace tengen {

/// Holds the lock during its lifetime. The byte is 0 while the lock is free; it is a plain u8, so
/// that the struct around it stays trivial.
class SpinGuard {
 public:
  explicit SpinGuard(u8& lock) : lock_(lock) {
    for (int tries = 0; lock_.exchange(1, std::memory_order_acquire) != 0; ++tries)
      if (tries >= TRIES) std::this_thread::yield();  // the holder may need this core
  }
  ~SpinGuard() { lock_.store(0, std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  static constexpr int TRIES = 64;

  std::atomic_ref<u8> lock_;
};

}  // namespace tengen
