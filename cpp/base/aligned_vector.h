// SPDX-License-Identifier: MIT
// Vectors aligned to cache lines, for SIMD: a load that straddles two cache lines costs two.
#pragma once

#include <new>
#include <vector>

#include "base/types.h"

namespace tengen {

/// Allocates memory aligned to a cache line.
template <typename T>
struct LineAllocator {
  using value_type = T;

  LineAllocator() = default;
  template <typename Other>
  LineAllocator(const LineAllocator<Other>&) {}

  T* allocate(size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), LINE)); }
  void deallocate(T* memory, size_t) { ::operator delete(memory, LINE); }

  bool operator==(const LineAllocator&) const = default;

 private:
  static constexpr std::align_val_t LINE{64};
};

template <typename T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace tengen
