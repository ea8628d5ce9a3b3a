// SPDX-License-Identifier: MIT
#include "page/review_event.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "page/position.h"

namespace tengen::page {

namespace {

Json::Array reviewed(const std::vector<ReviewedMove>& moves) {
  Json::Array shown;
  for (const ReviewedMove& move : moves) {
    const Score own = move.score_after(), after = move.colour == BLACK ? own : -own;
    shown.push_back(Json::Object{{"ply", move.ply},
                                 {"move", name_of(move.move)},
                                 {"colour", colour_name(move.colour)},
                                 {"verdict", VERDICT_NAMES[static_cast<size_t>(move.verdict)]},
                                 {"loss", move.loss},
                                 {"better", names_of(move.better)},
                                 {"win_rate", after.win_rate()},
                                 {"mate", after.mate == 0 ? Json() : Json(after.mate)}});
  }
  return shown;
}

/// In percent, to one decimal place.
Json accuracy_of(const std::vector<ReviewedMove>& moves, Colour colour) {
  const std::optional<double> found = accuracy(moves, colour);
  return found ? Json(std::round(*found * 10) / 10) : Json();
}

}  // namespace

Json review_event(const Json& id, std::string_view state, const Review& game, Colour first_turn) {
  const std::vector<ReviewedMove> moves = game.moves();
  const bool is_done = state == "done";
  const ReviewedMove* const lost = is_done ? turning_point(moves) : nullptr;
  const Score own = game.first().score, first = first_turn == BLACK ? own : -own;
  return Json::Object{
      {"type", "review"},
      {"id", id},
      {"state", std::string(state)},
      {"done", game.done()},
      {"total", game.total()},
      {"start", first.win_rate()},
      {"moves", reviewed(moves)},
      {"accuracy_black", is_done ? accuracy_of(moves, BLACK) : Json()},
      {"accuracy_white", is_done ? accuracy_of(moves, WHITE) : Json()},
      {"turning_point", lost != nullptr ? Json(lost->ply) : Json()},
  };
}

}  // namespace tengen::page
