// SPDX-License-Identifier: MIT
// Memory for large tables with random access, in large pages where the system has them: with small
// ones most reads would miss the TLB.
#pragma once

#include <memory>
#include <type_traits>

#include "base/types.h"

namespace tengen {

/// Zeroed memory for an array, aligned to a cache line at least. Throws std::bad_alloc.
class LargeMemory {
 public:
  explicit LargeMemory(size_t bytes);

  void* data() const { return memory_.get(); }

 private:
  struct Free {
    size_t bytes;
    void operator()(void* memory) const;
  };

  std::unique_ptr<void, Free> memory_;
};

/// Throws std::bad_alloc unless that much memory could be allocated now.
inline void require_room(size_t bytes) { LargeMemory room(bytes); }

/// An array of fixed length whose elements start as zero bytes. Throws std::bad_alloc.
template <typename T>
class LargeArray {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  explicit LargeArray(size_t length)
      : memory_(length * sizeof(T)), first_(static_cast<T*>(memory_.data())), length_(length) {}

  size_t size() const { return length_; }
  size_t bytes() const { return length_ * sizeof(T); }
  T& operator[](size_t i) { return first_[i]; }
  const T& operator[](size_t i) const { return first_[i]; }

 private:
  LargeMemory memory_;
  T* first_;
  size_t length_;
};

}  // namespace tengen
