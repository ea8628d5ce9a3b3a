// SPDX-License-Identifier: MIT
// What can be set on an engine, as a table: names, ranges, and where each value goes. Relies on
// the settings of the searches; engine.h keeps one set of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/alphabeta/settings.h"
#include "search/mcts/settings.h"

namespace tengen {

/// Who plays. ALPHABETA is the search of CLASSICAL with an evaluation of choice.
enum class Preset : u8 { ALPHABETA, CLASSICAL, CLASSICAL_PAPER, POLICY, RANDOM };

inline constexpr int PRESET_NB = 5;

/// How the presets ALPHABETA and CLASSICAL search.
enum class SearchKind : u8 { ALPHABETA, MCTS };

inline constexpr int SEARCH_KIND_NB = 2;
inline constexpr int PAPER_BRANCHING = 20;

struct EngineOptions {
  Preset preset = Preset::CLASSICAL;
  int threads = 1;
  size_t memory = size_t{128} << 20;  ///< bytes for all tables together
  u64 seed = 0;                       ///< of the random player, and of MCTS
  SearchKind kind = SearchKind::ALPHABETA;
  AlphaBetaSettings search;
  MctsSettings mcts;
  int branching = 0;  ///< of the paper's player at the root; 0: PAPER_BRANCHING
};

/// Steps in which options that are no whole numbers are told.
inline constexpr i64 REAL_ONE = 1'000'000;

/// Sets an option by its name. Throws std::invalid_argument with a sentence if there is no such
/// option, or the value is out of range.
void set_option(EngineOptions& options, std::string_view name, i64 value);

/// All names.
std::vector<std::string> option_names();

}  // namespace tengen
