// SPDX-License-Identifier: MIT
// Shared by the bindings: one register function per topic, and point indices (y * size + x, -1 for
// a pass).
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/play_options.h"
#include "game/point.h"
#include "game/rule.h"

namespace tengen::bind {

void register_board(nanobind::module_& module);
void register_batch(nanobind::module_& module);
void register_engine(nanobind::module_& module);
void register_gomocup(nanobind::module_& module);
void register_lazy_tables(nanobind::module_& module);
void register_mixnet(nanobind::module_& module);
void register_nets(nanobind::module_& module);
void register_page(nanobind::module_& module);
void register_player(nanobind::module_& module);
void register_review(nanobind::module_& module);
void register_selfplay(nanobind::module_& module);
void register_solve(nanobind::module_& module);
void register_system(nanobind::module_& module);

inline Point to_point(int index, int size) {
  if (index < 0 || index >= size * size)
    throw std::out_of_range("no point has index " + std::to_string(index));
  return make_point(index % size, index / size);
}

inline int to_index(Point p, int size) { return p == NO_POINT ? -1 : y_of(p) * size + x_of(p); }

inline Rule to_rule(int number) {
  if (number < 0 || number >= RULE_NB) throw std::invalid_argument("no such rule");
  return static_cast<Rule>(number);
}

/// A text from the system, such as a path, whose bytes need not be valid UTF-8.
inline nanobind::str to_text(std::string_view bytes) {
  return nanobind::steal<nanobind::str>(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

/// The values of options by name.
using OptionTexts = nanobind::typed<nanobind::dict, nanobind::str, nanobind::str>;

/// Throws std::invalid_argument.
PlayOptions to_play_options(const OptionTexts& texts);

inline Colour to_colour(int number) {
  if (number != BLACK && number != WHITE) throw std::invalid_argument("a colour is 1 or 2");
  return static_cast<Colour>(number);
}

inline int to_size(int size) {
  if (size < MIN_SIZE || size > MAX_SIZE) throw std::invalid_argument("a board has 5 to 22 lines");
  return size;
}

}  // namespace tengen::bind
