// SPDX-License-Identifier: MIT
// Memory for large tables: zeroed, aligned to cache lines, and committed by the system on first
// access, so that creating a table is cheap.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "base/types.h"

namespace tengen {

/// An array of fixed length whose elements start as zero bytes. Throws std::bad_alloc.
template <typename T>
class ZeroedArray {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  explicit ZeroedArray(size_t length) : length_(length) {
    // calloc does not touch fresh pages, but guarantees only small alignments.
    memory_.reset(std::calloc(length * sizeof(T) + ALIGNMENT, 1));
    if (!memory_) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
    first_ = reinterpret_cast<T*>((address + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
  }

  size_t size() const { return length_; }
  size_t bytes() const { return length_ * sizeof(T); }
  T& operator[](size_t i) { return first_[i]; }
  const T& operator[](size_t i) const { return first_[i]; }

 private:
  static constexpr size_t ALIGNMENT = 64;

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::unique_ptr<void, Free> memory_;
  T* first_ = nullptr;
  size_t length_;
};

}  // namespace tengen
