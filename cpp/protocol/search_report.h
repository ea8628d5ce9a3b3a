// SPDX-License-Identifier: MIT
// MESSAGE lines about a search, and which of them the manager gets:
//
//     DEPTH 12-20 | EVAL +35 | NODES 81230 | SPEED 1200000 | TIME 68 | LINE 7,7 8,8
#pragma once

#include <optional>
#include <string>

#include "engine/search_line.h"

namespace tengen::protocol {

/// Evaluation units as `+35`, or plies to the mate as `+M9`.
std::string format_value(Value value);
/// The line, without the MESSAGE before it.
std::string format_info(const SearchLine& line);

/// Chooses the lines about one search that the manager gets: some per second, and the last. Time is
/// that of the search, so that the same search gives the same lines.
class SearchReport {
 public:
  /// The text of this line; nullopt if it is too early, or `detail` is 0.
  std::optional<std::string> line(const SearchLine& line, i64 detail);
  /// The last line, unless it was already sent.
  std::optional<std::string> last_line(const SearchLine& line, i64 detail) const;

 private:
  double next_ = 0;   ///< seconds of the search
  std::string last_;  ///< that was sent
};

}  // namespace tengen::protocol
