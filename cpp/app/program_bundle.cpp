// SPDX-License-Identifier: MIT
#include "app/program_bundle.h"

#include "app/server.h"
#include "os/os.h"

namespace tengen::app {

Bundle program_bundle(const std::filesystem::path& folder) {
  return bundle_in(folder.empty() ? os::program_path().parent_path() / "data" : folder);
}

}  // namespace tengen::app
