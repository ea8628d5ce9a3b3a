// SPDX-License-Identifier: MIT
// `_core.Board`: a board with its patterns. Points are indices, colours 1 and 2.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bind/bound_board.h"

namespace nb = nanobind;

namespace tengen::bind {

void register_board(nb::module_& module) {
  nb::class_<BoundBoard>(module, "Board",
                         "A board with its patterns. Points are indices, -1 is the pass.")
      .def(nb::init<int, int, int>(), nb::arg("size"), nb::arg("rule"), nb::arg("move_limit") = 0)
      .def("copy", [](const BoundBoard& self) { return BoundBoard(self); })
      .def("set_up", &BoundBoard::set_up, nb::arg("black"), nb::arg("white"), nb::arg("to_move"))
      .def("play", &BoundBoard::play, nb::arg("index"))
      .def("undo", &BoundBoard::undo)
      .def_prop_ro("size", &BoundBoard::size)
      .def_prop_ro("rule", &BoundBoard::rule)
      .def_prop_ro("move_limit", &BoundBoard::move_limit)
      .def_prop_ro("side_to_move", &BoundBoard::side_to_move)
      .def_prop_ro("ply", &BoundBoard::ply)
      .def_prop_ro("hash", &BoundBoard::hash)
      .def("moves", &BoundBoard::moves)
      .def("cell", &BoundBoard::cell, nb::arg("index"))
      .def("cells", &BoundBoard::cells)
      .def("forbidden", &BoundBoard::forbidden, nb::arg("index"))
      .def("forbidden_points", &BoundBoard::forbidden_points)
      .def("legal", &BoundBoard::legal)
      .def("outcome", &BoundBoard::outcome)
      .def("threat", &BoundBoard::threat, nb::arg("index"), nb::arg("colour"))
      .def("threats", &BoundBoard::threats, nb::arg("colour"), nb::arg("least"))
      .def("shape", &BoundBoard::shape, nb::arg("index"), nb::arg("colour"), nb::arg("direction"))
      .def("counts", &BoundBoard::counts, nb::arg("colour"))
      .def("defences", &BoundBoard::defences, nb::arg("index"), nb::arg("colour"))
      .def("classify", &BoundBoard::classify, nb::arg("index"), nb::arg("colour"));
}

}  // namespace tengen::bind
