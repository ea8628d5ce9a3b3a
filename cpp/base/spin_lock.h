// SPDX-License-Identifier: MIT
// A one-byte spin lock for critical sections of some nanoseconds: a tree node, a hash chain.
#pragma once

#include <thread>

#include "base/types.h"

namespace tengen {

/// Holds the lock during its lifetime. The byte is 0 while the lock is free; it is a plain u8, so
/// that the struct around it stays trivial. Not all C++ libraries have std::atomic_ref.
class SpinGuard {
 public:
  explicit SpinGuard(u8& lock) : lock_(lock) {
    for (int tries = 0; __atomic_exchange_n(&lock_, 1, __ATOMIC_ACQUIRE) != 0; ++tries)
      if (tries >= TRIES) std::this_thread::yield();  // the holder may need this core
  }
  ~SpinGuard() { __atomic_store_n(&lock_, 0, __ATOMIC_RELEASE); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  static constexpr int TRIES = 64;

  u8& lock_;
};

}  // namespace tengen
