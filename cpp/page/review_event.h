// SPDX-License-Identifier: MIT
// The event of a review: its moves, accuracies and the turning point so far.
#pragma once

#include <string_view>

#include "base/json.h"
#include "engine/review.h"

namespace tengen::page {

/// `state`: running, stopped or done; accuracies and the turning point are null unless it is done.
/// `first_turn`: the side to move at the start of the game. Values are black's.
Json review_event(const Json& id, std::string_view state, const Review& game, Colour first_turn);

}  // namespace tengen::page
