// SPDX-License-Identifier: MIT
// `_core.Solver`, `_core.Proof`, `_core.Cancel`. Long calls release the GIL and reacquire it
// periodically for signals and progress.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <tuple>
#include <utility>

#include "bind/bound_board.h"
#include "game/proof_tree.h"
#include "solver/solver.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

/// A flag that any thread may set to end a search.
struct Cancel {
  std::atomic<bool> flag = false;
};

using CheckProgress = nb::typed<nb::callable, void(u64)>;
using SolveProgress = nb::typed<nb::callable, void(u64, int, double, int)>;
using NodeTuple = std::tuple<int, int, std::vector<std::pair<int, int>>>;

/// Runs signal handlers (on the main thread) and the progress callback while the GIL is released.
/// An exception ends the work and is rethrown afterwards.
class PythonHook {
 public:
  /// Calls `report`, if set, with the GIL held. False if the work must end.
  bool operator()(const std::function<void()>& report) {
    nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (report) report();
    } catch (...) {
      raised_ = std::current_exception();
    }
    return !raised_;
  }

  /// Call with the GIL held, after the work.
  void rethrow() {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  std::exception_ptr raised_;
};

u32 to_node(int number) {
  if (number < -1) throw std::invalid_argument("a node has a number from 0 on, or -1 for none");
  return number == -1 ? NO_NODE : static_cast<u32>(number);
}

int from_node(u32 node) { return node == NO_NODE ? -1 : static_cast<int>(node); }

Proof make_proof(int size, int rule, const nb::bytes& cells, int attacker, int moves_left,
                 const std::vector<NodeTuple>& nodes) {
  Proof proof;
  proof.size = to_size(size);
  proof.rule = to_rule(rule);
  proof.attacker = to_colour(attacker);
  if (moves_left < 0) throw std::invalid_argument("moves_left is not negative");
  proof.moves_left = moves_left;
  const std::vector<Point>& points = board_points(size);
  if (cells.size() != points.size()) throw std::invalid_argument("cells: one byte per point");
  proof.cells = empty_cells(size);
  for (size_t i = 0; i < points.size(); ++i) {
    const char cell = static_cast<const char*>(cells.data())[i];
    if (cell < EMPTY || cell > WHITE) throw std::invalid_argument("a cell is 0, 1 or 2");
    proof.cells[points[i]] = static_cast<Stone>(cell);
  }
  for (const auto& [move, threat, replies] : nodes) {
    proof.nodes.push_back({to_point(move, size), to_node(threat),
                           static_cast<u32>(proof.replies.size()),
                           static_cast<u32>(replies.size())});
    for (const auto& [reply, node] : replies)
      proof.replies.push_back({reply == -1 ? NO_POINT : to_point(reply, size), to_node(node)});
  }
  return proof;
}

std::vector<NodeTuple> nodes_of(const Proof& proof) {
  std::vector<NodeTuple> nodes;
  nodes.reserve(proof.nodes.size());
  for (const ProofNode& node : proof.nodes) {
    std::vector<std::pair<int, int>> replies;
    for (u32 i = 0; i < node.reply_count; ++i) {
      const ProofReply& reply = proof.replies[node.first_reply + i];
      replies.emplace_back(to_index(reply.point, proof.size), from_node(reply.node));
    }
    nodes.emplace_back(to_index(node.move, proof.size), from_node(node.threat), std::move(replies));
  }
  return nodes;
}

nb::bytes cells_of(const Proof& proof) {
  std::string cells;
  for (const Point p : board_points(proof.size)) cells.push_back(static_cast<char>(proof.cells[p]));
  return nb::bytes(cells.data(), cells.size());
}

/// The main line, and why it ends before the five.
std::pair<std::vector<int>, std::string> line_of(const Proof& proof) {
  ProofTree::Line line;
  {
    const nb::gil_scoped_release release;
    line = ProofTree(proof).line();
  }
  std::vector<int> moves;
  for (const Point p : line.moves) moves.push_back(to_index(p, proof.size));
  return {moves, line.error};
}

/// For each node the maximum number of moves of the attacker up to the five.
std::vector<int> bounds_of(const Proof& proof) {
  const ProofTree tree(proof);
  std::vector<int> bounds;
  bounds.reserve(proof.nodes.size());
  for (u32 node = 0; node < proof.nodes.size(); ++node) bounds.push_back(tree.bound(node));
  return bounds;
}

using CheckTuple = std::tuple<bool, bool, u64, std::string, std::vector<int>>;

CheckTuple verify_proof(const Proof& proof, const Cancel* cancel,
                        const std::optional<CheckProgress>& progress) {
  PythonHook hook;
  ProofCheck check;
  {
    nb::gil_scoped_release release;
    u64 played = 0;
    StopCondition stop_condition({}, cancel ? &cancel->flag : nullptr, [&] {
      return hook([&] {
        if (progress) (*progress)(played);
      });
    });
    check = verify(proof, [&](u64 moves) {
      played = moves;
      return stop_condition.check();
    });
  }
  hook.rethrow();
  std::vector<int> path;
  for (const Point p : check.path) path.push_back(to_index(p, proof.size));
  return {check.is_valid, check.interrupted, check.moves_played, check.error, path};
}

/// A Solution with the size of its board.
struct BoundSolution {
  Solution solution;
  int size;
};

/// A solver handles one request at a time.
class InUse {
 public:
  explicit InUse(bool& busy) : busy_(busy) {
    if (busy_) throw std::runtime_error("the solver is busy: each thread needs its own");
    busy_ = true;
  }
  ~InUse() { busy_ = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  bool& busy_;
};

class BoundSolver {
 public:
  explicit BoundSolver(size_t memory) : solver_(MAX_SIZE, Rule::FREESTYLE, checked(memory)) {}

  BoundSolution solve(const BoundBoard& board, int goal, int quiet, double seconds, u64 nodes,
                      const Cancel* cancel, const std::optional<SolveProgress>& progress) {
    const InUse in_use(busy_);
    const int size = board.size();
    solver_.set_game(size, to_rule(board.rule()));
    const Cells cells = board.board().cells();  // another thread may change the board meanwhile
    const Colour side = board.board().side_to_move();
    const int moves_left = board.moves_left();
    PythonHook hook;
    const SolveRequest request =
        make_request(board, goal, quiet, {seconds, nodes}, cancel, progress, hook);
    Solution solution;
    {
      nb::gil_scoped_release release;
      solution = solver_.solve(cells, side, moves_left, request);
    }
    hook.rethrow();
    return {std::move(solution), size};
  }

  std::pair<BoundSolution, std::vector<std::pair<int, BoundSolution>>> defences(
      const BoundBoard& board, int goal, int quiet, double seconds, u64 nodes, const Cancel* cancel,
      const std::optional<SolveProgress>& progress) {
    const InUse in_use(busy_);
    const int size = board.size();
    solver_.set_game(size, to_rule(board.rule()));
    const Cells cells = board.board().cells();
    const Colour side = board.board().side_to_move();
    const int moves_left = board.moves_left();
    PythonHook hook;
    const SolveRequest request =
        make_request(board, goal, quiet, {seconds, nodes}, cancel, progress, hook);
    Defences result;
    {
      nb::gil_scoped_release release;
      result = solver_.defences(cells, side, moves_left, request);
    }
    hook.rethrow();
    std::vector<std::pair<int, BoundSolution>> moves;
    for (Defence& defence : result.moves)
      moves.emplace_back(to_index(defence.move, size),
                         BoundSolution{std::move(defence.attack), size});
    return {{std::move(result.threat), size}, std::move(moves)};
  }

  size_t memory_used() const { return solver_.memory_used(); }

 private:
  static size_t checked(size_t memory) {
    if (memory < Solver::MIN_MEMORY)
      throw std::invalid_argument("a solver needs at least 1 MiB of memory");
    return memory;
  }

  SolveRequest make_request(const BoundBoard& board, int goal, int quiet, Limits limits,
                            const Cancel* cancel, const std::optional<SolveProgress>& progress,
                            PythonHook& hook) const {
    if (goal < 0 || goal > static_cast<int>(Goal::ANY)) throw std::invalid_argument("no such goal");
    if (quiet < 0 || !(limits.seconds >= 0)) throw std::invalid_argument("a limit is not negative");
    return {static_cast<Goal>(goal), quiet, limits, cancel ? &cancel->flag : nullptr,
            [&hook, &progress, size = board.size()](const SolverProgress& now) {
              return hook([&] {
                if (progress)
                  (*progress)(now.nodes, now.depth, now.seconds, to_index(now.best, size));
              });
            }};
  }

  Solver solver_;
  bool busy_ = false;  ///< guarded by the GIL
};

}  // namespace

void register_solve(nb::module_& module) {
  nb::class_<Cancel>(module, "Cancel")
      .def(nb::init<>())
      .def("set", [](Cancel& cancel) { cancel.flag = true; })
      .def("is_set", [](const Cancel& cancel) { return cancel.flag.load(); });

  nb::class_<Proof>(module, "Proof")
      .def(nb::new_(&make_proof), nb::arg("size"), nb::arg("rule"), nb::arg("cells"),
           nb::arg("attacker"), nb::arg("moves_left"), nb::arg("nodes"))
      .def_prop_ro("size", [](const Proof& proof) { return proof.size; })
      .def_prop_ro("rule", [](const Proof& proof) { return static_cast<int>(proof.rule); })
      .def_prop_ro("attacker", [](const Proof& proof) { return static_cast<int>(proof.attacker); })
      .def_prop_ro("moves_left", [](const Proof& proof) { return proof.moves_left; })
      .def("cells", &cells_of)
      .def("nodes", &nodes_of)
      .def("bounds", &bounds_of)
      .def("line", &line_of)
      .def("__len__", [](const Proof& proof) { return proof.nodes.size(); })
      .def("verify", &verify_proof, nb::arg("cancel").none() = nb::none(),
           nb::arg("progress").none() = nb::none());

  nb::class_<BoundSolution>(module, "SolveResult")
      .def_prop_ro("status",
                   [](const BoundSolution& s) { return static_cast<int>(s.solution.status); })
      .def_prop_ro("stop_reason",
                   [](const BoundSolution& s) { return static_cast<int>(s.solution.stop_reason); })
      .def_prop_ro("nodes", [](const BoundSolution& s) { return s.solution.nodes; })
      .def_prop_ro("seconds", [](const BoundSolution& s) { return s.solution.seconds; })
      .def_prop_ro("depth", [](const BoundSolution& s) { return s.solution.depth; })
      .def_prop_ro("best", [](const BoundSolution& s) { return to_index(s.solution.best, s.size); })
      .def_prop_ro("proof", [](const BoundSolution& s) { return s.solution.proof; });

  const auto cancel = [] { return nb::arg("cancel").none() = nb::none(); };
  const auto progress = [] { return nb::arg("progress").none() = nb::none(); };
  nb::class_<BoundSolver>(module, "Solver")
      .def(nb::init<size_t>(), nb::arg("memory"))
      .def("solve", &BoundSolver::solve, nb::arg("board"), nb::arg("goal"), nb::arg("quiet") = 0,
           nb::arg("seconds") = 0.0, nb::arg("nodes") = 0, cancel(), progress())
      .def("defences", &BoundSolver::defences, nb::arg("board"), nb::arg("goal"),
           nb::arg("quiet") = 0, nb::arg("seconds") = 0.0, nb::arg("nodes") = 0, cancel(),
           progress())
      .def_prop_ro("memory_used", &BoundSolver::memory_used);
}

}  // namespace tengen::bind
