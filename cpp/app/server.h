// SPDX-License-Identifier: MIT
// A session of the Gomocup protocol between two pipes. The calling thread reads and never writes,
// so that END acts whatever the engine and the manager do; the engine's thread searches and writes
// its moves; a third thread writes all other answers.
#pragma once

#include "app/engine_thread.h"

namespace tengen::app {

/// Serves between two file descriptors until END, the end of the input, or until nobody reads the
/// output, and then ends the process. Every answer is written before that, unless it is not read.
/// The options are those of the command line: INFO of the manager overrides them.
[[noreturn]] void serve(PlayOptions options, Bundle bundle, LoadExternal load_external,
                        const std::string& version, int input, int output);

}  // namespace tengen::app
