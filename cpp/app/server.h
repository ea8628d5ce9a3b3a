// SPDX-License-Identifier: MIT
// A session of the Gomocup protocol between two pipes. One thread reads, so that END acts while a
// search runs; one runs the engine; the calling one does everything else.
#pragma once

#include "app/engine_thread.h"

namespace tengen::app {

/// Serves between two file descriptors until END, the end of the input, or until nobody reads the
/// output. Every answer is written before the process ends; a process that cannot end in time is
/// ended at once.
void serve(protocol::SessionConfig config, PlayOptions options, Bundle bundle,
           LoadExternal load_external, int input, int output);

}  // namespace tengen::app
