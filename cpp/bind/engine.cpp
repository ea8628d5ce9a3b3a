// SPDX-License-Identifier: MIT
// `_core.Engine`, `_core.bench`, options and tunables. A search runs in its own threads; waiting
// for events releases the GIL.
#include "engine/engine.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/tunable.h"
#include "bind/bound_board.h"
#include "bind/bound_net.h"
#include "bind/python_callback.h"
#include "bind/to_array.h"
#include "engine/bench.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

/// Planes in, logits of value and policy out.
using Callback = nb::typed<nb::callable, nb::object(...)>;

constexpr int NO_MOVE = -2;  ///< distinct from point indices and from -1, the pass

std::string_view view(const nb::bytes& data) {
  return {static_cast<const char*>(data.data()), data.size()};
}

CallbackNet callback_net(const Callback& callback, u32 sizes,
                         const std::optional<Callback>& white) {
  return {python_callback(callback), sizes, white ? python_callback(*white) : NetCallback()};
}

/// A request for a board, without limits.
GoRequest request_of(const BoundBoard& board) {
  GoRequest request;
  request.size = board.size();
  request.rule = to_rule(board.rule());
  SearchRequest& search = request.search;
  search.cells = board.board().cells();
  search.side = board.board().side_to_move();
  search.moves_left = board.moves_left();
  const std::vector<Point>& made = board.board().moves();
  if (!made.empty()) search.last = made.back();
  if (made.size() > 1) search.before_last = made[made.size() - 2];
  return request;
}

/// An event with the size of its board.
struct BoundEvent {
  EngineEvent event;
  int size;

  const SearchInfo& info() const { return event.info; }
  /// Plies to mate: positive if the side to move wins, negative if it loses, 0 if unknown.
  int mate() const {
    const Value value = info().value;
    return is_win(value) ? MATE - value : is_loss(value) ? -MATE - value : 0;
  }
  std::vector<int> line() const {
    std::vector<int> indices;
    for (const Point p : info().pv) indices.push_back(to_index(p, size));
    return indices;
  }
  int bound() const {
    return info().bound == Bound::EXACT ? 0 : info().bound == Bound::LOWER ? 1 : 2;
  }
};

class BoundEngine {
 public:
  template <typename T>
  using Array = nb::ndarray<nb::numpy, T>;
  using Samples = std::tuple<Array<u8>, Array<u8>, Array<i32>>;

  BoundEngine(int threads, size_t memory) : engine_(std::make_unique<Engine>()) {
    set_option("threads", threads);
    set_option("memory", static_cast<i64>(memory));
  }
  /// The search may wait for the GIL to call a net, so the GIL is released before joining it.
  ~BoundEngine() {
    const nb::gil_scoped_release release;
    engine_.reset();
  }

  void set_option(const std::string& name, i64 value) { engine_->set_option(name, value); }
  void load_tables(int rule, const nb::bytes& data) {
    engine_->load_tables(to_rule(rule), view(data));
  }
  void set_classical() { engine_->set_evaluation({}); }
  void set_nets(const BoundNet& black, const BoundNet& white) {
    engine_->set_evaluation(mixnet::Nets{black.net(), white.net()});
  }
  void load_lazy_tables(int rule, const nb::bytes& data) {
    engine_->load_lazy_tables(to_rule(rule), view(data));
  }
  void collect_samples(int per_1024) { engine_->collect_samples(per_1024); }
  /// Boards as rows (0 empty, 1 black, 2 white), sides to move (1, 2), and their evaluations.
  Samples take_samples() {
    const std::vector<SearchSample> samples = engine_->take_samples();
    const auto points = static_cast<size_t>(size_ * size_);
    std::vector<u8> stones, sides;
    std::vector<i32> values;
    for (const SearchSample& sample : samples) {
      stones.insert(stones.end(), sample.stones.begin(),
                    sample.stones.begin() + static_cast<std::ptrdiff_t>(points));
      sides.push_back(sample.side);
      values.push_back(sample.value);
    }
    return {to_array(std::move(stones), points), to_array(std::move(sides)),
            to_array(std::move(values))};
  }
  void set_callback(const Callback& callback, u32 sizes, const std::optional<Callback>& white) {
    engine_->set_evaluation(callback_net(callback, sizes, white));
  }

  void start(const BoundBoard& board, double seconds, u64 nodes, int depth, double clock,
             double increment, int multipv, const std::vector<int>& moves, bool ponder) {
    if (!(seconds >= 0) || !(clock >= 0) || !(increment >= 0) || depth < 0 || multipv < 1)
      throw std::invalid_argument("limits must not be negative and multipv must be at least 1");
    size_ = board.size();
    GoRequest request = request_of(board);
    request.time = {seconds, clock, increment};
    request.ponder = ponder;
    SearchRequest& search = request.search;
    search.depth = depth;
    search.nodes = nodes;
    search.multipv = multipv;
    for (const int move : moves) search.search_moves.push_back(to_point(move, size_));
    nb::gil_scoped_release release;
    engine_->go(request);
  }

  std::optional<BoundEvent> next_event(double timeout) {
    std::optional<EngineEvent> event;
    {
      nb::gil_scoped_release release;
      event = engine_->next_event(timeout);
    }
    if (!event) return std::nullopt;
    if (event->kind == EngineEvent::Kind::FAILED || event->kind == EngineEvent::Kind::NO_MEMORY)
      throw std::runtime_error(event->error);
    return BoundEvent{std::move(*event), size_};
  }

  /// (point index, probability) of each move, most likely first.
  std::vector<std::pair<int, double>> root_policy(const BoundBoard& board) {
    const GoRequest request = request_of(board);
    std::vector<PolicyMove> moves;
    {
      nb::gil_scoped_release release;
      moves = engine_->root_policy(request);
    }
    std::vector<std::pair<int, double>> result;
    for (const PolicyMove& move : moves)
      result.emplace_back(to_index(move.point, request.size), move.probability);
    return result;
  }

  /// (nodes, selective depth, seconds) of the search, if it reports progress.
  std::optional<std::tuple<u64, int, double>> progress() const {
    const std::optional<SearchProgress> result = engine_->progress();
    if (!result) return std::nullopt;
    return std::tuple(result->stats.nodes, result->selective_depth,
                      static_cast<double>(result->nanoseconds) * 1e-9);
  }

  void stop() { engine_->stop(); }
  void ponder_hit(double seconds, double clock, double increment) {
    if (!(seconds >= 0) || !(clock >= 0) || !(increment >= 0))
      throw std::invalid_argument("a time limit must not be negative");
    engine_->ponder_hit(TimeLimits{seconds, clock, increment});
  }
  bool is_running() const { return engine_->is_running(); }
  void new_game() {
    nb::gil_scoped_release release;
    engine_->new_game();
  }

 private:
  std::unique_ptr<Engine> engine_;
  int size_ = 15;
};

BenchResult bench(int rule, const nb::bytes& tables, int depth, int preset, int threads,
                  size_t memory, const BoundNet* net, const BoundNet* white_net,
                  const std::optional<Callback>& callback, u32 sizes, int max_positions, int search,
                  u64 playouts, const nb::bytes& lazy_tables,
                  const std::optional<Callback>& white_callback) {
  EngineOptions options;
  set_option(options, "search", search);
  set_option(options, "preset", preset);
  set_option(options, "threads", threads);
  set_option(options, "memory", static_cast<i64>(memory));
  EvaluatorResources resources;
  if (tables.size() > 0) resources.tables = ClassicalTables::parse(view(tables), to_rule(rule));
  if (lazy_tables.size() > 0)
    resources.lazy_tables = LazyTables::parse(view(lazy_tables), to_rule(rule));
  if (net != nullptr)
    resources.evaluation = mixnet::Nets{net->net(), (white_net ? white_net : net)->net()};
  if (callback) resources.evaluation = callback_net(*callback, sizes, white_callback);
  bool interrupted = false;
  BenchResult result;
  {
    nb::gil_scoped_release release;
    result = run_bench(to_rule(rule), resources, options, {depth, playouts}, [&](int done, int) {
      nb::gil_scoped_acquire acquire;
      interrupted = PyErr_CheckSignals() != 0;
      return !interrupted && done != max_positions;
    });
  }
  if (interrupted) throw nb::python_error();
  return result;
}

using TunableTuple = std::tuple<std::string, int, int, int, int, std::string>;

std::vector<TunableTuple> all_tunables() {
  std::vector<TunableTuple> result;
  for (const Tunable* t : tunables())
    result.emplace_back(t->name, t->value, t->min, t->max, t->step, t->meaning);
  return result;
}

using OptionTuple = std::tuple<std::string, std::string, i64, i64, i64, std::string>;

std::vector<OptionTuple> all_mcts_options() {
  constexpr std::array KINDS = {"real", "spin", "check"};
  std::vector<OptionTuple> result;
  for (const OptionInfo& o : mcts_options())
    result.emplace_back(o.name, KINDS[static_cast<size_t>(o.kind)], o.value, o.min, o.max,
                        o.meaning);
  return result;
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

void register_engine(nb::module_& module) {
  nb::class_<BoundEvent>(module, "EngineEvent")
      .def_prop_ro("kind", [](const BoundEvent& e) { return static_cast<int>(e.event.kind); })
      .def_prop_ro("depth", [](const BoundEvent& e) { return e.info().depth; })
      .def_prop_ro("seldepth", [](const BoundEvent& e) { return e.info().selective_depth; })
      .def_prop_ro("multipv", [](const BoundEvent& e) { return e.info().multipv; })
      .def_prop_ro("value", [](const BoundEvent& e) { return e.info().value; })
      .def_prop_ro("mate", &BoundEvent::mate)
      .def_prop_ro("proven", [](const BoundEvent& e) { return e.info().proven; })
      .def_prop_ro("bound", &BoundEvent::bound)
      .def_prop_ro("visits", [](const BoundEvent& e) { return e.info().visits; })
      .def_prop_ro("nodes", [](const BoundEvent& e) { return e.info().stats.nodes; })
      .def_prop_ro("vcf_nodes", [](const BoundEvent& e) { return e.info().stats.vcf_nodes; })
      .def_prop_ro("solver_nodes", [](const BoundEvent& e) { return e.info().stats.solver_nodes; })
      .def_prop_ro("evaluations", [](const BoundEvent& e) { return e.info().stats.evaluations; })
      .def_prop_ro(
          "seconds",
          [](const BoundEvent& e) { return static_cast<double>(e.info().nanoseconds) * 1e-9; })
      .def_prop_ro("hashfull", [](const BoundEvent& e) { return e.info().hashfull; })
      .def_prop_ro("pv", &BoundEvent::line)
      .def_prop_ro("move", [](const BoundEvent& e) { return to_index(e.event.move, e.size); })
      .def_prop_ro("ponder", [](const BoundEvent& e) {
        return e.event.ponder == NO_POINT ? NO_MOVE : to_index(e.event.ponder, e.size);
      });

  nb::class_<BoundEngine>(module, "Engine")
      .def(nb::init<int, size_t>(), nb::arg("threads"), nb::arg("memory"))
      .def("set_option", &BoundEngine::set_option, nb::arg("name"), nb::arg("value"))
      .def("set_classical", &BoundEngine::set_classical)
      .def("set_nets", &BoundEngine::set_nets, nb::arg("black"), nb::arg("white"))
      .def("set_callback", &BoundEngine::set_callback, nb::arg("callback"), nb::arg("sizes"),
           nb::arg("white") = nb::none(),
           "Evaluate by a function of planes [n, 2, size, size] that returns the logits of the "
           "values, [n, 3], and of the policies, [n, size, size], as arrays of float32. With "
           "`white`, that function evaluates positions with white to move.")
      .def("load_tables", &BoundEngine::load_tables, nb::arg("rule"), nb::arg("data"))
      .def("load_lazy_tables", &BoundEngine::load_lazy_tables, nb::arg("rule"), nb::arg("data"))
      .def("collect_samples", &BoundEngine::collect_samples, nb::arg("per_1024"))
      .def("take_samples", &BoundEngine::take_samples)
      .def("start", &BoundEngine::start, nb::arg("board"), nb::kw_only(), nb::arg("seconds") = 0.0,
           nb::arg("nodes") = 0, nb::arg("depth") = 0, nb::arg("clock") = 0.0,
           nb::arg("increment") = 0.0, nb::arg("multipv") = 1,
           nb::arg("moves") = std::vector<int>(), nb::arg("ponder") = false)
      .def("next_event", &BoundEngine::next_event, nb::arg("timeout"))
      .def("root_policy", &BoundEngine::root_policy, nb::arg("board"))
      .def("progress", &BoundEngine::progress)
      .def("stop", &BoundEngine::stop)
      .def("ponder_hit", &BoundEngine::ponder_hit, nb::kw_only(), nb::arg("seconds") = 0.0,
           nb::arg("clock") = 0.0, nb::arg("increment") = 0.0)
      .def("is_running", &BoundEngine::is_running)
      .def("new_game", &BoundEngine::new_game);

  nb::class_<BenchResult>(module, "BenchResult")
      .def_prop_ro("positions", [](const BenchResult& r) { return r.positions; })
      .def_prop_ro("nodes", [](const BenchResult& r) { return r.stats.nodes; })
      .def_prop_ro("vcf_nodes", [](const BenchResult& r) { return r.stats.vcf_nodes; })
      .def_prop_ro("solver_nodes", [](const BenchResult& r) { return r.stats.solver_nodes; })
      .def_prop_ro("evaluations", [](const BenchResult& r) { return r.stats.evaluations; })
      .def_prop_ro("seconds", [](const BenchResult& r) { return r.seconds; })
      .def_prop_ro("signature", [](const BenchResult& r) { return r.signature; });
  module.def("bench", &bench, nb::arg("rule"), nb::arg("tables"), nb::arg("depth") = 0,
             nb::arg("preset") = static_cast<int>(Preset::CLASSICAL), nb::arg("threads") = 1,
             nb::arg("memory") = size_t{128} << 20, nb::arg("net").none() = nb::none(),
             nb::arg("white_net").none() = nb::none(), nb::arg("callback").none() = nb::none(),
             nb::arg("sizes") = ~u32{0}, nb::arg("positions") = 0,
             nb::arg("search") = static_cast<int>(SearchKind::ALPHABETA), nb::arg("playouts") = 0,
             nb::arg("lazy_tables") = nb::bytes("", 0),
             nb::arg("white_callback").none() = nb::none());
  module.def("mcts_options", &all_mcts_options,
             "(name, kind, default, min, max, meaning) of the options of Monte-Carlo tree search. "
             "Numbers of a `real` are in millionths.");
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
