// SPDX-License-Identifier: MIT
// Build capabilities, and the names of the core's enumerations (Python checks its own against
// them).
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.h"
#include "game/rules.h"
#include "pattern/shape.h"
#include "simd/simd.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

template <typename Names>
std::vector<std::string> as_strings(const Names& names) {
  return {names.begin(), names.end()};
}

}  // namespace

void register_system(nb::module_& module) {
  module.def(
      "simd_name", [] { return std::string(simd::ops().name); },
      "The instruction set in use; the environment variable TENGEN_SIMD forces one.");
  module.def(
      "simd_available",
      [] {
        std::vector<std::string> names;
        for (const auto* version : simd::available()) names.emplace_back(version->name);
        return names;
      },
      "The instruction sets that this CPU supports, simplest first.");
  module.def("rule_names", [] { return as_strings(RULE_NAMES); });
  module.def("shape_names", [] { return as_strings(SHAPE_NAMES); });
  module.def("threat_names", [] { return as_strings(THREAT_NAMES); });
  module.def("forbidden_names", [] { return as_strings(FORBIDDEN_NAMES); });
  module.def("ending_names", [] { return as_strings(ENDING_NAMES); });
}

}  // namespace tengen::bind
