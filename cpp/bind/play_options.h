// SPDX-License-Identifier: MIT
// Options of a player from Python: texts by name.
#pragma once

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string>

#include "engine/play_options.h"

namespace tengen::bind {

using OptionTexts = std::map<std::string, std::string>;

/// Throws std::invalid_argument.
inline PlayOptions play_options_of(const OptionTexts& texts) {
  PlayOptions options;
  for (const auto& [name, text] : texts) set_play_option(options, name, text);
  return options;
}

}  // namespace tengen::bind
