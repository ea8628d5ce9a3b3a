// SPDX-License-Identifier: MIT
// TUNABLE: a search parameter with range, step and meaning, declared once next to the code that
// uses it. All of them can be listed. A compile-time constant in ordinary builds; settable at run
// time in the tuning build (-DTENGEN_TUNING).
//
//     TUNABLE(RAZOR_MARGIN, 62, 20, 160, 6, "evaluation below alpha at which a node is razored");
#pragma once

#include <string_view>
#include <vector>

#include "base/types.h"

namespace tengen {

struct Tunable {
  std::string_view name;
  int value;
  int min, max;
  int step;  ///< initial perturbation of the tuner
  std::string_view meaning;

  operator int() const { return value; }  // NOLINT: reads like the constant it stands for
};

/// All tunables, in no defined order. Setting one only has an effect in the tuning build.
inline std::vector<Tunable*>& tunables() {
  static std::vector<Tunable*> all;
  return all;
}

/// Registers itself in tunables().
struct RegisteredTunable : Tunable {
  explicit RegisteredTunable(Tunable tunable) : Tunable(tunable) { tunables().push_back(this); }
  RegisteredTunable(const RegisteredTunable&) = delete;
  RegisteredTunable& operator=(const RegisteredTunable&) = delete;
};

}  // namespace tengen

#define TENGEN_CHECK_TUNABLE(VALUE, MIN, MAX, STEP, MEANING) \
  static_assert((MIN) <= (VALUE) && (VALUE) <= (MAX) && (STEP) > 0 && sizeof(MEANING) > 1)

#ifdef TENGEN_TUNING
#define TUNABLE(NAME, VALUE, MIN, MAX, STEP, MEANING)           \
  TENGEN_CHECK_TUNABLE(VALUE, MIN, MAX, STEP, MEANING);         \
  inline ::tengen::RegisteredTunable NAME {                     \
    ::tengen::Tunable { #NAME, VALUE, MIN, MAX, STEP, MEANING } \
  }
#else
#define TUNABLE(NAME, VALUE, MIN, MAX, STEP, MEANING)           \
  TENGEN_CHECK_TUNABLE(VALUE, MIN, MAX, STEP, MEANING);         \
  inline constexpr int NAME = VALUE;                            \
  inline ::tengen::RegisteredTunable NAME##_LISTED {            \
    ::tengen::Tunable { #NAME, VALUE, MIN, MAX, STEP, MEANING } \
  }
#endif
