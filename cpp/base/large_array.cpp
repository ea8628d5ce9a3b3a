// SPDX-License-Identifier: MIT
#include "base/large_array.h"

#include <cstdlib>
#include <cstring>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tengen {

namespace {

constexpr size_t LARGE_PAGE = size_t{2} << 20;

constexpr size_t rounded_up(size_t bytes) {
  return (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
}

}  // namespace

#if defined(__linux__)

LargeMemory::LargeMemory(size_t bytes) {
  // A large page must be aligned to its size: map one page more, and unmap the unaligned ends.
  const size_t rounded = rounded_up(bytes == 0 ? 1 : bytes), mapped = rounded + LARGE_PAGE;
  void* const all =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(all);
  const size_t over = reinterpret_cast<std::uintptr_t>(all) % LARGE_PAGE;
  char* const first = begin + (over == 0 ? 0 : LARGE_PAGE - over);
  if (first != begin) munmap(begin, static_cast<size_t>(first - begin));
  if (first + rounded != begin + mapped)
    munmap(first + rounded, static_cast<size_t>(begin + mapped - first - rounded));
  madvise(first, rounded, MADV_HUGEPAGE);  // a hint: small pages also work
  memory_ = {first, Free{rounded}};
}

void LargeMemory::Free::operator()(void* memory) const { munmap(memory, bytes); }

#else

LargeMemory::LargeMemory(size_t bytes) {
  const size_t rounded = rounded_up(bytes == 0 ? 1 : bytes);
  void* const memory = std::aligned_alloc(LARGE_PAGE, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  memory_ = {memory, Free{rounded}};
}

void LargeMemory::Free::operator()(void* memory) const { std::free(memory); }

#endif

}  // namespace tengen
