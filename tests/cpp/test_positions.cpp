// SPDX-License-Identifier: MIT
// The drawn cases of tests/positions, checked by the referee and by the patterns. The format is in
// tests/positions/README.md.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "check.h"
#include "game/rules.h"
#include "pattern/pattern_board.h"

using namespace tengen;

namespace {

struct DrawnCase {
  std::string title, place;
  Rule rule = Rule::FREESTYLE;
  int size = 15;
  Colour to_move = BLACK;
  std::vector<std::pair<Point, Colour>> stones;
  std::vector<std::string> expectations;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos
             ? ""
             : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Point parse_point(const std::string& name) {
  return make_point(name.at(0) - 'a', std::stoi(name.substr(1)) - 1);
}

/// A row of the drawing: its number, then a cell a column.
void read_row(const std::string& line, DrawnCase& drawn) {
  std::istringstream words(line);
  int number = 0;
  std::string cell;
  words >> number;
  for (int x = 0; x < drawn.size && words >> cell; ++x) {
    if (cell == "X") drawn.stones.emplace_back(make_point(x, number - 1), BLACK);
    if (cell == "O") drawn.stones.emplace_back(make_point(x, number - 1), WHITE);
  }
}

std::vector<DrawnCase> read_cases(const std::filesystem::path& path) {
  std::vector<DrawnCase> cases;
  std::ifstream file(path);
  int number = 0;
  for (std::string raw; std::getline(file, raw);) {
    ++number;
    const std::string line = trimmed(raw);
    const auto colon = line.find(':');
    const std::string key = colon == std::string::npos ? "" : line.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : trimmed(line.substr(colon + 1));
    if (line.empty() || line[0] == '#' || key == "why") continue;
    if (key == "case") {
      cases.push_back(
          {value, path.filename().string() + ":" + std::to_string(number), {}, 15, BLACK, {}, {}});
    } else if (key == "rule") {
      const std::optional<Rule> rule = rule_of_name(value);
      CHECK(rule.has_value());
      cases.back().rule = *rule;
    } else if (key == "size") {
      cases.back().size = std::stoi(value);
    } else if (key == "to move") {
      cases.back().to_move = value == "white" ? WHITE : BLACK;
    } else if (key == "expect") {
      cases.back().expectations.push_back(value);
    } else if (key == "forbidden" || key == "outcome") {
      cases.back().expectations.push_back(line);
    } else if (std::isdigit(static_cast<unsigned char>(line[0]))) {
      read_row(line, cases.back());
    }
  }
  return cases;
}

/// One case on the board, and the answers of both implementations to what it expects.
class Examiner {
 public:
  explicit Examiner(const DrawnCase& drawn)
      : drawn_(drawn),
        board_(drawn.size),
        patterns_(drawn.size, drawn.rule),
        referee_(board_.cells(), drawn.rule) {
    for (const auto& [p, colour] : drawn.stones) {
      board_.set_up(p, colour);
      patterns_.play(p, colour);
    }
    board_.set_side_to_move(drawn.to_move);
    referee_ = Referee(board_.cells(), drawn.rule);
  }

  void examine(const std::string& expectation) {
    std::istringstream words(expectation);
    std::string subject, what, detail;
    words >> subject;
    if (subject == "forbidden:") return expect_forbidden_set(words);
    if (subject == "outcome:") {
      words >> what;
      return expect(stone_name(outcome(board_, drawn_.rule)) == what, expectation);
    }
    words >> what >> detail;
    expect(holds(parse_point(subject), what, detail), expectation);
  }

 private:
  bool holds(Point p, const std::string& what, const std::string& detail) {
    const PointReport report = referee_.classify(p, drawn_.to_move);
    const Threat threat = patterns_.threat(drawn_.to_move, p);
    const Forbidden why = drawn_.to_move == BLACK ? patterns_.forbidden(p) : Forbidden::NONE;
    const auto [fours, open_four] = pattern_fours(p);
    const bool five = threat == Threat::FIVE;
    if (what == "forbidden")
      return FORBIDDEN_NAMES[static_cast<int>(report.forbidden)] == detail &&
             why == report.forbidden;
    if (what == "allowed")
      return board_.at(p) == EMPTY && report.forbidden == Forbidden::NONE &&
             why == Forbidden::NONE && !five && !report.five;
    if (what == "five") return report.five && five;
    if (what == "open_four") return report.open_four && open_four;
    if (what == "four") return report.fours > 0 && fours > 0;
    if (what == "fours") return report.fours == std::stoi(detail) && fours == report.fours;
    if (what == "no" && detail == "five") return !report.five && !five;
    if (what == "no" && detail == "four") return report.fours == 0 && fours == 0;
    if (what == "no" && detail == "open_four") return !report.open_four && !open_four;
    if (what == "depth") return report.depth == std::stoi(detail);
    expect(false, "unknown expectation '" + what + "'");
    return true;
  }

  std::pair<int, bool> pattern_fours(Point p) const {
    int fours = 0;
    bool open = false;
    if (patterns_.threat(drawn_.to_move, p) == Threat::FIVE) return {0, false};
    for (const Direction d : DIRECTIONS) {
      const Shape shape = patterns_.shape(drawn_.to_move, p, d);
      open |= shape == Shape::OPEN_FOUR;
      fours += shape == Shape::DOUBLE_FOUR ? 2 : shape == Shape::FOUR || shape == Shape::OPEN_FOUR;
    }
    return {fours, open};
  }

  void expect_forbidden_set(std::istringstream& words) {
    std::set<Point> expected, by_referee, by_patterns;
    for (std::string name; words >> name;)
      if (name != "none") expected.insert(parse_point(name));
    for (const Point p : board_points(drawn_.size)) {
      if (board_.at(p) != EMPTY) continue;
      if (referee_.forbidden(p) != Forbidden::NONE) by_referee.insert(p);
      if (patterns_.forbidden(p) != Forbidden::NONE) by_patterns.insert(p);
    }
    expect(expected == by_referee, "the set of forbidden points, by the referee");
    expect(expected == by_patterns, "the set of forbidden points, by the patterns");
  }

  static std::string_view stone_name(const Outcome& result) {
    if (result.ending == Ending::NONE) return "none";
    return result.winner == BLACK ? "black" : result.winner == WHITE ? "white" : "draw";
  }

  void expect(bool good, const std::string& what) const {
    if (!good) check::fail(drawn_.place.c_str(), 0, drawn_.title + ": " + what);
  }

  const DrawnCase& drawn_;
  Board board_;
  PatternBoard patterns_;
  Referee referee_;
};

}  // namespace

TEST(drawn_positions) {
  int renju = 0, others = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TENGEN_TEST_DATA "/positions")) {
    if (entry.path().extension() != ".txt") continue;
    for (const DrawnCase& drawn : read_cases(entry.path())) {
      ++(drawn.rule == Rule::RENJU ? renju : others);
      if (drawn.expectations.empty()) check::fail(drawn.place.c_str(), 0, "nothing is expected");
      Examiner examiner(drawn);
      for (const std::string& expectation : drawn.expectations) examiner.examine(expectation);
    }
  }
  CHECK(renju >= 60);
  CHECK(others >= 20);
}
