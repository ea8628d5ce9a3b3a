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
  // A large page must begin at a multiple of its size: one more is asked for, and the ends that
  // stick out are given back.
  const size_t wanted = rounded_up(bytes == 0 ? 1 : bytes), asked = wanted + LARGE_PAGE;
  void* const all =
      mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(all);
  const size_t over = reinterpret_cast<std::uintptr_t>(all) % LARGE_PAGE;
  char* const first = begin + (over == 0 ? 0 : LARGE_PAGE - over);
  if (first != begin) munmap(begin, static_cast<size_t>(first - begin));
  if (first + wanted != begin + asked)
    munmap(first + wanted, static_cast<size_t>(begin + asked - first - wanted));
  madvise(first, wanted, MADV_HUGEPAGE);  // if the system has none, small ones do as well
  memory_ = {first, Free{wanted}};
}

void LargeMemory::Free::operator()(void* memory) const { munmap(memory, bytes); }

#else

LargeMemory::LargeMemory(size_t bytes) {
  const size_t wanted = rounded_up(bytes == 0 ? 1 : bytes);
  void* const memory = std::aligned_alloc(LARGE_PAGE, wanted);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, wanted);
  memory_ = {memory, Free{wanted}};
}

void LargeMemory::Free::operator()(void* memory) const { std::free(memory); }

#endif

}  // namespace tengen
