// SPDX-License-Identifier: MIT
// The options of a player, as users set them: one table with names, ranges and help for command
// lines and interfaces.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/levels.h"
#include "engine/options.h"

namespace tengen {

struct PlayOptions {
  PlayOptions() { core.preset = Preset::ALPHABETA; }

  EngineOptions core;
  std::string net;     ///< of alphabeta and policy; empty: a bundled one
  int net_memory = 0;  ///< MiB; 0: any number
  int level = FULL_LEVEL;
  bool ponder = false;  ///< search while the opponent thinks
  int multipv = 1;      ///< lines of an analysis
  std::optional<SearchKind> search;  ///< nullopt: the stronger one for the move

  bool operator==(const PlayOptions&) const = default;
};

/// An option, for help texts and interfaces.
struct OptionSpec {
  enum class Kind : u8 { WHOLE, REAL, SWITCH, CHOICE, TEXT };

  std::string_view name;
  Kind kind;
  std::string initial;   ///< the default as a text
  i64 min = 0, max = 0;  ///< of a REAL: in units of 1 / REAL_ONE
  std::vector<std::string_view> choices = {};
  std::string help;
};

/// All options.
const std::vector<OptionSpec>& option_specs();

/// Sets an option by its name, in which `-` and `_` are the same, from a text. Throws
/// std::invalid_argument.
void set_play_option(PlayOptions& options, std::string_view name, std::string_view text);

}  // namespace tengen
