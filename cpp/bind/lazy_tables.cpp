// SPDX-License-Identifier: MIT
// `_core.lazy_values`: values of positions by lazy tables.
#include "eval/lazy_tables.h"

#include <nanobind/ndarray.h>

#include "bind/bind.h"
#include "bind/to_array.h"
#include "pattern/batch.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

using Boards = nb::ndarray<const u8, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Sides = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Evaluations for the sides to move. Boards have 0 for empty, 1 for black, 2 for white.
nb::ndarray<nb::numpy, i32> lazy_values(const nb::bytes& data, int rule, const Boards& boards,
                                        const Sides& to_move) {
  if (boards.shape(1) != boards.shape(2)) throw std::invalid_argument("the boards are not square");
  if (to_move.shape(0) != boards.shape(0))
    throw std::invalid_argument("there is not one side to move for each board");
  const int size = to_size(static_cast<int>(boards.shape(1)));
  const Positions positions{boards.data(), boards.shape(0), size};
  if (first_bad_stone(positions) < positions.count * positions.points())
    throw std::invalid_argument("a point is 0 (empty), 1 (black) or 2 (white)");
  const std::string_view bytes(static_cast<const char*>(data.data()), data.size());
  LazyTablesEvaluator evaluator(LazyTables::parse(bytes, to_rule(rule)), nullptr);
  PatternBoard patterns(size, to_rule(rule));
  std::vector<i32> values;
  for (size_t n = 0; n < positions.count; ++n) {
    Cells cells = empty_cells(size);
    const u8* stone = positions.stones + n * positions.points();
    for (const Point p : board_points(size)) cells[p] = static_cast<Stone>(*stone++);
    patterns.assign(cells);
    evaluator.assign(patterns);
    values.push_back(evaluator.value(patterns, to_colour(to_move.data()[n])));
  }
  return to_array(std::move(values));
}

}  // namespace

void register_lazy_tables(nb::module_& module) {
  module.def("lazy_values", &lazy_values, nb::arg("data"), nb::arg("rule"),
             nb::arg("boards").noconvert(), nb::arg("to_move").noconvert(),
             "Evaluations for the sides to move by the bytes of a file of lazy tables.");
}

}  // namespace tengen::bind
