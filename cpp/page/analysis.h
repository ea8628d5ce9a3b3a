// SPDX-License-Identifier: MIT
// The state of an analysis as events: its lines, its counts, the policy before the search.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/json.h"
#include "engine/player.h"

namespace tengen::page {

/// A line of a search, from black's point of view.
Json line_of(const SearchLine& line, int rank, Colour side);

/// An analysis of a position with `side` to move.
class Analysis {
 public:
  Analysis(Json id, Colour side, Json::Array policy);

  /// Adds a line; it replaces the last one of its rank.
  void add(const SearchLine& line);
  /// The event of this moment. `progress`: of the search while it runs; afterwards the greater of
  /// the last progress and the counts of the last line. `evaluation` is empty before a line.
  Json event(bool is_done, const std::optional<PlayProgress>& progress);

 private:
  /// By rank; of two lines with the same first move, that of the greater rank is outdated.
  std::vector<const SearchLine*> unique() const;
  /// One line of each first move, the best first; values are black's.
  Json::Array shown() const;
  int depth() const;

  Json id_;
  Colour side_;
  Json::Array policy_;
  std::map<int, SearchLine> lines_;
  std::optional<SearchLine> last_;
  PlayProgress progress_;
};

}  // namespace tengen::page
