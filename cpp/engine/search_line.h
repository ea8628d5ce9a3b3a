// SPDX-License-Identifier: MIT
// What a search reports to users: lines with their times, and the move.
#pragma once

#include <optional>

#include "engine/evaluator_info.h"
#include "search/searcher.h"

namespace tengen {

/// A line of a search, and what evaluates it.
struct SearchLine {
  SearchInfo info;
  double seconds = 0;  ///< since the request, waiting for a net included
  u64 nps = 0;         ///< nodes per second of search
  EvaluatorInfo evaluator = {};
};

/// The result of a search. NO_POINT is a pass, or no expected reply.
struct PlayedMove {
  Point move = NO_POINT;
  Point ponder = NO_POINT;
  std::optional<SearchLine> line = {};  ///< of the move
};

}  // namespace tengen
