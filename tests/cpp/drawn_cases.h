// SPDX-License-Identifier: MIT
// Reader of the drawn solver positions in tests/positions/solver; vcf.txt there describes the
// format.
#pragma once

#include <string>
#include <vector>

#include "game/board.h"

namespace tengen {

struct DrawnCase {
  std::string title, expected;
  Rule rule = Rule::FREESTYLE;
  int size = 15;
  Colour to_move = BLACK;
  Cells cells{};
  std::vector<Point> only, never;
};

std::vector<DrawnCase> read_cases(const char* path);

/// " h8 i9"
std::string names_of(const std::vector<Point>& points);

}  // namespace tengen
