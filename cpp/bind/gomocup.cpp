// SPDX-License-Identifier: MIT
// `_core.serve_gomocup`: the engine for the Gomocup protocol in this process.
#include "app/server.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "bind/bind.h"
#include "bind/python_callback.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

void serve(const OptionTexts& options, const std::filesystem::path& data,
           const LoadFunction& load_external, const std::string& version, int input, int output) {
  PlayOptions play = to_play_options(options);
  const LoadExternal load = external_loader(load_external);
  const nb::gil_scoped_release release;
  app::serve(std::move(play), bundle_in(data), load, version, input, output);
}

}  // namespace

void register_gomocup(nb::module_& module) {
  module.def("serve_gomocup", &serve, nb::arg("options"), nb::arg("data"), nb::arg("load_external"),
             nb::arg("version"), nb::arg("input"), nb::arg("output"),
             "Serve a manager between two file descriptors, and end the process; the first three "
             "are those of Player. Raises ValueError for a wrong option.");
}

}  // namespace tengen::bind
