// SPDX-License-Identifier: MIT
// The folder of baked nets (docs/cache.md).
#pragma once

#include <filesystem>

namespace tengen {

/// $TENGEN_CACHE, else the user's cache folder, else, if that is not usable, a private folder among
/// the temporary files. Empty if there is none, or TENGEN_CACHE is `off`: then every process bakes
/// its nets.
std::filesystem::path cache_folder();

}  // namespace tengen
