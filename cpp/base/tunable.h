// SPDX-License-Identifier: MIT
// TUNABLE: a number of the search with its range, step and meaning, written once, next to the code
// that uses it. All of them can be listed. In ordinary builds each is a compile-time constant; in
// the tuning build (-DTENGEN_TUNING) it can be set while the program runs.
//
//     TUNABLE(RAZOR_MARGIN, 62, 20, 160, 6, "centi-wins a ply that the static value may lack before
//     VCF decides");
#pragma once

#include <string_view>
#include <vector>

#include "base/types.h"

namespace tengen {

struct Tunable {
  std::string_view name;
  int value;
  int min, max;
  int step;  ///< first perturbation of a tuner
  std::string_view meaning;

  operator int() const { return value; }  // NOLINT: reads like the constant it stands for
};

/// All tunables of the program, in no set order. Setting one has an effect in the tuning build
/// only.
inline std::vector<Tunable*>& tunables() {
  static std::vector<Tunable*> all;
  return all;
}

/// Adds itself to tunables() when it is made.
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
