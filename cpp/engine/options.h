// SPDX-License-Identifier: MIT
// What can be set on an engine, as a table: names, ranges, and where each value goes. Relies on
// search/alphabeta/settings.h; engine.h keeps one set of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/alphabeta/settings.h"

namespace tengen {

/// Who plays. ALPHABETA is the search of CLASSICAL with an evaluation of choice.
enum class Preset : u8 { ALPHABETA, CLASSICAL, CLASSICAL_PAPER, POLICY, RANDOM };

inline constexpr int PRESET_NB = 5;
inline constexpr int PAPER_BRANCHING = 20;

struct EngineOptions {
  Preset preset = Preset::CLASSICAL;
  int threads = 1;
  size_t memory = size_t{128} << 20;  ///< bytes for all tables together
  u64 seed = 0;                       ///< of the random player
  AlphaBetaSettings search;
  int branching = 0;  ///< of the paper's player at the root; 0: PAPER_BRANCHING
};

/// Sets an option by its name. Throws std::invalid_argument with a sentence if there is no such
/// option, or the value is out of range.
void set_option(EngineOptions& options, std::string_view name, i64 value);

/// All names.
std::vector<std::string> option_names();

}  // namespace tengen
