// SPDX-License-Identifier: MIT
#include "base/large_array.h"

#include <algorithm>
#include <new>

#include "os/os.h"

namespace tengen {

LargeMemory::LargeMemory(size_t bytes) {
  const size_t pages = std::max<size_t>(1, (bytes + os::LARGE_PAGE - 1) / os::LARGE_PAGE);
  void* const memory = os::map_memory(pages * os::LARGE_PAGE);
  if (memory == nullptr) throw std::bad_alloc();
  memory_ = {memory, Free{pages * os::LARGE_PAGE}};
}

void LargeMemory::Free::operator()(void* memory) const { os::unmap_memory(memory, bytes); }

}  // namespace tengen
