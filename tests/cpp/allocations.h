// SPDX-License-Identifier: MIT
// Counts allocations: whoever links allocations.cpp gets a global operator new that counts while a
// CountAllocations lives on the same thread, and else only does its work. With
// TENGEN_COUNT_MALLOC and the linker's --wrap, direct calls of malloc and its kin count as well.
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
