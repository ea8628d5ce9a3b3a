// SPDX-License-Identifier: MIT
// Memory pool of a tree: a fixed number of 64-byte blocks. Pages are allocated when touched.
// Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/memory.h"
#include "base/spin_lock.h"
#include "search/mcts/node.h"

namespace tengen::mcts {

class BlockPool {
 public:
  static constexpr size_t BLOCK = 64;

  /// Capacity in bytes; at least two blocks.
  explicit BlockPool(size_t bytes)
      : blocks_(std::clamp<size_t>(bytes / BLOCK, 2, ~Index{0})), end_(blocks_.size()) {}

  /// A zeroed block; NO_BLOCK if none is left.
  Index allocate() {
    const SpinGuard guard(lock_);
    Index block = free_;
    if (block != NO_BLOCK) {
      free_ = at<Index>(block);
      std::memset(&blocks_[block], 0, BLOCK);
    } else if (fresh_ < end_) {
      block = static_cast<Index>(fresh_++);
    } else {
      return NO_BLOCK;
    }
    used_.fetch_add(1, std::memory_order_relaxed);
    return block;
  }
  void release(Index block) {
    const SpinGuard guard(lock_);
    at<Index>(block) = free_;
    free_ = block;
    used_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// Resets to the initial state with fresh memory.
  void reset() {
    blocks_ = ZeroedArray<Block>(blocks_.size());
    fresh_ = 1;
    free_ = NO_BLOCK;
    used_ = 0;
  }

  template <typename T>
  T& at(Index block) {
    return *reinterpret_cast<T*>(&blocks_[block]);
  }
  template <typename T>
  const T& at(Index block) const {
    return *reinterpret_cast<const T*>(&blocks_[block]);
  }

  /// Number of blocks, and of those in use.
  size_t capacity() const { return end_ - 1; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  size_t bytes() const { return blocks_.bytes(); }

 private:
  struct alignas(BLOCK) Block {
    u8 bytes[BLOCK];
  };

  ZeroedArray<Block> blocks_;
  size_t end_;
  size_t fresh_ = 1;  ///< first block that was never allocated; block 0 is reserved
  Index free_ = NO_BLOCK;
  u8 lock_ = 0;
  std::atomic<size_t> used_ = 0;
};

}  // namespace tengen::mcts
