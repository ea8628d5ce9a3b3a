// SPDX-License-Identifier: MIT
// A lock of one byte for what is held for some nanoseconds: a node of a tree, a chain of a table.
// Relies on types.h.
#pragma once

#include <atomic>
#include <thread>

#include "base/types.h"

namespace tengen {

/// Holds the lock as long as it lives. The byte is 0 while nobody does; it is a plain one, so that
/// what contains it stays trivially made.
class SpinGuard {
 public:
  explicit SpinGuard(u8& lock) : lock_(lock) {
    for (int tries = 0; lock_.exchange(1, std::memory_order_acquire) != 0; ++tries)
      if (tries >= TRIES) std::this_thread::yield();  // its holder may wait for this very core
  }
  ~SpinGuard() { lock_.store(0, std::memory_order_release); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  static constexpr int TRIES = 64;

  std::atomic_ref<u8> lock_;
};

}  // namespace tengen
