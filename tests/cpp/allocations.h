// SPDX-License-Identifier: MIT
// Counts allocations: allocations.cpp replaces the global operator new, which counts while a
// CountAllocations exists on the same thread. With TENGEN_COUNT_MALLOC and the linker's --wrap,
// direct calls of malloc and related functions count as well.
#pragma once

#include "base/types.h"

namespace tengen {

/// Counts the allocations of this thread from here on. Not to be nested.
class CountAllocations {
 public:
  CountAllocations();
  ~CountAllocations();
  CountAllocations(const CountAllocations&) = delete;
  CountAllocations& operator=(const CountAllocations&) = delete;

  u64 count() const;
};

}  // namespace tengen
