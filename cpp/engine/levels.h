// SPDX-License-Identifier: MIT
// Ten levels of play, from beginner to full strength. A level limits the search and then draws
// among the best lines, with probabilities that fall with their win rates.
#pragma once

#include <span>

#include "base/rng.h"
#include "engine/limit.h"
#include "search/searcher.h"

namespace tengen {

inline constexpr int FULL_LEVEL = 10;

struct Level {
  int number;
  u64 nodes;      ///< per move; 0: no limit
  int depth;      ///< plies; 0: no limit
  double time;    ///< seconds per move; 0: no limit
  int lines;      ///< number of best moves to choose from
  double spread;  ///< loss of win rate at which a line has 1/e of the best one's probability

  bool plays_best_move() const { return lines == 1; }
};

/// Requires 1 <= number <= FULL_LEVEL.
const Level& level_of(int number);
/// The level of a strength of 0 to 100.
int level_of_strength(int strength);
/// The limit of a level's search, within `limit`. The depth of a level is for alpha-beta alone:
/// MCTS would end with its first line of that length.
Limit limit_of_level(const Level& level, const Limit& limit, bool is_mcts);
/// Index of one of the lines of a search, which are sorted and not empty. Takes a proven win, and
/// avoids a proven loss if there is another line.
size_t choose_line(const Level& level, std::span<const SearchInfo> lines, Rng& rng);

}  // namespace tengen
