// SPDX-License-Identifier: MIT
// Which nets there are, loading them in the background, and the errors of their files.
#include <nanobind/stl/filesystem.h>
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
#include "engine/player.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

// Types of Python that the errors of the core become; they live as long as the process.
PyObject* bad_net_type = nullptr;
PyObject* bad_tables_type = nullptr;
PyObject* out_of_memory_type = nullptr;

void set_error_types(const nb::object& bad_net, const nb::object& bad_tables,
                     const nb::object& out_of_memory) {
  out_of_memory_type = out_of_memory.inc_ref().ptr();
  bad_net_type = bad_net.inc_ref().ptr();
  bad_tables_type = bad_tables.inc_ref().ptr();
}

void translate(const std::exception_ptr& failure, void*) {
  try {
    std::rethrow_exception(failure);
  } catch (const BadNet& error) {
    if (bad_net_type == nullptr) throw;
    PyErr_SetObject(bad_net_type,
                    nb::make_tuple(to_text(error.reason()), to_text(error.source())).ptr());
  } catch (const BadTables& error) {
    if (bad_tables_type == nullptr) throw;
    PyErr_SetObject(bad_tables_type, to_text(error.what()).ptr());
  } catch (const NoTableMemory& error) {
    if (out_of_memory_type == nullptr) throw;
    PyErr_SetString(out_of_memory_type, error.what());
  }
}

using Paths = std::pair<std::filesystem::path, std::filesystem::path>;

std::shared_ptr<const FileSource> folder_of(const std::filesystem::path& path) {
  return std::make_shared<FolderSource>(path);
}

std::optional<Paths> paths_of(const std::optional<NetPair>& nets) {
  if (!nets) return std::nullopt;
  return Paths((*nets)[0].place(), (*nets)[1].place());
}

std::filesystem::path named_net(const std::filesystem::path& net,
                                const std::filesystem::path& bundled) {
  const std::optional<NetPair> found =
      find_named_nets(net.string(), Rule::FREESTYLE, MAX_SIZE, NetFolder(folder_of(bundled), true));
  return (*found)[0].place();  // only a folder has none
}

using Entry = std::tuple<int, int, int, nb::str, nb::str>;

std::vector<Entry> registry(const std::filesystem::path& folder, bool is_bundled) {
  std::vector<Entry> entries;
  for (const NetUse& use : NetFolder(folder_of(folder), is_bundled).uses())
    entries.emplace_back(static_cast<int>(use.rule), use.smallest, use.largest,
                         to_text(use.nets[0].name), to_text(use.nets[1].name));
  return entries;
}

std::optional<std::filesystem::path> if_any(const std::filesystem::path& path) {
  return path.empty() ? std::nullopt : std::optional(path);
}

std::shared_ptr<StoredNet> load(const std::filesystem::path& path, int threads, bool is_shared) {
  const NetFile net{folder_of(path.parent_path()), path.filename().string()};
  return is_shared ? load_net(net) : load_own_net(net, threads);
}

}  // namespace

void register_nets(nb::module_& module) {
  module.def("set_error_types", &set_error_types, nb::arg("bad_net"), nb::arg("bad_tables"),
             nb::arg("out_of_memory"),
             "The exceptions of nets, with a reason and a source, of files of tables, and of "
             "tables for which there is no memory.");
  nb::register_exception_translator(translate);

  module.def("named_net", &named_net, nb::arg("net"), nb::arg("bundled"),
             "The file of a net, which is not a folder, as users name it. Raises BadNet.");
  module.def(
      "registry_nets",
      [](const std::filesystem::path& folder, bool is_bundled, int rule, int size) {
        return paths_of(NetFolder(folder_of(folder), is_bundled).find(to_rule(rule), size));
      },
      nb::arg("folder"), nb::arg("is_bundled"), nb::arg("rule"), nb::arg("size"),
      "The files for black and for white to move in a folder; None if there are none. Raises "
      "BadNet.");
  module.def("registry", &registry, nb::arg("folder"), nb::arg("is_bundled"),
             "(rule, smallest, largest size, file for black, for white) of each entry. Raises "
             "BadNet.");
  module.def("cache_folder", [] { return if_any(cache_folder()); }, "The folder of baked nets.");

  nb::class_<StoredNet>(module, "StoredNet", "A net that loads in its own thread.")
      .def_prop_ro("is_ready", &StoredNet::is_ready, "Whether loading ended, well or not.")
      .def_prop_ro("progress", &StoredNet::progress, "Share of baking done, 0 to 1.")
      .def("stop", &StoredNet::stop, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "net", [](const StoredNet& stored) { return BoundNet(stored.net()); },
          "The net, when it is ready. Raises BadNet.")
      .def_prop_ro("from_cache", [](const StoredNet& n) { return n.report().from_cache; })
      .def_prop_ro("cache_file", [](const StoredNet& n) { return if_any(n.report().file); })
      .def_prop_ro("note", [](const StoredNet& n) { return to_text(n.report().note); });
  module.def("load_net", &load, nb::arg("path"), nb::arg("threads"), nb::arg("is_shared"),
             nb::call_guard<nb::gil_scoped_release>(),
             "Starts loading a file; shared: unless the process has it or loads it.");
  module.def("stop_net_loads", &stop_net_loads, nb::call_guard<nb::gil_scoped_release>());
  module.def("before_fork", &before_fork);
  module.def("after_fork", &after_fork, nb::arg("is_child"));

  nb::class_<ExternalNet>(module, "ExternalNet", "A net that Python loads and evaluates.")
      .def(
          "set",
          [](ExternalNet& net, const LoadFunction& callback, u32 sizes,
             const std::optional<LoadFunction>& white) {
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
