// SPDX-License-Identifier: MIT
// The Python module `tengen._core`. Private.
#include "bind/bind.h"

NB_MODULE(_core, module) {
  module.doc() = "The native core of Tengen. Private: use the names of the package `tengen`.";
  // Objects held by daemon threads at shutdown are never freed; no warning about them.
  nanobind::set_leak_warnings(false);
  tengen::bind::register_board(module);
  tengen::bind::register_batch(module);
  tengen::bind::register_lazy_tables(module);
  tengen::bind::register_mixnet(module);
  tengen::bind::register_nets(module);
  tengen::bind::register_page(module);
  tengen::bind::register_player(module);
  tengen::bind::register_engine(module);
  tengen::bind::register_gomocup(module);
  tengen::bind::register_review(module);
  tengen::bind::register_selfplay(module);
  tengen::bind::register_solve(module);
  tengen::bind::register_system(module);
}
