// SPDX-License-Identifier: MIT
// `_core.serve_gomocup`: the engine for the Gomocup protocol in this process.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <map>
#include <string>

#include "app/server.h"
#include "bind/bind.h"
#include "bind/python_callback.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using Callable = nb::typed<nb::callable, nb::object(...)>;

/// (evaluates for black to move, sizes as bits, for white to move)
using External = std::tuple<nb::callable, u32, std::optional<nb::callable>>;

/// A loader in Python of nets that are not Mixnets: it takes black's and white's file, the number
/// of the rule and the size.
LoadExternal loader_of(const nb::callable& function) {
  // Kept to the end of the process: copies would need the GIL.
  const nb::callable& load = *new nb::callable(function);
  return [&load](const NetPair& nets, Rule rule, int size) {
    const nb::gil_scoped_acquire gil;
    try {
      const auto [black, sizes, white] =
          nb::cast<External>(load(nets[0].place(), nets[1].place(), static_cast<int>(rule), size));
      return CallbackNet{python_callback(black), sizes,
                         white ? python_callback(*white) : NetCallback()};
    } catch (nb::python_error& error) {
      throw BadNet(nb::str(error.value()).c_str());
    }
  };
}

void serve(const std::map<std::string, std::string>& options, const std::string& data,
           const Callable& load_external, const std::string& version, int input, int output) {
  PlayOptions play;
  for (const auto& [name, text] : options) set_play_option(play, name, text);
  const LoadExternal load = loader_of(load_external);
  const nb::gil_scoped_release release;
  app::serve(std::move(play), app::bundle_in(data), load, version, input, output);
}

}  // namespace

void register_gomocup(nb::module_& module) {
  module.def("serve_gomocup", &serve, nb::arg("options"), nb::arg("data"), nb::arg("load_external"),
             nb::arg("version"), nb::arg("input"), nb::arg("output"),
             "Serve a manager between two file descriptors, with options as texts, and end the "
             "process. Raises ValueError for a wrong option.");
}

}  // namespace tengen::bind
