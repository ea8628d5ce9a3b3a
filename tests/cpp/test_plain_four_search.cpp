// SPDX-License-Identifier: MIT
// The plain search for wins by fours: small drawings for every clause of its definition, the
// definition once more without any short cut, and the drawn cases of vcf.txt.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "check.h"
#include "drawn_cases.h"
#include "plain_four_search.h"
#include "random_positions.h"

using namespace tengen;

namespace {

constexpr u64 ENOUGH = 200'000;
constexpr std::array<Rule, RULE_NB> ALL_RULES = {Rule::FREESTYLE, Rule::STANDARD, Rule::RENJU,
                                                 Rule::CARO, Rule::CARO6};

struct Drawing {
  int size = 0;
  Cells cells{};
};

/// Reads rows of X, O and dots from the top; the first row contains the size, rows left out below
/// are empty.
Drawing drawing(const std::string& text) {
  std::istringstream lines(text);
  Drawing drawn;
  int y = 0;
  for (std::string line; std::getline(lines, line);) {
    std::erase(line, ' ');
    if (line.empty()) continue;
    if (drawn.size == 0) {
      drawn.size = y = static_cast<int>(line.size());
      drawn.cells = empty_cells(drawn.size);
    }
    CHECK_EQ(static_cast<int>(line.size()), drawn.size);
    --y;
    for (int x = 0; x < drawn.size; ++x)
      if (line[x] != '.') drawn.cells[make_point(x, y)] = line[x] == 'X' ? BLACK : WHITE;
  }
  return drawn;
}

bool wins(Rule rule, Colour attacker, const std::string& text) {
  const Drawing drawn = drawing(text);
  const PlainAnswer answer = wins_by_fours(drawn.cells, drawn.size, rule, attacker, ENOUGH);
  CHECK(answer != PlainAnswer::GAVE_UP);
  return answer == PlainAnswer::YES;
}

/// Black wins under these rules and under no other.
void black_wins_under(std::initializer_list<Rule> rules, const std::string& text) {
  for (const Rule rule : ALL_RULES) {
    const bool expected = std::find(rules.begin(), rules.end(), rule) != rules.end();
    if (wins(rule, BLACK, text) != expected)
      check::fail(__FILE__, __LINE__,
                  "under " + std::string(RULE_NAMES[static_cast<int>(rule)]) +
                      (expected ? " black should win:" : " black wins:") + text);
  }
}

constexpr auto EVERY_RULE = {Rule::FREESTYLE, Rule::STANDARD, Rule::RENJU, Rule::CARO, Rule::CARO6};
constexpr auto NOT_RENJU = {Rule::FREESTYLE, Rule::STANDARD, Rule::CARO, Rule::CARO6};
constexpr std::initializer_list<Rule> NO_RULE = {};

// --- The definition to the letter: all points, all replies, nothing left out for speed. ---

bool makes_five(Referee& referee, Point p, Colour colour) {
  return referee.classify(p, colour).five;
}

bool can_make_five(Referee& referee, int size, Colour colour) {
  for (const Point p : board_points(size))
    if (referee.cells()[p] == EMPTY && makes_five(referee, p, colour)) return true;
  return false;
}

bool legal(Referee& referee, Rule rule, Point p, Colour colour) {
  return !has_forbidden_moves(rule, colour) || referee.forbidden(p) == Forbidden::NONE;
}

PlainAnswer literal(Referee& referee, int size, Rule rule, Colour attacker, int& left);

PlainAnswer literal_replies(Referee& referee, int size, Rule rule, Colour attacker, int& left) {
  const Colour defender = opponent(attacker);
  for (const Point q : board_points(size)) {
    if (referee.cells()[q] != EMPTY || !legal(referee, rule, q, defender)) continue;
    referee.set(q, defender);
    PlainAnswer answer = PlainAnswer::YES;
    if (!can_make_five(referee, size, attacker))
      answer = literal(referee, size, rule, attacker, left);
    referee.set(q, EMPTY);
    if (answer != PlainAnswer::YES) return answer;
  }
  return PlainAnswer::YES;
}

PlainAnswer literal(Referee& referee, int size, Rule rule, Colour attacker, int& left) {
  if (left-- <= 0) return PlainAnswer::GAVE_UP;
  if (can_make_five(referee, size, attacker)) return PlainAnswer::YES;
  for (const Point p : board_points(size)) {
    if (referee.cells()[p] != EMPTY || !legal(referee, rule, p, attacker)) continue;
    referee.set(p, attacker);
    PlainAnswer answer = PlainAnswer::NO;
    if (can_make_five(referee, size, attacker) && !can_make_five(referee, size, opponent(attacker)))
      answer = literal_replies(referee, size, rule, attacker, left);
    referee.set(p, EMPTY);
    if (answer != PlainAnswer::NO) return answer;
  }
  return PlainAnswer::NO;
}

// --- The drawn cases; their format is described at the top of the file. ---

}  // namespace

TEST(plain_fours_nothing_to_play_with) {
  black_wins_under(NO_RULE, ". . . . . . . . .");
  black_wins_under(NO_RULE, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . X X . . .)");
  black_wins_under(NO_RULE, R"(
    . . . . . . . . .
    . O X X X . . . .)");
  black_wins_under(NO_RULE, R"(
    . . . . . . . . .
    X X . X O . . . .)");
}

TEST(plain_fours_immediate_five) {
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    . O X X . X X . .)");
  // Against a four of the defender, too.
  black_wins_under(EVERY_RULE, R"(
    . O O O O . . . .
    . . . . . . . . .
    . O X X X X . . .)");
  // A five in the corner, the edge at both ends of the line.
  black_wins_under(EVERY_RULE, R"(
    X . . . .
    . X . . .
    . . X . .
    . . . . .
    . . . . X)");
}

TEST(plain_fours_open_four) {
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    . . . X X X . . .)");
  // A white stone two points off: in caro one answer (at b) stops both fives, for the one on the
  // right is then closed. Three points off, it no longer matters.
  black_wins_under({Rule::FREESTYLE, Rule::STANDARD, Rule::RENJU}, R"(
    . . . . . . . . .
    . . . X X X . O .)");
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    . . . X X X . . O)");
  // Room for six between two white stones.
  black_wins_under({Rule::FREESTYLE, Rule::STANDARD, Rule::RENJU}, R"(
    . . . . . . . . . .
    . O . X . X X . O .)");
}

TEST(plain_fours_four_and_three) {
  // A four on the row makes three in the column; the answer, then an open four.
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . O X X . X . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .)");
  // The same with the column shut: nothing is left after the answer.
  black_wins_under(NO_RULE, R"(
    . . . . . . . . .
    . . . . O . . . .
    . . . . X . . . .
    . . . . X . . . .
    . O X X . X . . .
    . . . . O . . . .)");
}

TEST(plain_fours_double_four) {
  black_wins_under(NOT_RENJU, R"(
    . . . . . . . . .
    . . . . O . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X . . . . .
    . . . . X . . . .
    . . . . . . . . .)");
  // Two fours in one line. With a white stone at the end the answer at c closes the other five.
  black_wins_under(NOT_RENJU, R"(
    . . . . . . . . .
    X X . X . . X X .)");
  black_wins_under({Rule::FREESTYLE, Rule::STANDARD}, R"(
    . . . . . . . . .
    X X . X . . X X O)");
}

TEST(plain_fours_runs_of_six) {
  black_wins_under({Rule::FREESTYLE, Rule::CARO6}, R"(
    . . . . . . . . .
    O X X . X X X O .)");
  // A double-four at c, if six win; otherwise only the column is a four.
  black_wins_under({Rule::FREESTYLE, Rule::CARO6}, R"(
    . . O . . . . . .
    . . X . . . . . .
    . . X . . . . . .
    . . X . . . . . .
    O X . . X X X O .
    . . . . . . . . .
    . . . . . . . . .)");
}

TEST(plain_fours_closed_fives) {
  // The row has room for exactly five, between white stones: worthless in caro and caro6.
  black_wins_under({Rule::FREESTYLE, Rule::STANDARD}, R"(
    . . . . . . . . .
    . . . . O . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X . . O . .
    . . . . X . . . .
    . . . . . . . . .)");
  // The edge does not close.
  black_wins_under(NOT_RENJU, R"(
    . . . . . . . . .
    . . . O . . . . .
    . . . X . . . . .
    . . . X . . . . .
    X X X . . O . . .
    . . . X . . . . .
    . . . . . . . . .)");
}

TEST(plain_fours_renju_black_and_the_forbidden_points) {
  // The only four is also an overline, a double-four, a double-three.
  const std::string overline = R"(
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . O . . . .
    . . . . . . . . .)";
  CHECK(!wins(Rule::RENJU, BLACK, overline));
  CHECK(wins(Rule::FREESTYLE, BLACK, overline));
  const std::string double_four = R"(
    . . . . . . . . .
    . . . . O . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X . . . . .
    . . . . X . . . .
    . . . . . . . . .)";
  CHECK(!wins(Rule::RENJU, BLACK, double_four));
  CHECK(wins(Rule::STANDARD, BLACK, double_four));
  const std::string double_three = R"(
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . X . . . . . .
    . . . . X . . . . . .
    O X X X . . O . . . .
    . . . X . . . . . . .
    . . X . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .)";
  CHECK(!wins(Rule::RENJU, BLACK, double_three));
  CHECK(wins(Rule::STANDARD, BLACK, double_three));
  // A five is never forbidden.
  CHECK(wins(Rule::RENJU, BLACK, R"(
    . . . . X . . . .
    . . . . X . . . .
    . . . . X . . . .
    O X X X . X . . .
    . . . . X . . . .
    . . . . X . . . .)"));
}

TEST(plain_fours_renju_white_and_the_forbidden_answer) {
  // White's four b-e has one answer, f. It is an overline, a double-four, a double-three.
  const std::string overline = R"(
    . . . . . . . . .
    . . . . . X . . .
    . . . . . X . . .
    . . . . . X . . .
    X O . O O . X . .
    . . . . . X . . .
    . . . . . X . . .)";
  CHECK(wins(Rule::RENJU, WHITE, overline));
  CHECK(!wins(Rule::STANDARD, WHITE, overline));
  const std::string double_four = R"(
    . . . . . . . . . .
    . . . . . O . . O .
    . . . . . X . X . .
    . . . . . X X . . .
    X O . O O . X . . .
    . . . . X X . . . .
    . . . . . . . . . .)";
  CHECK(wins(Rule::RENJU, WHITE, double_four));
  CHECK(!wins(Rule::CARO6, WHITE, double_four));
  const std::string double_three = R"(
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . X . X . . .
    . . . . . X X . . . .
    X O . O O . X . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .)";
  CHECK(wins(Rule::RENJU, WHITE, double_three));
  CHECK(!wins(Rule::FREESTYLE, WHITE, double_three));
  // The double-three is none if its column is shut: the answer is legal.
  CHECK(!wins(Rule::RENJU, WHITE, R"(
    . . . . . . . . . . .
    . . . . . O . . . . .
    . . . . . X . X . . .
    . . . . . X X . . . .
    X O . O O . X . . . .
    . . . . . O . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .)"));
  // White's six wins, black's does not.
  const std::string six = R"(
    . . . . . . . . .
    X O O . O O O X .)";
  CHECK(wins(Rule::RENJU, WHITE, six));
  CHECK(!wins(Rule::STANDARD, WHITE, six));
}

TEST(plain_fours_defences_that_make_fours) {
  // e6 makes a four and an open three; the answer at g6 is harmless.
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . O X X . X . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .)");
  // It makes a four, and meeting that is no four.
  black_wins_under(NO_RULE, R"(
    . . . . . . O . .
    . . . . . . O . .
    . . . . . . O . .
    . O X X . X . . .
    . . . . X . . . .
    . . . . X . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .)");
  // It makes a four, and meeting that at e8 is an open four.
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . X O . . .
    . O X X . X . . .
    . . . . X . . O .
    . . . . . . . . O
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .)");
}

TEST(plain_fours_the_defender_has_a_four) {
  // An open four does not help: he makes five first.
  black_wins_under(NO_RULE, R"(
    . . . . . . . . .
    . O O O O . . . .
    . . . . . . . . .
    . . . X X X . . .)");
  // Meeting it with an open four does; with a mere four it does not.
  black_wins_under(EVERY_RULE, R"(
    . . . . . . . . .
    X O O O O . . . .
    . . . . . X . . .
    . . . . . X . . .
    . . . . . X . . .)");
  black_wins_under(NO_RULE, R"(
    . . . . . . . . .
    X O O O O . . . .
    . . . . . X . . .
    . . . . . X . . .
    . . . . . X . . .
    . . . . . O . . .
    . . . . . . . . .)");
}

TEST(plain_fours_a_full_board) {
  Cells cells = empty_cells(5);
  for (const Point p : board_points(5)) cells[p] = (x_of(p) / 2 + y_of(p)) % 2 == 0 ? BLACK : WHITE;
  for (const Rule rule : ALL_RULES)
    for (const Colour colour : {BLACK, WHITE})
      CHECK_EQ(wins_by_fours(cells, 5, rule, colour, ENOUGH), PlainAnswer::NO);
}

TEST(plain_fours_node_limit) {
  const Drawing drawn = drawing(". . . . X X X . . . .");
  CHECK_EQ(wins_by_fours(drawn.cells, drawn.size, Rule::FREESTYLE, BLACK, 0), PlainAnswer::GAVE_UP);
  CHECK_EQ(wins_by_fours(drawn.cells, drawn.size, Rule::FREESTYLE, BLACK, ENOUGH),
           PlainAnswer::YES);
}

TEST(plain_fours_example_lines) {
  Rng rng(11);
  int wins = 0, losses = 0;
  for (int n = 0; n < 2500; ++n) {
    const int size = 5 + static_cast<int>(rng.below(4));
    const Rule rule = ALL_RULES[rng.below(RULE_NB)];
    const Colour attacker = rng.below(2) == 0 ? BLACK : WHITE;
    Cells cells = empty_cells(size);
    for (const Placed& stone : random_stones(rng, size)) cells[stone.point] = stone.colour;
    Referee referee(cells, rule);
    int left = 50;
    const PlainAnswer expected = literal(referee, size, rule, attacker, left);
    if (expected == PlainAnswer::GAVE_UP) continue;
    CHECK_EQ(wins_by_fours(cells, size, rule, attacker, ENOUGH), expected);
    if (can_make_five(referee, size, attacker)) continue;
    ++(expected == PlainAnswer::YES ? wins : losses);
  }
  CHECK(wins > 100);
  CHECK(losses > 1000);
}

TEST(plain_fours_drawn_cases) {
  const std::vector<DrawnCase> cases = read_cases(TENGEN_TEST_DATA "/positions/solver/vcf.txt");
  CHECK(cases.size() >= 40);
  for (const DrawnCase& drawn : cases) {
    bool gave_up = false;
    const auto found =
        winning_fours(drawn.cells, drawn.size, drawn.rule, drawn.to_move, ENOUGH, &gave_up);
    const PlainAnswer answer =
        wins_by_fours(drawn.cells, drawn.size, drawn.rule, drawn.to_move, ENOUGH);
    const auto expect = [&](bool good, const std::string& what) {
      if (!good) check::fail("vcf.txt", 0, drawn.title + ": " + what + "; found" + names_of(found));
    };
    expect(!gave_up, "too long");
    expect(drawn.expected == "win" || drawn.expected == "no win", "nothing is expected");
    expect(answer == (drawn.expected == "win" ? PlainAnswer::YES : PlainAnswer::NO), "the answer");
    expect(found.empty() == (drawn.expected != "win"), "the first moves and the answer");
    expect(drawn.only.empty() || drawn.only == found, "the winning first moves");
    for (const Point p : drawn.never)
      expect(std::find(found.begin(), found.end(), p) == found.end(), "a move that must not win");
  }
}
