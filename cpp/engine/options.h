// SPDX-License-Identifier: MIT
// Engine options as a table: names, ranges, setters.
#pragma once

#include <string_view>
#include <vector>

#include "eval/point_score_board.h"
#include "search/alphabeta/settings.h"
#include "search/mcts/settings.h"

namespace tengen {

/// Playing modes. ALPHABETA is CLASSICAL with a selectable evaluation.
enum class Preset : u8 { ALPHABETA, CLASSICAL, CLASSICAL_PAPER, POLICY, RANDOM };

inline constexpr int PRESET_NB = 5;

/// Search of the presets ALPHABETA and CLASSICAL.
enum class SearchKind : u8 { ALPHABETA, MCTS };

inline constexpr int SEARCH_KIND_NB = 2;
inline constexpr int CLASSICAL_PAPER_BRANCHING = 20;

struct EngineOptions {
  Preset preset = Preset::CLASSICAL;
  int threads = 1;
  size_t memory = size_t{128} << 20;  ///< bytes for all tables
  u64 seed = 0;                       ///< of the random player and of MCTS
  SearchKind kind = SearchKind::ALPHABETA;
  AlphaBetaSettings search;
  MctsSettings mcts;
  int branching = 0;  ///< root branching of classical-paper; 0: CLASSICAL_PAPER_BRANCHING
  PointScoreUpdate score_update = PointScoreUpdate::BLOCKED;  ///< of classical-paper

  bool operator==(const EngineOptions&) const = default;
};

/// Real-valued options are passed as integers in units of 1 / REAL_ONE.
inline constexpr i64 REAL_ONE = 1'000'000;

/// Sets an option by name. Throws std::invalid_argument if the name is unknown or the value out of
/// range.
void set_option(EngineOptions& options, std::string_view name, i64 value);

/// An option of Monte-Carlo tree search, for user interfaces. Bounds and default of a REAL are in
/// units of 1 / REAL_ONE.
struct OptionInfo {
  enum class Kind : u8 { REAL, INT, BOOL };

  std::string_view name;
  Kind kind;
  i64 value, min, max;  ///< `value`: the default
  std::string_view meaning;
};
std::vector<OptionInfo> mcts_options();

}  // namespace tengen
