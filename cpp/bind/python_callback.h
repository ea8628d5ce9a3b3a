// SPDX-License-Identifier: MIT
// A Python function as the callback of a CallbackEvaluator.
#pragma once

#include <nanobind/nanobind.h>

#include "engine/evaluator_loader.h"

namespace tengen::bind {

/// The function takes an array [n, 2, size, size] of float32 and returns arrays [n, 3] and [n,
/// size, size] of float32. It is called with the GIL from the search threads; its exceptions become
/// std::runtime_error with their message, except KeyboardInterrupt, which is passed on.
NetCallback python_callback(const nanobind::callable& function);

using LoadFunction = nanobind::typed<nanobind::callable, nanobind::object(...)>;

/// A function that loads nets outside the core: called with the files for black and for white to
/// move, the number of the rule, the size, and an ExternalNet that it sets, at once or later.
LoadExternal external_loader(const nanobind::callable& function);

}  // namespace tengen::bind
