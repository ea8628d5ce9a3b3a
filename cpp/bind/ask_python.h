// SPDX-License-Identifier: MIT
// A Python function as a net that searches ask. Relies on eval/called_evaluator.h.
#pragma once

#include <nanobind/nanobind.h>

#include "eval/called_evaluator.h"

namespace tengen::bind {

/// The function takes an array [n, 2, size, size] of float32 and returns arrays [n, 3] and [n,
/// size, size] of float32. It is called with the GIL, from whatever thread searches; its errors
/// become std::runtime_error with their words, but KeyboardInterrupt, which goes on as it is.
AskNet ask_python(const nanobind::callable& function);

}  // namespace tengen::bind
