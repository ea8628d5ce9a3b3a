// SPDX-License-Identifier: MIT
// Positions as a page sends and shows them. Points are names such as `h8`, `pass` is a pass.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "game/board.h"
#include "game/names.h"
#include "game/rules.h"

namespace tengen::page {

/// A request that cannot be fulfilled. `code` selects the translation in a page.
class RequestError : public std::runtime_error {
 public:
  RequestError(std::string code, const std::string& text)
      : std::runtime_error(text), code_(std::move(code)) {}

  const std::string& code() const { return code_; }

 private:
  std::string code_;
};

/// A start and the moves that lead from it to the position.
struct PagePosition {
  Rule rule;
  Board start;
  Board board;  ///< after the moves

  const std::vector<Point>& moves() const { return board.moves(); }
};

/// Reads a position: rule, size, stones set up before the first move, moves. Throws RequestError,
/// also for moves that are not legal.
PagePosition read_position(const Json& json);

/// The board after these moves. Throws RequestError for moves that are not legal.
Board board_after(const Board& start, Rule rule, const std::vector<Point>& moves);

/// What the board shows of a position: stones, forbidden points, outcome.
Json view_of(const Board& board, Rule rule);
/// The same of every position of a game, from the start.
Json::Array views_along(const PagePosition& position);

/// Names of the points of a line; `most`: at most so many.
Json::Array names_of(const std::vector<Point>& points, size_t most = SIZE_MAX);

// --- members of requests ---

/// The member of an object; nullptr if it is missing or null.
const Json* member(const Json& json, std::string_view key);
/// A number of a request, `initial` if it is missing. Throws RequestError unless min <= it <= max.
double number_in(const Json& json, std::string_view key, double initial, double min, double max);
/// The same for whole numbers.
int whole_in(const Json& json, std::string_view key, int initial, int min, int max);
/// Points of a request; empty if they are missing. Throws RequestError.
std::vector<Point> points_in(const Json& json, std::string_view key, int size);
/// A side of a request; EMPTY if it is missing. Throws RequestError.
Stone colour_in(const Json& json, std::string_view key);

}  // namespace tengen::page
