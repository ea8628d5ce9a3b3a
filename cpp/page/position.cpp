// SPDX-License-Identifier: MIT
#include "page/position.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pattern/pattern_board.h"

namespace tengen::page {

namespace {

constexpr size_t MAX_MOVES = MAX_SIZE * MAX_SIZE + 2;  ///< a full board, and two passes
constexpr size_t QUOTED = 20;                          ///< characters of a request in a message

[[noreturn]] void reject(const std::string& text) { throw RequestError("invalid", text); }

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, QUOTED)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + "'";
}

std::string keyed(std::string_view key, const std::string& text) {
  return std::string(key) + ": " + text;
}

/// Throws RequestError.
Point parse_point(std::string_view name, int size) {
  if (name == "pass") return NO_POINT;
  int x = -1, y = 0;
  if (name.size() >= 2 && name.size() <= 3 && name[1] != '0') {
    x = name[0] - 'a';
    for (const char c : name.substr(1)) y = c >= '0' && c <= '9' ? 10 * y + c - '0' : MAX_SIZE + 1;
  }
  if (x < 0 || x >= size || y < 1 || y > size) reject("no point " + in_quotes(name));
  return make_point(x, y - 1);
}

const Json::Array& array_in(const Json& json, std::string_view key) {
  static const Json::Array EMPTY_ARRAY;
  const Json* const found = member(json, key);
  if (found == nullptr) return EMPTY_ARRAY;
  if (found->array() == nullptr) reject(keyed(key, "expected a list of points"));
  if (found->array()->size() > MAX_MOVES) reject(keyed(key, "too many points"));
  return *found->array();
}

/// A board and its patterns.
class Replay {
 public:
  Replay(const Board& start, Rule rule)
      : rule_(rule), board_(start), patterns_(start.size(), rule) {
    patterns_.assign(start.cells());
  }

  const Board& board() const { return board_; }

  /// Throws RequestError for a move that is not legal.
  void play(Point p) {
    const std::string name = name_of(p);
    if (outcome(board_, rule_).ending != Ending::NONE) reject(name + ": the game is over");
    if (p == NO_POINT) return board_.pass();
    if (board_.at(p) != EMPTY)
      reject(name + " is occupied by " + std::string(colour_name(board_.at(p))));
    if (!patterns_.is_legal(board_.side_to_move(), p)) reject(name + " is forbidden to black");
    patterns_.play(p, board_.side_to_move());
    board_.play(p);
  }

  Json view() const {
    const Outcome found = outcome(board_, rule_);
    std::string stones;
    for (const Point p : board_points(board_.size())) stones += ".bw"[board_.at(p)];
    const std::vector<Point>& moves = board_.moves();
    const auto last =
        std::find_if(moves.rbegin(), moves.rend(), [](Point p) { return p != NO_POINT; });
    const bool is_over = found.ending != Ending::NONE;
    return Json::Object{
        {"ply", board_.ply()},
        {"stones", std::move(stones)},
        {"turn", colour_name(board_.side_to_move())},
        {"last", last == moves.rend() ? Json() : Json(name_of(*last))},
        {"forbidden", is_over ? Json::Array() : forbidden_points()},
        {"outcome", is_over ? result_of(found) : Json()},
    };
  }

 private:
  Json::Array forbidden_points() const {
    Json::Array points;
    if (!has_forbidden_moves(rule_, board_.side_to_move())) return points;
    patterns_.for_each_forbidden([&](Point p, Forbidden why) {
      points.push_back(Json::Object{{"point", name_of(p)},
                                    {"reason", FORBIDDEN_NAMES[static_cast<size_t>(why)]}});
    });
    return points;
  }

  static Json result_of(const Outcome& found) {
    Json::Array lines;
    for (const Run& run : found.lines) {
      Json::Array line;
      for (int n = 0; n < run.length; ++n)
        line.push_back(name_of(shifted(run.first, run.direction, n)));
      lines.push_back(std::move(line));
    }
    return Json::Object{
        {"winner", found.winner == EMPTY ? Json() : Json(colour_name(found.winner))},
        {"reason", ENDING_NAMES[static_cast<size_t>(found.ending)]},
        {"lines", std::move(lines)},
    };
  }

  Rule rule_;
  Board board_;
  PatternBoard patterns_;
};

Board read_start(const Json& json) {
  Board board(whole_in(json, "size", 15, MIN_SIZE, MAX_SIZE));
  const Json* const setup = member(json, "setup");
  if (setup == nullptr) return board;
  if (setup->object() == nullptr) reject("setup: expected an object");
  std::array<size_t, COLOUR_NB> stones{};
  for (const Colour colour : {BLACK, WHITE}) {
    const std::vector<Point> points = points_in(*setup, colour_name(colour), board.size());
    stones[static_cast<size_t>(side_index(colour))] = points.size();
    for (const Point p : points) {
      if (p == NO_POINT) reject("a pass is no stone");
      if (board.at(p) != EMPTY) reject("two stones on " + name_of(p));
      board.set_up(p, colour);
    }
  }
  const Stone turn = colour_in(*setup, "turn");
  board.set_side_to_move(turn != EMPTY ? turn : stones[0] > stones[1] ? WHITE : BLACK);
  return board;
}

}  // namespace

PagePosition read_position(const Json& json) {
  if (json.object() == nullptr) reject("position: expected an object");
  const Json* const name = member(json, "rule");
  const std::optional<Rule> rule = name == nullptr           ? std::optional(Rule::FREESTYLE)
                                   : name->text() != nullptr ? rule_of_name(*name->text())
                                                             : std::nullopt;
  if (!rule) reject("rule: there is no such rule");
  const Board start = read_start(json);
  return {*rule, start, board_after(start, *rule, points_in(json, "moves", start.size()))};
}

Board board_after(const Board& start, Rule rule, const std::vector<Point>& moves) {
  Replay replay(start, rule);
  for (const Point p : moves) replay.play(p);
  return replay.board();
}

Json view_of(const Board& board, Rule rule) { return Replay(board, rule).view(); }

Json::Array views_along(const PagePosition& position) {
  Replay replay(position.start, position.rule);
  Json::Array views = {replay.view()};
  for (const Point p : position.moves()) {
    replay.play(p);
    views.push_back(replay.view());
  }
  return views;
}

Json::Array names_of(const std::vector<Point>& points, size_t most) {
  Json::Array names;
  for (const Point p : points) {
    if (names.size() == most) break;
    names.push_back(name_of(p));
  }
  return names;
}

const Json* member(const Json& json, std::string_view key) {
  const Json* const found = json.find(key);
  return found != nullptr && !found->is_null() ? found : nullptr;
}

double number_in(const Json& json, std::string_view key, double initial, double min, double max) {
  const Json* const found = member(json, key);
  if (found == nullptr) return initial;
  const double* const number = found->number();
  if (number == nullptr) reject(keyed(key, "expected a number"));
  if (!(*number >= min && *number <= max)) reject(keyed(key, "out of range"));
  return *number;
}

int whole_in(const Json& json, std::string_view key, int initial, int min, int max) {
  const double number = number_in(json, key, initial, min, max);
  if (number != std::floor(number)) reject(keyed(key, "expected a whole number"));
  return static_cast<int>(number);
}

std::vector<Point> points_in(const Json& json, std::string_view key, int size) {
  std::vector<Point> points;
  for (const Json& name : array_in(json, key)) {
    if (name.text() == nullptr) reject(keyed(key, "expected a list of points"));
    points.push_back(parse_point(*name.text(), size));
  }
  return points;
}

Stone colour_in(const Json& json, std::string_view key) {
  const Json* const found = member(json, key);
  if (found == nullptr) return EMPTY;
  const std::string* const name = found->text();
  if (name != nullptr && *name == "black") return BLACK;
  if (name != nullptr && *name == "white") return WHITE;
  reject(keyed(key, "expected black or white"));
}

}  // namespace tengen::page
