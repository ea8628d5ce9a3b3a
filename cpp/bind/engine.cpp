// SPDX-License-Identifier: MIT
// `_core.bench`, options, levels, swap2 and tunables.
#include "engine/bench.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <string>
#include <tuple>

#include "base/tunable.h"
#include "bind/bind.h"
#include "bind/python_callback.h"
#include "engine/swap2.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

/// A bench whose evaluator is chosen by the options.
BenchResult bench(int rule, const OptionTexts& options, const std::filesystem::path& data,
                  const LoadFunction& load_external, int depth, u64 playouts, int positions,
                  bool lazy) {
  BenchRequest request;
  request.rule = to_rule(rule);
  request.options = to_play_options(options);
  request.limits = {depth, playouts, positions};
  request.lazy = lazy;
  const LoadExternal load = external_loader(load_external);
  bool is_interrupted = false;
  BenchResult result;
  {
    const nb::gil_scoped_release release;
    result = run_bench(request, bundle_in(data), load, [&] {
      const nb::gil_scoped_acquire acquire;
      is_interrupted = is_interrupted || PyErr_CheckSignals() != 0;
      return is_interrupted;
    });
  }
  if (is_interrupted) throw nb::python_error();
  return result;
}

using TunableTuple = std::tuple<std::string, int, int, int, int, std::string>;

std::vector<TunableTuple> all_tunables() {
  std::vector<TunableTuple> result;
  for (const Tunable* t : tunables())
    result.emplace_back(t->name, t->value, t->min, t->max, t->step, t->meaning);
  return result;
}

/// (name, kind, default as a text, min, max, choices, help)
using OptionTuple = std::tuple<std::string, std::string, std::string, i64, i64,
                               std::vector<std::string>, std::string>;

std::vector<OptionTuple> all_options() {
  constexpr std::array KINDS = {"spin", "real", "check", "choice", "text"};  // as OptionSpec::Kind
  std::vector<OptionTuple> result;
  for (const OptionSpec& spec : option_specs())
    result.emplace_back(
        spec.name, KINDS[static_cast<size_t>(spec.kind)], spec.initial, spec.min, spec.max,
        std::vector<std::string>(spec.choices.begin(), spec.choices.end()), spec.help);
  return result;
}

/// (number, nodes, depth, seconds, lines, spread)
using LevelTuple = std::tuple<int, u64, int, double, int, double>;

std::vector<LevelTuple> all_levels() {
  std::vector<LevelTuple> result;
  for (int number = 1; number <= FULL_LEVEL; ++number) {
    const Level& level = level_of(number);
    result.emplace_back(number, level.nodes, level.depth, level.time, level.lines, level.spread);
  }
  return result;
}

std::vector<int> indices_of(const std::vector<Point>& points, int size) {
  std::vector<int> result;
  for (const Point p : points) result.push_back(to_index(p, size));
  return result;
}

std::vector<int> opening_of_swap2(int size, u32 number) {
  return indices_of(swap2_opening(to_size(size), number), size);
}

std::vector<int> choice_in_swap2(int size, int stones, int move, const std::vector<int>& pv,
                                 Value value) {
  const auto point = [size](int index) { return index == -1 ? NO_POINT : to_point(index, size); };
  SearchResult result;
  result.move = point(move);
  result.info.value = value;
  for (const int index : pv) result.info.pv.push_back(point(index));
  return indices_of(swap2_choice(result, stones), size);
}

constexpr bool is_tuning() {
#ifdef TENGEN_TUNING
  return true;
#else
  return false;
#endif
}

/// All tunables by name with their built-in values; created before any is set.
struct BuiltIn {
  Tunable* tunable;
  int value;
};

const std::map<std::string_view, BuiltIn>& built_in() {
  static const auto all = [] {
    std::map<std::string_view, BuiltIn> result;
    for (Tunable* t : tunables()) result[t->name] = {t, t->value};
    return result;
  }();
  return all;
}

/// Old names of tunables, accepted for one release: stored runs of `tengen tune` have them.
std::string new_name(const std::string& name) {
  static const std::map<std::string, std::string> RENAMED = {
      {"POLICY_POINTS", "EVAL_PER_POLICY_LOGIT"},
      {"MCTS_SPREAD", "MCTS_UTILITY_STDEV_SCALE"},
      {"MCTS_LEAST_VISITS", "MCTS_MIN_VISITS"},
      {"MCTS_TIME_SETTLED", "MCTS_TIME_STABLE"},
      {"MCTS_TIME_UNSETTLED", "MCTS_TIME_UNSTABLE"},
      {"TIME_LEAST", "TIME_MIN"},
      {"PN_PATIENCE", "PN_EPSILON_DIVISOR"},
      {"PN_WORK_FOUR", "PN_INIT_FOUR"},
      {"PN_WORK_OTHER", "PN_INIT_OTHER"},
      {"PN_WORK_QUIET", "PN_INIT_QUIET"},
      {"PN_WIDEN_FACTOR", "PN_THREAT_BUDGET_FACTOR"},
      {"ROUGH_BASE", "LAZY_BASE"},
      {"ROUGH_SLOPE", "LAZY_SLOPE"},
      {"ROUGH_MEND", "LAZY_ERROR_CARRY"},
      {"LATE_BASE", "LMP_BASE"},
      {"LATE_SLOPE", "LMP_SLOPE"},
      {"LATE_SQUARE", "LMP_SQUARE"},
      {"LATE_DEPTH", "LMP_DEPTH"},
      {"FUTILITY_SLOPE", "RFP_SLOPE"},
      {"FUTILITY_IMPROVING", "RFP_IMPROVING"},
      {"FUTILITY_DEPTH", "RFP_DEPTH"},
      {"QUIET_BASE", "QUIET_FUTILITY_BASE"},
      {"QUIET_SLOPE", "QUIET_FUTILITY_SLOPE"},
      {"QUIET_DEPTH", "QUIET_FUTILITY_DEPTH"},
      {"ORDER_REPLY", "ORDER_CONTINUATION1"},
      {"ORDER_SEQUEL", "ORDER_CONTINUATION2"},
      {"ORDER_COUNTER", "ORDER_COUNTER_MOVE"},
      {"NULL_DEPTH_PART", "NULL_DEPTH_DIVISOR"},
      {"NULL_VALUE_PART", "NULL_VALUE_DIVISOR"},
      {"NULL_LEAST_DEPTH", "NULL_MIN_DEPTH"},
      {"SINGULAR_LEAST_DEPTH", "SINGULAR_MIN_DEPTH"},
      {"VCF_LEAST_DEPTH", "VCF_MIN_DEPTH"},
      {"HISTORY_MOST", "HISTORY_MAX"},
  };
  const std::string prefix = name.starts_with("NET_") ? "NET_" : "";
  const auto it = RENAMED.find(name.substr(prefix.size()));
  return it == RENAMED.end() ? name : prefix + it->second;
}

/// All or nothing: an error leaves every value unchanged. The core caches nothing derived from
/// tunables between searches.
void set_tunables(const std::map<std::string, i64>& values) {
  std::map<std::string, i64> renamed;
  for (const auto& [name, value] : values) renamed[new_name(name)] = value;
  if (!is_tuning() && !values.empty())
    throw std::invalid_argument(
        "tunables are constants in this build: `make tuning` makes one in .venv-tuning where they "
        "can be set");
  const auto& all = built_in();
  for (const auto& [name, value] : renamed) {
    const auto it = all.find(name);
    if (it == all.end())
      throw std::invalid_argument("no tunable " + name + ": `tengen bench --params` lists them");
    const Tunable& tunable = *it->second.tunable;
    if (value < tunable.min || value > tunable.max)
      throw std::invalid_argument("no " + name + " of " + std::to_string(value) + ": use " +
                                  std::to_string(tunable.min) + " to " +
                                  std::to_string(tunable.max));
  }
  for (const auto& [name, entry] : all) entry.tunable->value = entry.value;
  for (const auto& [name, value] : renamed) all.at(name).tunable->value = static_cast<int>(value);
}

}  // namespace

PlayOptions to_play_options(const OptionTexts& texts) {
  std::map<std::string, std::string> options;
  for (const auto& [name, text] : texts) {
    const nb::object bytes = nb::steal(PyUnicode_EncodeFSDefault(text.ptr()));  // it may be a path
    if (!bytes.is_valid()) throw nb::python_error();
    options[nb::cast<std::string>(name)] = {PyBytes_AsString(bytes.ptr()),
                                            static_cast<size_t>(PyBytes_Size(bytes.ptr()))};
  }
  return play_options_of(options);
}

void register_engine(nb::module_& module) {
  nb::class_<BenchResult>(module, "BenchResult")
      .def_prop_ro("positions", [](const BenchResult& r) { return r.positions; })
      .def_prop_ro("nodes", [](const BenchResult& r) { return r.stats.nodes; })
      .def_prop_ro("vcf_nodes", [](const BenchResult& r) { return r.stats.vcf_nodes; })
      .def_prop_ro("solver_nodes", [](const BenchResult& r) { return r.stats.solver_nodes; })
      .def_prop_ro("evaluations", [](const BenchResult& r) { return r.stats.evaluations; })
      .def_prop_ro("seconds", [](const BenchResult& r) { return r.seconds; })
      .def_prop_ro("signature", [](const BenchResult& r) { return r.signature; })
      .def_prop_ro("evaluator", [](const BenchResult& r) {
        return std::tuple(r.evaluator.name, to_text(r.evaluator.about), r.evaluator.bytes);
      });
  module.attr("ONNX_DEPTH") = ONNX_DEPTH;
  module.attr("ONNX_PLAYOUTS") = ONNX_PLAYOUTS;
  module.def(
      "bench", &bench, nb::arg("rule"), nb::arg("options"), nb::arg("data"),
      nb::arg("load_external"), nb::arg("depth") = 0, nb::arg("playouts") = 0,
      nb::arg("positions") = 0, nb::arg("lazy") = true,
      "0 is the default of depth and playouts, and all positions. Raises BadNet, BadTables.");
  module.def("option_specs", &all_options,
             "(name, kind, default as a text, min, max, choices, help) of all options. Bounds of a "
             "`real` are in millionths.");
  module.def("levels", &all_levels,
             "(number, nodes, depth, seconds, lines, spread) of all levels.");
  module.def("swap2_opening", &opening_of_swap2, nb::arg("size"), nb::arg("number"));
  module.def("swap2_choice", &choice_in_swap2, nb::arg("size"), nb::arg("stones"), nb::arg("move"),
             nb::arg("pv"), nb::arg("value"),
             "Stones to put, or none to take black, after a search with white to move.");
  module.def("tunables", &all_tunables, "(name, value, min, max, step, meaning) of all tunables.");
  built_in();
  module.def("is_tuning", &is_tuning, "Whether this build can set tunables.");
  module.def("tunable_name", &new_name, nb::arg("name"),
             "The current name of a tunable, for one that may be of an earlier version.");
  module.def("set_tunables", &set_tunables, nb::arg("values"),
             "Set tunables of all engines; those not named get their built-in values. Not while a "
             "search runs. Raises ValueError.");
}

}  // namespace tengen::bind
