// SPDX-License-Identifier: MIT
// `EvaluatorInfo`: what evaluates positions, for users.
#pragma once

#include <string>

#include "base/types.h"

namespace tengen {

struct EvaluatorInfo {
  std::string name;   ///< as `mixnet-m`, `classical`, `onnx`
  std::string about;  ///< the net, or why there is none
  u64 bytes = 0;      ///< memory of its nets, shared by all engines of a process

  /// Name and description.
  std::string text() const { return about.empty() ? name : name + " (" + about + ")"; }

  bool operator==(const EvaluatorInfo&) const = default;
};

}  // namespace tengen
