// SPDX-License-Identifier: MIT
// Which nets there are, loading them in the background, and the errors of their files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <tuple>

#include "bind/bind.h"
#include "bind/bound_net.h"
#include "bind/python_callback.h"
#include "engine/cache_folder.h"
#include "engine/net_store.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

// Types of Python that the errors of the core become; they live as long as the process.
PyObject* bad_net_type = nullptr;
PyObject* bad_tables_type = nullptr;

void set_error_types(const nb::object& bad_net, const nb::object& bad_tables) {
  bad_net_type = bad_net.inc_ref().ptr();
  bad_tables_type = bad_tables.inc_ref().ptr();
}

void translate(const std::exception_ptr& failure, void*) {
  try {
    std::rethrow_exception(failure);
  } catch (const BadNet& error) {
    if (bad_net_type == nullptr) throw;
    PyErr_SetObject(bad_net_type, nb::make_tuple(error.reason(), error.source()).ptr());
  } catch (const BadTables& error) {
    if (bad_tables_type == nullptr) throw;
    PyErr_SetString(bad_tables_type, error.what());
  }
}

using Paths = std::pair<std::string, std::string>;
using Callback = nb::typed<nb::callable, nb::object(...)>;

std::shared_ptr<const FileSource> folder_of(const std::string& path) {
  return std::make_shared<FolderSource>(path);
}

std::optional<Paths> find_nets(const std::string& net, int rule, int size,
                               const std::string& bundled) {
  const NetFolder folder(folder_of(bundled), true);
  const std::optional<NetPair> found = net.empty() ? folder.find(to_rule(rule), size)
                                                   : find_named_nets(net, to_rule(rule), size, folder);
  if (!found) return std::nullopt;
  return Paths((*found)[0].place(), (*found)[1].place());
}

using Entry = std::tuple<int, int, int, std::string, std::string>;

std::vector<Entry> registry(const std::string& folder, bool is_bundled) {
  std::vector<Entry> entries;
  for (const NetUse& use : NetFolder(folder_of(folder), is_bundled).uses())
    entries.emplace_back(static_cast<int>(use.rule), use.smallest, use.largest, use.nets[0].name,
                         use.nets[1].name);
  return entries;
}

std::shared_ptr<StoredNet> load(const std::string& path, int threads, bool is_shared) {
  const std::filesystem::path file = path;
  const NetFile net{folder_of(file.parent_path().string()), file.filename().string()};
  return is_shared ? load_net(net) : load_own_net(net, threads);
}

nb::bytes path_bytes(const std::filesystem::path& path) {
  const std::string name = path.string();
  return nb::bytes(name.data(), name.size());
}

}  // namespace

void register_nets(nb::module_& module) {
  module.def("set_error_types", &set_error_types, nb::arg("bad_net"), nb::arg("bad_tables"),
             "The exceptions of nets, with a reason and a source, and of tables.");
  nb::register_exception_translator(translate);

  module.def("find_nets", &find_nets, nb::arg("net"), nb::arg("rule"), nb::arg("size"),
             nb::arg("bundled"),
             "The files for black and for white to move of a net as users name it; of an empty "
             "name, the bundled ones. None if there are none. Raises BadNet.");
  module.def("registry", &registry, nb::arg("folder"), nb::arg("is_bundled"),
             "(rule, smallest, largest size, file for black, for white) of each entry. Raises "
             "BadNet.");
  module.def("cache_folder", [] { return path_bytes(cache_folder()); },
             "The folder of baked nets; empty: none.");

  nb::class_<StoredNet>(module, "StoredNet", "A net that loads in its own thread.")
      .def_prop_ro("is_ready", &StoredNet::is_ready, "Whether loading ended, well or not.")
      .def_prop_ro("progress", &StoredNet::progress, "Share of baking done, 0 to 1.")
      .def("stop", &StoredNet::stop, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "net", [](const StoredNet& stored) { return BoundNet(stored.net()); },
          "The net, when it is ready. Raises BadNet.")
      .def_prop_ro("from_cache", [](const StoredNet& n) { return n.report().from_cache; })
      .def_prop_ro("cache_file", [](const StoredNet& n) { return path_bytes(n.report().file); })
      .def_prop_ro("note", [](const StoredNet& n) { return n.report().note; });
  module.def("load_net", &load, nb::arg("path"), nb::arg("threads") = 0, nb::arg("is_shared") = true,
             nb::call_guard<nb::gil_scoped_release>(),
             "Starts loading a file; shared: unless the process has it or loads it.");
  module.def("stop_net_loads", &stop_net_loads, nb::call_guard<nb::gil_scoped_release>());
  module.def("before_fork", &before_fork);
  module.def("after_fork", &after_fork, nb::arg("is_child"));

  nb::class_<ExternalNet>(module, "ExternalNet", "A net that Python loads and evaluates.")
      .def(
          "set",
          [](ExternalNet& net, const Callback& callback, u32 sizes,
             const std::optional<Callback>& white) {
            net.set({python_callback(callback), sizes,
                     white ? python_callback(*white) : NetCallback()});
          },
          nb::arg("callback"), nb::arg("sizes"), nb::arg("white") = nb::none(),
          "Evaluate by a function of planes [n, 2, size, size] that returns the logits of the "
          "values, [n, 3], and of the policies, [n, size, size], as arrays of float32. With "
          "`white`, that function evaluates positions with white to move. Bit s of `sizes`: "
          "boards of s lines.")
      .def(
          "fail",
          [](ExternalNet& net, const std::string& reason, const std::string& source) {
            net.fail(BadNet(reason, source));
          },
          nb::arg("reason"), nb::arg("source"));
}

}  // namespace tengen::bind
