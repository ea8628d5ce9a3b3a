// SPDX-License-Identifier: MIT
// What the search thread of the engine takes as options; names and ranges are in play_options.h.
#pragma once

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

}  // namespace tengen
