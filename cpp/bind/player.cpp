// SPDX-License-Identifier: MIT
// `_core.Player`: an engine with its evaluators, options and level. Searches run in their own
// threads; waiting for their events releases the GIL.
#include "engine/player.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>

#include "bind/bound_board.h"
#include "bind/python_callback.h"
#include "bind/to_array.h"
#include "os/os.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using Evaluator = std::tuple<std::string, nb::str, u64>;

Evaluator tuple_of(const EvaluatorInfo& info) {
  return {info.name, to_text(info.about), info.bytes};
}

/// A line or the result of a search, with the size of its board.
struct BoundEvent {
  bool is_result;
  Point move, ponder;
  SearchLine line;
  int size;

  const SearchInfo& info() const { return line.info; }
  /// Plies to mate: positive if the side to move wins, negative if it loses, 0 if unknown.
  int mate() const {
    const Value value = info().value;
    return is_win(value) ? MATE - value : is_loss(value) ? -MATE - value : 0;
  }
  std::vector<int> pv() const {
    std::vector<int> indices;
    for (const Point p : info().pv) indices.push_back(to_index(p, size));
    return indices;
  }
  int bound() const {
    return info().bound == Bound::EXACT ? 0 : info().bound == Bound::LOWER ? 1 : 2;
  }
};

/// Limits as Python has them: 0 is no limit.
Limit limit_of(double seconds, u64 nodes, int depth, double clock, double increment) {
  if (!(seconds >= 0) || !(clock >= 0) || !(increment >= 0) || depth < 0)
    throw std::invalid_argument("limits must not be negative");
  Limit limit;
  if (seconds > 0) limit.time = seconds;
  if (clock > 0) limit.clock = clock;
  limit.increment = increment;
  limit.nodes = nodes;
  limit.depth = depth;
  return limit;
}

PlayRequest request_of(const BoundBoard& board) {
  PlayRequest request{board.board(), to_rule(board.rule())};
  request.moves_left = board.moves_left();
  return request;
}

class BoundPlayer {
 public:
  template <typename T>
  using Array = nb::ndarray<nb::numpy, T>;
  using Samples = std::tuple<Array<u8>, Array<u8>, Array<i32>>;

  BoundPlayer(const OptionTexts& options, const std::filesystem::path& data,
              const LoadFunction& load_external)
      : player_(std::make_unique<Player>(to_play_options(options), bundle_in(data),
                                         external_loader(load_external))) {}
  /// The search may wait for the GIL to call a net, so the GIL is released before joining it.
  ~BoundPlayer() {
    if (process_ != os::process_id()) {  // a forked one, which has no threads to wait for
      (void)player_.release();
      return;
    }
    const nb::gil_scoped_release release;
    player_.reset();
  }

  // Those that load nets or wait for a thread release the GIL: the thread that loads one, and the
  // one that searches with it, call Python.
  void configure(const OptionTexts& texts) {
    const PlayOptions options = to_play_options(texts);
    const nb::gil_scoped_release release;
    player_->configure(options);
  }
  Evaluator evaluator(int rule, int size) const {
    EvaluatorInfo info;
    {
      const nb::gil_scoped_release release;
      info = player_->evaluator(to_rule(rule), size);
    }
    return tuple_of(info);
  }
  std::shared_ptr<const PendingEvaluator> prepare(int rule, int size) {
    const nb::gil_scoped_release release;
    return player_->prepare(to_rule(rule), size);
  }

  void start(const BoundBoard& board, double seconds, u64 nodes, int depth, double clock,
             double increment, SearchPurpose purpose, int multipv, const std::vector<int>& moves) {
    if (multipv < 1) throw std::invalid_argument("a search has at least one line");
    PlayRequest request = request_of(board);
    request.limit = limit_of(seconds, nodes, depth, clock, increment);
    request.purpose = purpose;
    request.multipv = multipv;
    for (const int move : moves) request.moves.push_back(to_point(move, board.size()));
    size_ = board.size();
    const nb::gil_scoped_release release;
    player_->start(request);
  }

  bool ponder_hit(const BoundBoard& board, double seconds, u64 nodes, int depth, double clock,
                  double increment) {
    PlayRequest request = request_of(board);
    request.limit = limit_of(seconds, nodes, depth, clock, increment);
    return player_->ponder_hit(request);
  }

  std::optional<BoundEvent> next_event(double timeout) {
    std::optional<Player::Event> event;
    {
      const nb::gil_scoped_release release;
      event = player_->next(timeout);
    }
    if (!event) return std::nullopt;
    if (auto* const line = std::get_if<SearchLine>(&*event))
      return BoundEvent{false, NO_POINT, NO_POINT, std::move(*line), size_};
    PlayedMove& played = std::get<PlayedMove>(*event);
    SearchLine line = played.line ? std::move(*played.line) : SearchLine{};
    return BoundEvent{true, played.move, played.ponder, std::move(line), size_};
  }

  /// (point index, probability) of each move, most likely first.
  std::vector<std::pair<int, double>> root_policy(
      const BoundBoard& board, const std::shared_ptr<const PendingEvaluator>& prepared) {
    const PlayRequest request = request_of(board);
    std::vector<PolicyMove> moves;
    {
      const nb::gil_scoped_release release;
      moves = player_->root_policy(request, prepared);
    }
    std::vector<std::pair<int, double>> result;
    for (const PolicyMove& move : moves)
      result.emplace_back(to_index(move.point, board.size()), move.probability);
    return result;
  }

  /// (nodes, selective depth, seconds, nodes per second) of the search, if it reports progress.
  std::optional<std::tuple<u64, int, double, u64>> progress() const {
    const std::optional<PlayProgress> found = player_->progress();
    if (!found) return std::nullopt;
    return std::tuple(found->nodes, found->selective_depth, found->seconds, found->nps);
  }

  bool is_searching() const { return player_->is_searching(); }
  void stop() { player_->stop(); }
  void new_game() {
    const nb::gil_scoped_release release;
    player_->new_game();
  }

  std::vector<nb::str> take_notes() {
    std::vector<nb::str> notes;
    for (const std::string& note : player_->take_notes()) notes.push_back(to_text(note));
    return notes;
  }

  void collect_samples(int per_1024) { player_->collect_samples(per_1024); }
  /// Boards as rows (0 empty, 1 black, 2 white), sides to move (1, 2), and their evaluations, of
  /// searches of boards of one size.
  Samples take_samples() {
    const std::vector<SearchSample> samples = player_->take_samples();
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

 private:
  std::unique_ptr<Player> player_;
  long process_ = os::process_id();
  int size_ = 15;
};

}  // namespace

void register_player(nb::module_& module) {
  nb::class_<BoundEvent>(module, "SearchEvent", "A line of a search, or its result.")
      .def_ro("is_result", &BoundEvent::is_result)
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
          "seconds", [](const BoundEvent& e) { return e.line.seconds; },
          "Since the request, waiting for a net included.")
      .def_prop_ro("nps", [](const BoundEvent& e) { return e.line.nps; })
      .def_prop_ro("hashfull", [](const BoundEvent& e) { return e.info().hashfull; })
      .def_prop_ro("evaluator", [](const BoundEvent& e) { return tuple_of(e.line.evaluator); })
      .def_prop_ro("pv", &BoundEvent::pv, "Of a result: empty if it has no line.")
      .def_prop_ro("move", [](const BoundEvent& e) { return to_index(e.move, e.size); })
      .def_prop_ro("ponder", [](const BoundEvent& e) {
        return e.ponder == NO_POINT ? std::nullopt : std::optional(to_index(e.ponder, e.size));
      });

  nb::enum_<SearchPurpose>(module, "SearchPurpose", "What a search is for.")
      .value("MOVE", SearchPurpose::MOVE)
      .value("ANALYSIS", SearchPurpose::ANALYSIS)
      .value("PONDER", SearchPurpose::PONDER);
  nb::class_<PendingEvaluator>(module, "PendingEvaluator", "An evaluator whose nets are loading.")
      .def_prop_ro("is_ready", &PendingEvaluator::is_ready);

  nb::class_<BoundPlayer>(module, "Player")
      .def(nb::init<const OptionTexts&, const std::filesystem::path&, const LoadFunction&>(),
           nb::arg("options"), nb::arg("data"), nb::arg("load_external"),
           "Options are texts by name, `data` is the folder of the package's tables and nets. "
           "`load_external` loads nets that are not Mixnets: it is called with the files for black "
           "and for white to move, the number of the rule, the size, and the ExternalNet to set.")
      .def("configure", &BoundPlayer::configure, nb::arg("options"),
           "Sets all options; those not named get their defaults. Ends the search.")
      .def("evaluator", &BoundPlayer::evaluator, nb::arg("rule"), nb::arg("size"),
           "Name, description and bytes of the evaluator. Raises BadNet.")
      .def("prepare", &BoundPlayer::prepare, nb::arg("rule"), nb::arg("size"),
           "Starts loading the evaluator, and keeps it. Raises BadNet.")
      .def("start", &BoundPlayer::start, nb::arg("board"), nb::kw_only(), nb::arg("seconds") = 0.0,
           nb::arg("nodes") = 0, nb::arg("depth") = 0, nb::arg("clock") = 0.0,
           nb::arg("increment") = 0.0, nb::arg("purpose") = SearchPurpose::MOVE,
           nb::arg("multipv") = 1, nb::arg("moves") = std::vector<int>(), "Starts a search.")
      .def("ponder_hit", &BoundPlayer::ponder_hit, nb::arg("board"), nb::kw_only(),
           nb::arg("seconds") = 0.0, nb::arg("nodes") = 0, nb::arg("depth") = 0,
           nb::arg("clock") = 0.0, nb::arg("increment") = 0.0,
           "Whether the search that ponders became the search for this move.")
      .def("next_event", &BoundPlayer::next_event, nb::arg("timeout"))
      .def_prop_ro("is_searching", &BoundPlayer::is_searching,
                   "Whether a search runs whose result was not read.")
      .def("root_policy", &BoundPlayer::root_policy, nb::arg("board"), nb::arg("prepared"),
           "By what `prepare` returned.")
      .def("take_notes", &BoundPlayer::take_notes,
           "What went wrong with the cache of nets that were put in place since the last call.")
      .def("progress", &BoundPlayer::progress)
      .def("stop", &BoundPlayer::stop)
      .def("new_game", &BoundPlayer::new_game)
      .def("collect_samples", &BoundPlayer::collect_samples, nb::arg("per_1024"))
      .def("take_samples", &BoundPlayer::take_samples);
}

}  // namespace tengen::bind
