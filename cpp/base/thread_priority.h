// SPDX-License-Identifier: MIT
// Work that may wait.
#pragma once

namespace tengen {

/// Lets other threads go first, where the system can do that for one thread: the calling thread and
/// those that it starts from now on.
void lower_thread_priority();

}  // namespace tengen
