// SPDX-License-Identifier: MIT
#include "allocations.h"

#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local tengen::u64 allocations = 0;

void note() {
  if (counting) ++allocations;
}

void* allocated(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

/// aligned_alloc wants a multiple of the alignment.
size_t rounded_up(size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

namespace tengen {

CountAllocations::CountAllocations() {
  allocations = 0;
  counting = true;
}
CountAllocations::~CountAllocations() { counting = false; }
u64 CountAllocations::count() const { return allocations; }

}  // namespace tengen

// Wherever malloc counts by itself, operator new must not count a second time.
#ifdef TENGEN_COUNT_MALLOC

extern "C" {
void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* memory, size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);

void* __wrap_malloc(size_t bytes) {
  note();
  return __real_malloc(bytes);
}
void* __wrap_calloc(size_t count, size_t bytes) {
  note();
  return __real_calloc(count, bytes);
}
void* __wrap_realloc(void* memory, size_t bytes) {
  note();
  return __real_realloc(memory, bytes);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  note();
  return __real_aligned_alloc(alignment, bytes);
}
}

#define NOTE_NEW() ((void)0)
#else
#define NOTE_NEW() note()
#endif

// The forms that do not throw, and those for arrays, call these by default; under the sanitizers
// they do not, so they are replaced too. (std::stable_sort uses the one that does not throw.)
void* operator new(size_t bytes) {
  NOTE_NEW();
  return allocated(std::malloc(bytes ? bytes : 1));
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  NOTE_NEW();
  return std::malloc(bytes ? bytes : 1);
}
void* operator new[](size_t bytes, const std::nothrow_t& nothrow) noexcept {
  return operator new(bytes, nothrow);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  NOTE_NEW();
  const size_t room = rounded_up(bytes ? bytes : 1, alignment);
  return allocated(std::aligned_alloc(static_cast<size_t>(alignment), room));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
