// SPDX-License-Identifier: MIT
// The Python module `tengen._core`. Private: users meet it through `tengen.game`.
#include "bind/bind.h"

NB_MODULE(_core, module) {
  module.doc() = "The native core of Tengen. Private: use the names of the package `tengen`.";
  // What a daemon thread holds when Python shuts down is never freed; users need not hear of it.
  nanobind::set_leak_warnings(false);
  tengen::bind::register_board(module);
  tengen::bind::register_batch(module);
  tengen::bind::register_guess(module);
  tengen::bind::register_mixnet(module);
  tengen::bind::register_engine(module);
  tengen::bind::register_selfplay(module);
  tengen::bind::register_solve(module);
  tengen::bind::register_system(module);
}
