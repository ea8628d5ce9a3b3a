// SPDX-License-Identifier: MIT
// The classical paper's point scores: each shape drawn, the sums of its Figure 1, the value, and
// that the four ways of keeping the scores agree and undo bit for bit.
#include <string>
#include <utility>
#include <vector>

#include "allocations.h"
#include "check.h"
#include "eval/point_score_board.h"
#include "game/symmetry.h"
#include "random_positions.h"

#ifndef NDEBUG
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

using namespace tengen;

namespace {

constexpr int SIZE = 15;
constexpr Point CENTRE = make_point(SIZE / 2, SIZE / 2);
constexpr std::array<PointScoreUpdate, POINT_SCORE_UPDATE_NB> UPDATES = {
    PointScoreUpdate::WHOLE, PointScoreUpdate::POINT, PointScoreUpdate::DIRECTION,
    PointScoreUpdate::BLOCKED};

struct Drawn {
  const char* line;  ///< X own, O opposing, * the point that is asked for; empty beyond the text
  Value score;
};

/// Plays the stones of the line so that its * falls on the centre.
void play_line(PointScoreBoard& board, const std::string& line, Direction d, Colour own) {
  const int middle = static_cast<int>(line.find('*'));
  for (int i = 0; i < static_cast<int>(line.size()); ++i)
    if (line[i] == 'X' || line[i] == 'O')
      board.play(shifted(CENTRE, d, i - middle), line[i] == 'X' ? own : opponent(own));
}

/// The drawing says the same in every direction, of a stone that would be there and of one that is.
void check_drawn(const Drawn& drawn, Rule rule, Colour own) {
  for (const Direction d : DIRECTIONS) {
    PointScoreBoard board(SIZE, rule);
    play_line(board, drawn.line, d, own);
    CHECK_EQ(board.score(own, CENTRE, d), drawn.score);
    board.play(CENTRE, own);
    CHECK_EQ(board.score(own, CENTRE, d), drawn.score);
    CHECK_EQ(board.score(opponent(own), CENTRE, d), 0);
    CHECK_EQ(board.score(opponent(own), CENTRE), 0);
  }
}

/// A board that is kept in each of the four ways, and only moves as one.
class FourBoards {
 public:
  FourBoards(int size, Rule rule) {
    for (const PointScoreUpdate update : UPDATES) boards_.emplace_back(size, rule, update);
  }

  void play(Point p, Colour colour) {
    for (PointScoreBoard& board : boards_) board.play(p, colour);
  }
  void undo() {
    for (PointScoreBoard& board : boards_) board.undo();
  }
  const PointScoreBoard& any() const { return boards_.back(); }
  bool agree() const {
    for (const PointScoreBoard& board : boards_)
      if (!(board == any())) return false;
    return true;
  }
  bool operator==(const FourBoards&) const = default;

 private:
  std::vector<PointScoreBoard> boards_;
};

/// The whole-scores as the paper has them: a walk over the stones.
i64 recount(const PointScoreBoard& board, Colour colour) {
  i64 sum = 0;
  for (const Point p : board_points(board.size()))
    if (board.lines().stone(p) == colour)
      for (const Direction d : DIRECTIONS) sum += board.score(colour, p, d);
  return sum;
}

/// Could the key occur: does the edge, once it has begun, go on outwards?
bool is_possible(LineKey key) {
  for (const int way : {-1, 1})
    for (int n = 1; n < KEY_REACH; ++n)
      if (key_stone(key, key_cell(way * n)) == EDGE &&
          key_stone(key, key_cell(way * (n + 1))) != EDGE)
        return false;
  return true;
}

PointScoreBoard random_board(Rng& rng, int size, Rule rule) {
  PointScoreBoard board(size, rule);
  for (const Placed& stone : random_stones(rng, size)) board.play(stone.point, stone.colour);
  return board;
}

}  // namespace

TEST(paper_scores_of_the_nine_shapes) {
  const std::vector<Drawn> shapes = {
      {"O.*..O", 0},            // no room for five
      {"O*", 1},                // sleep one
      {"O..*..O", 1},           // sleep one
      {"*", 10},                // live one
      {"O.*....O", 10},         // live one
      {"OX*", 10},              // sleep two
      {"O.X.*.O", 10},          // sleep two
      {"X*", 100},              // live two
      {"X.*", 100},             // live two
      {"OXX*", 100},            // sleep three
      {"X..*XO", 100},          // sleep three
      {"XX*", 1'000},           // live three
      {"X.X*", 1'000},          // live three
      {"OXXX*", 10'000},        // sleep four
      {"XX.X*", 10'000},        // sleep four
      {"XXX*", 100'000},        // live four
      {"X.X*X.X", 100'000},     // two fours on the line
      {"XXX*X", 10'000'000},    // five
      {"OXX*XXO", 10'000'000},  // five
      {"XXX*XX", 10'000'000},   // five
  };
  for (const Drawn& drawn : shapes)
    for (const Colour own : {BLACK, WHITE}) check_drawn(drawn, Rule::FREESTYLE, own);
}

TEST(paper_scores_follow_the_rule) {
  const Drawn two_fours{"X.X*X.X", 100'000}, no_two_fours{"X.X*X.X", 0};
  const Drawn six{"XXX*XX", 10'000'000}, no_six{"XXX*XX", 0};
  const Drawn closed{"OXX*XXO", 10'000'000}, no_closed{"OXX*XXO", 0};
  for (const Colour own : {BLACK, WHITE}) {
    const bool bound = own == BLACK;
    check_drawn(bound ? no_two_fours : two_fours, Rule::RENJU, own);
    check_drawn(bound ? no_six : six, Rule::RENJU, own);
    for (const Rule rule : {Rule::STANDARD, Rule::CARO, Rule::CARO6})
      check_drawn(two_fours, rule, own);
    check_drawn(no_six, Rule::STANDARD, own);
    check_drawn(no_six, Rule::CARO, own);
    check_drawn(six, Rule::CARO6, own);
    check_drawn(closed, Rule::STANDARD, own);
    check_drawn(no_closed, Rule::CARO, own);
    check_drawn(no_closed, Rule::CARO6, own);
  }
}

// The figure's 6x6 board has no room for what it calls live; on a board that has, its sums come
// out.
TEST(paper_figure_1_sums) {
  constexpr Colour o = BLACK, x = WHITE;
  PointScoreBoard board(SIZE, Rule::FREESTYLE);
  board.play(shifted(CENTRE, ALONG_Y, 1), x);
  board.play(shifted(CENTRE, DIAGONAL, 1), o);
  board.play(shifted(CENTRE, DIAGONAL, 2), o);
  CHECK_EQ(board.score(o, CENTRE, ALONG_X), 10);
  CHECK_EQ(board.score(o, CENTRE, ALONG_Y), 1);
  CHECK_EQ(board.score(o, CENTRE, DIAGONAL), 1000);
  CHECK_EQ(board.score(o, CENTRE, ANTI_DIAGONAL), 10);
  CHECK_EQ(board.score(o, CENTRE), 1021);
  CHECK_EQ(board.score(x, CENTRE, ALONG_X), 10);
  CHECK_EQ(board.score(x, CENTRE, ALONG_Y), 100);
  CHECK_EQ(board.score(x, CENTRE, DIAGONAL), 1);
  CHECK_EQ(board.score(x, CENTRE, ANTI_DIAGONAL), 10);
  CHECK_EQ(board.score(x, CENTRE), 121);
  CHECK_EQ(board.importance(CENTRE), 1021 + 121);
  CHECK_EQ(board.whole_score(x), 1 + 10 + 10 + 10);  // a black stone stands beside it
  CHECK_EQ(board.whole_score(o), (1 + 10 + 100 + 10) + (10 + 10 + 100 + 10));
}

TEST(paper_scores_depend_on_no_cell_beyond_reach) {
  for (int r = 0; r < RULE_NB; ++r) {
    const PointScoreTables& tables = point_score_tables(static_cast<Rule>(r));
    bool fifth_cell_matters = false;
    for (LineKey key = 0; key < KEY_NB; ++key)
      for (const int outer : {0, KEY_CELLS - 1}) {
        const LineKey other = key_with(key, outer, EMPTY);
        if (is_possible(key) && is_possible(other))
          fifth_cell_matters |= tables.scores(key) != tables.scores(other);
      }
    CHECK_EQ(tables.reach, fifth_cell_matters ? 5 : 4);
  }
}

TEST(paper_updates_agree_and_undo_every_bit) {
  Rng rng(31);
  for (int size = MIN_SIZE; size <= MAX_SIZE; ++size)
    for (int r = 0; r < RULE_NB; ++r) {
      FourBoards boards(size, static_cast<Rule>(r));
      std::vector<FourBoards> before;
      for (const Placed& stone : random_stones(rng, size)) {
        before.push_back(boards);
        boards.play(stone.point, stone.colour);
        CHECK(boards.agree());
        while (!before.empty() && rng.below(3) == 0) {
          boards.undo();
          CHECK(boards == before.back());
          before.pop_back();
        }
      }
      for (; !before.empty(); before.pop_back()) {
        boards.undo();
        CHECK(boards == before.back());
      }
      CHECK(boards.any() == PointScoreBoard(size, static_cast<Rule>(r)));
    }
}

TEST(paper_whole_scores_equal_a_walk_over_the_stones) {
  Rng rng(32);
  for (int n = 0; n < 300; ++n) {
    const PointScoreBoard board =
        random_board(rng, random_size(rng), static_cast<Rule>(n % RULE_NB));
    for (const Colour colour : {BLACK, WHITE})
      CHECK_EQ(board.whole_score(colour), recount(board, colour));
  }
}

TEST(paper_scores_of_a_full_board_need_more_than_32_bits) {
  FourBoards boards(MAX_SIZE, Rule::FREESTYLE);
  for (const Point p : board_points(MAX_SIZE)) boards.play(p, WHITE);
  CHECK(boards.agree());
  CHECK_EQ(boards.any().score(WHITE, CENTRE), 40'000'000);
  CHECK(boards.any().whole_score(WHITE) > i64{1} << 32);
  CHECK_EQ(boards.any().whole_score(WHITE), recount(boards.any(), WHITE));
  CHECK_EQ(boards.any().value(WHITE, WHITE), EVAL_LIMIT);
  CHECK_EQ(boards.any().value(BLACK, BLACK), -EVAL_LIMIT);
}

TEST(paper_assigning_equals_playing) {
  Rng rng(33);
  for (int n = 0; n < 100; ++n) {
    const int size = random_size(rng);
    const auto rule = static_cast<Rule>(n % RULE_NB);
    PointScoreBoard played = random_board(rng, size, rule);
    PointScoreBoard assigned(size, rule, UPDATES[n % POINT_SCORE_UPDATE_NB]);
    assigned.assign(played.lines());
    for (const Point p : board_points(size))
      for (const Colour colour : {BLACK, WHITE})
        CHECK_EQ(assigned.score(colour, p), played.score(colour, p));
    played.assign(played.lines());  // now it cannot be undone either
    CHECK(played == assigned);
  }
}

TEST(paper_scores_commute_with_symmetries) {
  Rng rng(34);
  for (int n = 0; n < 200; ++n) {
    const int size = random_size(rng), s = n % SYMMETRY_NB;
    const PointScoreBoard board = random_board(rng, size, static_cast<Rule>(rng.below(RULE_NB)));
    PointScoreBoard image(size, board.rule());
    for (const Point p : board_points(size))
      if (const Stone stone = board.lines().stone(p); stone != EMPTY)
        image.play(transformed(p, s, size), stone);
    for (const Colour colour : {BLACK, WHITE}) {
      CHECK_EQ(image.whole_score(colour), board.whole_score(colour));
      for (const Point p : board_points(size))
        CHECK_EQ(image.score(colour, transformed(p, s, size)), board.score(colour, p));
    }
  }
}

TEST(paper_scores_depend_on_the_colour_only_in_renju) {
  Rng rng(35);
  for (const Rule rule : {Rule::FREESTYLE, Rule::STANDARD, Rule::CARO, Rule::CARO6})
    for (int n = 0; n < 25; ++n) {
      const PointScoreBoard board = random_board(rng, SIZE, rule);
      PointScoreBoard swapped(SIZE, rule);
      for (const Point p : board_points(SIZE))
        if (const Stone stone = board.lines().stone(p); stone != EMPTY)
          swapped.play(p, opponent(stone));
      CHECK_EQ(swapped.value(WHITE, WHITE), board.value(BLACK, BLACK));
      for (const Point p : board_points(SIZE))
        CHECK_EQ(swapped.score(WHITE, p), board.score(BLACK, p));
    }
}

TEST(paper_value_weights_the_enemy_by_side_to_move) {
  CHECK_EQ(point_score_value(1000, 1000, true), 50);
  CHECK_EQ(point_score_value(1000, 1000, false), -50);
  // 0.95 * 10 and 1.05 * 10 are halves and go up; 0.95 * 9 = 8.55 and 0.95 * 11 = 10.45 do not.
  CHECK_EQ(point_score_value(0, 10, true), -10);
  CHECK_EQ(point_score_value(0, 10, false), -11);
  CHECK_EQ(point_score_value(0, 9, true), -9);
  CHECK_EQ(point_score_value(0, 11, true), -10);
  CHECK_EQ(point_score_value(10'000'000, 0, true), EVAL_LIMIT);
  CHECK_EQ(point_score_value(0, i64{40'000'000} * 484, true), -EVAL_LIMIT);
}

TEST(paper_value_is_that_of_the_side_to_move) {
  PointScoreBoard board(SIZE, Rule::FREESTYLE);
  board.play(CENTRE, BLACK);
  board.play(shifted(CENTRE, ALONG_X, 1), BLACK);
  board.play(make_point(3, 3), WHITE);
  const i64 black = board.whole_score(BLACK), white = board.whole_score(WHITE);
  CHECK_EQ(black, 2 * 130);
  CHECK_EQ(white, 40);
  CHECK_EQ(board.value(BLACK, BLACK), 260 - 38);
  CHECK_EQ(board.value(WHITE, WHITE), 40 - 247);
  CHECK_EQ(board.value(BLACK, WHITE), -(40 - 273));
  CHECK_EQ(board.value(WHITE, BLACK), -(260 - 42));
}

TEST(paper_play_and_undo_allocate_nothing) {
  Rng rng(36);
  PointScoreBoard board = random_board(rng, SIZE, Rule::RENJU);
  const auto walk = [&] {
    std::array<Point, 8> points{};
    for (Point& p : points) {
      while (!board.is_empty(p)) p = board_points(SIZE)[rng.below(SIZE * SIZE)];
      board.play(p, BLACK);
    }
    for (size_t i = 0; i < points.size(); ++i) board.undo();
  };
  board.assign(PointScoreBoard(SIZE, Rule::RENJU).lines());
  walk();
  const CountAllocations counting;
  for (int n = 0; n < 100; ++n) walk();
  CHECK_EQ(counting.count(), u64{0});
}

#ifndef NDEBUG
namespace {

/// Does the call end its process by abort(), as a failed assertion does?
template <typename Call>
bool aborts(Call call) {
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    call();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

}  // namespace

TEST(paper_preconditions_are_asserted) {
  PointScoreBoard board(SIZE, Rule::FREESTYLE);
  CHECK(!aborts([&] { board.play(CENTRE, BLACK); }));
  CHECK(aborts([&] { board.undo(); }));
  CHECK(aborts([&] { board.play(CENTRE, EMPTY); }));
  CHECK(aborts([&] { board.play(CENTRE, EDGE); }));
  CHECK(aborts([&] { board.play(NO_POINT, BLACK); }));
  CHECK(aborts([&] { board.play(GRID_CELLS, BLACK); }));
  CHECK(aborts([] { PointScoreBoard(MAX_SIZE + 1, Rule::FREESTYLE); }));
  CHECK(aborts([] { PointScoreBoard(MIN_SIZE - 1, Rule::FREESTYLE); }));
  board.play(CENTRE, BLACK);
  CHECK(aborts([&] { board.play(CENTRE, WHITE); }));
}
#endif
