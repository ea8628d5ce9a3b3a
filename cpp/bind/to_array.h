// SPDX-License-Identifier: MIT
// Moves vectors into NumPy arrays without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace tengen::bind {

/// An array that owns the vector; with a width, an array of rows.
template <typename T>
nanobind::ndarray<nanobind::numpy, T> to_array(std::vector<T>&& numbers, size_t width = 0) {
  namespace nb = nanobind;
  auto* const kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const size_t count = width == 0 ? kept->size() : kept->size() / width;
  const size_t shape[2] = {count, width};
  return nb::ndarray<nb::numpy, T>(kept->data(), width == 0 ? 1 : 2, shape, owner);
}

}  // namespace tengen::bind
