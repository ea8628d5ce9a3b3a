// SPDX-License-Identifier: MIT
// `pbrain-tengen bench`: the bench as text, in the format of `tengen bench`.
#pragma once

#include <string>
#include <vector>

namespace tengen::app {

/// The exit code. Throws std::invalid_argument for wrong arguments, BadNet, std::runtime_error.
int run_bench_command(const std::vector<std::string>& arguments);

}  // namespace tengen::app
