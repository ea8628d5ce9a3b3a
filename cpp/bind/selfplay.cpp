// SPDX-License-Identifier: MIT
// `_core.SelfPlay`: concurrent games whose leaves a Python net evaluates. Advancing releases the
// GIL.
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "bind/bind.h"
#include "bind/to_array.h"
#include "selfplay/selfplay.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using selfplay::SelfPlay;
using selfplay::Settings;

using Values = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Policies = nb::ndarray<const i16, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Columns = nb::typed<nb::dict, nb::str, nb::any>;
using Counts = nb::typed<nb::dict, nb::str, u64>;
using Boards = nb::ndarray<u8, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Checks the shape of a buffer for the leaves of a group.
template <typename Array>
void check_shape(const Array& array, int rows, int width, const char* name) {
  if (array.shape(0) < static_cast<size_t>(rows) || array.shape(1) != static_cast<size_t>(width))
    throw std::invalid_argument(std::string(name) + " must have shape [" + std::to_string(rows) +
                                " or more, " + std::to_string(width) + "]");
}

std::pair<int, int> advance(SelfPlay& games, int group, const Values& values,
                            const Policies& policies, const Boards& boards) {
  if (group < 0 || group >= games.settings().groups) throw std::out_of_range("no such group");
  const int rows = games.group_size(group), size = games.settings().size;
  check_shape(values, rows, 3, "values");
  check_shape(policies, rows, size * size, "policies");
  check_shape(boards, rows, selfplay::bytes_of(size), "boards");
  const nb::gil_scoped_release release;
  const auto leaves = games.advance(group, values.data(), policies.data(), boards.data());
  return {leaves.count, leaves.black};
}

void play_once(SelfPlay& games, const std::vector<std::vector<int>>& openings) {
  const int size = games.settings().size;
  std::vector<std::vector<Point>> points(openings.size());
  for (size_t i = 0; i < openings.size(); ++i)
    for (const int index : openings[i]) {
      if (index < 0 || index >= size * size) throw std::invalid_argument("no such point");
      points[i].push_back(make_point(index % size, index / size));
    }
  games.play_once(points);
}

Columns take(SelfPlay& games) {
  selfplay::GameBatch batch = games.take();
  const auto bytes = static_cast<size_t>(selfplay::bytes_of(games.settings().size));
  const auto moves = static_cast<size_t>(games.settings().policy_moves);
  Columns columns;
  columns["board"] = nb::cast(to_array(std::move(batch.board), bytes));
  columns["move"] = nb::cast(to_array(std::move(batch.move), moves));
  columns["prob"] = nb::cast(to_array(std::move(batch.prob), moves));
  columns["root"] = nb::cast(to_array(std::move(batch.value), 2));
  columns["result"] = nb::cast(to_array(std::move(batch.result)));
  columns["to_move"] = nb::cast(to_array(std::move(batch.to_move)));
  columns["source"] = nb::cast(to_array(std::move(batch.source)));
  columns["ply"] = nb::cast(to_array(std::move(batch.ply)));
  columns["game"] = nb::cast(to_array(std::move(batch.game)));
  columns["winner"] = nb::cast(to_array(std::move(batch.winner)));
  columns["ending"] = nb::cast(to_array(std::move(batch.ending)));
  columns["opening"] = nb::cast(to_array(std::move(batch.opening)));
  columns["length"] = nb::cast(to_array(std::move(batch.length)));
  columns["line"] = nb::cast(to_array(std::move(batch.line)));
  columns["playouts"] = batch.playouts;
  return columns;
}

Counts counters_of(const SelfPlay& games) {
  const selfplay::WorkCounters done = games.counters();
  Counts counts;
  counts["leaves"] = done.leaves;
  counts["playouts"] = done.playouts;
  counts["searches"] = done.searches;
  counts["moves"] = done.moves;
  counts["rows"] = done.rows;
  counts["solver_nodes"] = games.solver_nodes();
  return counts;
}

void register_settings(nb::module_& module) {
  nb::class_<Settings>(module, "SelfPlaySettings")
      .def(nb::init<>())
      .def_prop_rw(
          "rule", [](const Settings& s) { return static_cast<int>(s.rule); },
          [](Settings& s, int number) { s.rule = to_rule(number); })
      .def_rw("size", &Settings::size)
      .def_rw("games", &Settings::games)
      .def_rw("groups", &Settings::groups)
      .def_rw("threads", &Settings::threads)
      .def_rw("seed", &Settings::seed)
      .def_rw("by_colour", &Settings::by_colour)
      .def_rw("by_mover", &Settings::by_mover)
      .def_rw("playouts", &Settings::playouts)
      .def_rw("small_playouts", &Settings::small_playouts)
      .def_rw("full_share", &Settings::full_share)
      .def_rw("gumbel", &Settings::gumbel)
      .def_rw("considered", &Settings::considered)
      .def_rw("gumbel_visits", &Settings::gumbel_visits)
      .def_rw("gumbel_scale", &Settings::gumbel_scale)
      .def_rw("c", &Settings::c)
      .def_rw("fpu", &Settings::fpu)
      .def_rw("noise_total", &Settings::noise_total)
      .def_rw("noise_share", &Settings::noise_share)
      .def_rw("temperature", &Settings::temperature)
      .def_rw("late_temperature", &Settings::late_temperature)
      .def_rw("early_moves", &Settings::early_moves)
      .def_rw("move_limit", &Settings::move_limit)
      .def_rw("leaf_vcf", &Settings::leaf_vcf)
      .def_rw("root_vcf", &Settings::root_vcf)
      .def_rw("cut_off", &Settings::cut_off)
      .def_rw("won_share", &Settings::won_share)
      .def_rw("faced_share", &Settings::faced_share)
      .def_rw("opening_least", &Settings::opening_least)
      .def_rw("opening_most", &Settings::opening_most)
      .def_rw("opening_tries", &Settings::opening_tries)
      .def_rw("opening_noise", &Settings::opening_noise)
      .def_rw("policy_moves", &Settings::policy_moves)
      .def_rw("symmetries", &Settings::symmetries)
      .def_rw("reuse", &Settings::reuse);
}

}  // namespace

void register_selfplay(nb::module_& module) {
  register_settings(module);
  nb::class_<SelfPlay>(module, "SelfPlay")
      .def(nb::init<const Settings&>(), nb::arg("settings"))
      .def("group_size", &SelfPlay::group_size, nb::arg("group"))
      .def("advance", &advance, nb::arg("group"), nb::arg("values").noconvert(),
           nb::arg("policies").noconvert(), nb::arg("boards").noconvert())
      .def(
          "leaves",
          [](const SelfPlay& games, int group) {
            const auto leaves = games.leaves(group);
            return std::pair{leaves.count, leaves.black};
          },
          nb::arg("group"))
      .def("play_once", &play_once, nb::arg("openings"))
      .def_prop_ro("resting", &SelfPlay::idle_games)
      .def("take", &take)
      .def("counters", &counters_of)
      .def_prop_ro("rows_ready", &SelfPlay::rows_ready)
      .def_prop_ro("threads", &SelfPlay::threads);
}

}  // namespace tengen::bind
