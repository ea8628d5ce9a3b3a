// SPDX-License-Identifier: MIT
#include "drawn_cases.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "check.h"

namespace tengen {

namespace {

std::vector<Point> points_of(const std::string& names) {
  std::vector<Point> points;
  std::istringstream words(names);
  for (std::string name; words >> name;)
    points.push_back(make_point(name.at(0) - 'a', std::stoi(name.substr(1)) - 1));
  std::sort(points.begin(), points.end());
  return points;
}

void read_row(const std::string& line, DrawnCase& drawn) {
  std::istringstream words(line);
  int y = 0;
  std::string cell;
  words >> y;
  for (int x = 0; x < drawn.size && words >> cell; ++x)
    if (cell == "X" || cell == "O") drawn.cells[make_point(x, y - 1)] = cell == "X" ? BLACK : WHITE;
}

void read_key(const std::string& key, const std::string& value, DrawnCase& drawn) {
  if (key == "rule") {
    const auto found = std::find(RULE_NAMES.begin(), RULE_NAMES.end(), value);
    CHECK(found != RULE_NAMES.end());
    drawn.rule = static_cast<Rule>(found - RULE_NAMES.begin());
  } else if (key == "size") {
    drawn.size = std::stoi(value);
    drawn.cells = empty_cells(drawn.size);
  } else if (key == "to move") {
    drawn.to_move = value == "white" ? WHITE : BLACK;
  } else if (key == "expected") {
    drawn.expected = value;
  } else if (key == "only") {
    drawn.only = points_of(value);
  } else if (key == "never") {
    drawn.never = points_of(value);
  }
}

}  // namespace

std::string names_of(const std::vector<Point>& points) {
  std::string names;
  for (const Point p : points)
    names += std::string(" ") + static_cast<char>('a' + x_of(p)) + std::to_string(y_of(p) + 1);
  return names;
}

std::vector<DrawnCase> read_cases(const char* path) {
  std::vector<DrawnCase> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') continue;
    const auto colon = line.find(": ");
    if (line.starts_with("case: ")) {
      cases.push_back({.title = line.substr(colon + 2), .expected = {}, .only = {}, .never = {}});
    } else if (colon != std::string::npos) {
      read_key(line.substr(0, colon), line.substr(colon + 2), cases.back());
    } else if (std::isdigit(static_cast<unsigned char>(line[first]))) {
      read_row(line, cases.back());
    }
  }
  return cases;
}

}  // namespace tengen
