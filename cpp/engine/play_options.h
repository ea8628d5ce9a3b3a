// SPDX-License-Identifier: MIT
// The options of a player, as users set them: one table with names, ranges and help for command
// lines and interfaces.
#pragma once

#include <map>
#include <optional>
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
  bool ponder = false;               ///< search while the opponent thinks
  int multipv = 1;                   ///< lines of an analysis
  std::optional<SearchKind> search;  ///< nullopt: the stronger one for the move

  bool operator==(const PlayOptions&) const = default;
};

/// Values of a REAL option are whole numbers of 1 / REAL_ONE.
inline constexpr i64 REAL_ONE = 1'000'000;

/// An option, for help texts and interfaces.
struct OptionSpec {
  enum class Kind : u8 { SPIN, REAL, CHECK, CHOICE, TEXT };

  std::string_view name;
  Kind kind;
  std::string initial;  ///< the default as a text
  i64 min, max;         ///< of a SPIN or a REAL
  std::vector<std::string_view> choices;
  std::string help;
  /// Sets a number within the bounds, 0 or 1, or the index of a choice. TEXT has none: `net`.
  void (*set)(PlayOptions&, i64);
};

/// All options.
const std::vector<OptionSpec>& option_specs();

/// Sets an option by its name, in which `-` and `_` are the same, from a text. Throws
/// std::invalid_argument.
void set_play_option(PlayOptions& options, std::string_view name, std::string_view text);

/// Options from texts by name. A preset without a search means alpha-beta. Throws
/// std::invalid_argument.
PlayOptions play_options_of(const std::map<std::string, std::string>& texts);

}  // namespace tengen
