// SPDX-License-Identifier: MIT
// The tables and nets of the program.
#pragma once

#include <filesystem>

#include "engine/evaluator_loader.h"

namespace tengen::app {

/// Those of a folder; if that is empty, those of the folder `data` beside the program; without that
/// folder, those inside the program, if it was built with TENGEN_EMBED, else those of the Python
/// package that was installed with it.
Bundle program_bundle(const std::filesystem::path& folder);

}  // namespace tengen::app
