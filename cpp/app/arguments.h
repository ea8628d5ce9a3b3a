// SPDX-License-Identifier: MIT
// The command line of the program: options `--NAME VALUE`.
#pragma once

#include <string>
#include <vector>

namespace tengen::app {

struct Argument {
  std::string name;   ///< without `--`
  std::string value;  ///< empty for `help` and `version`
};

/// Throws std::invalid_argument.
std::vector<Argument> parse_arguments(const std::vector<std::string>& words);

/// A whole number of at least 1. Throws std::invalid_argument.
int positive_number(const Argument& argument);

}  // namespace tengen::app
