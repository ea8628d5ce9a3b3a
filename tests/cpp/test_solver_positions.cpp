// SPDX-License-Identifier: MIT
// The solvers on the drawn positions, and the corners that random positions hardly ever reach:
// quiet moves, proofs without room, defences at a move limit.
#include "check.h"
#include "drawn_cases.h"
#include "search/threat/solver.h"

using namespace tengen;

namespace {

constexpr size_t MEMORY = 4 << 20;

void check_cases(const char* path, Goal goal) {
  const std::vector<DrawnCase> cases = read_cases(path);
  CHECK(cases.size() >= 30);
  for (const DrawnCase& drawn : cases) {
    Solver solver(drawn.size, drawn.rule, MEMORY);
    Question question;
    question.goal = goal;
    const Solution found = solver.solve(drawn.cells, drawn.to_move, 0, question);
    const bool wins = found.finding == Finding::WIN;
    if (found.finding == Finding::UNKNOWN || wins != (drawn.expected == "win"))
      check::fail(path, 0, drawn.title);
    if (!wins) continue;
    CHECK(verify(*found.proof).holds);
    const auto is_first = [&](Point p) { return p == found.proof->nodes[0].move; };
    if (!drawn.only.empty() && std::none_of(drawn.only.begin(), drawn.only.end(), is_first))
      check::fail(path, 0, drawn.title + ": another first move");
    CHECK(std::none_of(drawn.never.begin(), drawn.never.end(), is_first));
  }
}

/// Stones in rows from the top, as in a drawing.
Cells cells_of(int size, const std::string& drawing) {
  Cells cells = empty_cells(size);
  int i = 0;
  for (const char c : drawing) {
    if (c != '.' && c != 'X' && c != 'O') continue;
    if (c != '.') cells[make_point(i % size, size - 1 - i / size)] = c == 'X' ? BLACK : WHITE;
    ++i;
  }
  CHECK_EQ(i, size * size);
  return cells;
}

Finding ask(const Cells& cells, int size, Rule rule, Colour attacker, int quiet) {
  Solver solver(size, rule, MEMORY);
  Question question;
  question.goal = Goal::ANY;
  question.quiet = quiet;
  question.limits.nodes = 2000000;  // only so that a failure ends
  const Solution found = solver.solve(cells, attacker, 0, question);
  if (found.finding == Finding::WIN) CHECK(verify(*found.proof).holds);
  return found.finding;
}

constexpr const char* OPEN_THREE = R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . X X X . . .
    . . . . . . . . .
    O . . . . . . . O
    . . . . . . . . .
    . O . . . . . . .)";

}  // namespace

TEST(solvers_on_drawn_fours) {
  check_cases(TENGEN_TEST_DATA "/positions/solver/vcf.txt", Goal::VCF);
}

TEST(solvers_on_drawn_threats) {
  check_cases(TENGEN_TEST_DATA "/positions/solver/vct.txt", Goal::VCT);
}

TEST(quiet_move_wins_where_threats_do_not) {
  const Cells cells = cells_of(9, R"(
    . . . O . . . O .
    . . O . . . O . .
    . . . . . . . . .
    . O O . . . . . O
    . . . . . O . X .
    . . . . . . . X X
    . . . . . . . X .
    . . . O O . . . .
    . . X . . O O . .)");
  CHECK_EQ(ask(cells, 9, Rule::RENJU, WHITE, 0), Finding::NO_WIN);
  CHECK_EQ(ask(cells, 9, Rule::RENJU, WHITE, 1), Finding::WIN);
}

TEST(quiet_moves_are_counted) {
  // One stone: the first quiet move cannot be followed by threats alone, whatever white does.
  Cells cells = empty_cells(15);
  cells[make_point(7, 7)] = BLACK;
  cells[make_point(0, 0)] = WHITE;
  CHECK_EQ(ask(cells, 15, Rule::FREESTYLE, BLACK, 0), Finding::NO_WIN);
  CHECK_EQ(ask(cells, 15, Rule::FREESTYLE, BLACK, 1), Finding::NO_WIN);
}

TEST(proof_that_has_no_room_is_given_up) {
  Vcf vcf(64 << 10);
  PnSearch search(64 << 10, vcf);
  ThreatBoard board(9, Rule::FREESTYLE);
  // Two open threes cross at one point: no win by fours alone.
  const Cells cells = cells_of(9, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . X X . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    O O . . . . . O O)");
  for (const size_t room : {size_t{64}, size_t{1} << 20}) {
    board.assign(cells, 0);
    Watch watch;
    CHECK_EQ(search.search(board, BLACK, 0, 0, watch), Finding::WIN);
    ProofBuilder builder(board, BLACK);
    CHECK_EQ(search.build(builder, room, watch), room > 64);
    CHECK_EQ(watch.ended_by(), room > 64 ? EndedBy::FINISHED : EndedBy::MEMORY);
    if (room > 64) CHECK(verify(builder.finish(cells, 0)).holds);
  }
}

TEST(proof_knows_the_move_limit) {
  Solver solver(9, Rule::FREESTYLE, MEMORY);
  const Cells cells = cells_of(9, OPEN_THREE);
  Question question;
  question.goal = Goal::VCF;
  const Solution found = solver.solve(cells, BLACK, 3, question);
  CHECK_EQ(found.finding, Finding::WIN);
  CHECK_EQ(found.proof->moves_left, 3);
  CHECK_EQ(solver.solve(cells, BLACK, 2, question).finding, Finding::NO_WIN);
}

TEST(defences_at_a_move_limit) {
  Solver solver(9, Rule::FREESTYLE, MEMORY);
  const Cells cells = cells_of(9, OPEN_THREE);
  Question question;
  question.goal = Goal::VCF;
  // The defender's move is one of those that are left; black needs three.
  for (int left = 1; left <= 6; ++left) {
    const Defences found = solver.defences(cells, WHITE, left, question);
    CHECK_EQ(found.threat.finding, left >= 4 ? Finding::WIN : Finding::NO_WIN);
    CHECK_EQ(found.moves.empty(), left < 4);
  }
}

TEST(defences_are_legal_moves) {
  // White threatens an open four; e5 would be a double-three of black.
  const Cells cells = cells_of(9, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . . X . . . .
    . . . . X . . . .
    . . X X . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . O O O . . .
    . . . . . . . . .)");
  Question question;
  question.goal = Goal::VCF;
  Solver renju(9, Rule::RENJU, MEMORY), freestyle(9, Rule::FREESTYLE, MEMORY);
  const auto tries = [](const Defences& found, Point p) {
    return std::any_of(found.moves.begin(), found.moves.end(),
                       [p](const Defence& defence) { return defence.move == p; });
  };
  const Defences found = renju.defences(cells, BLACK, 0, question);
  CHECK_EQ(found.threat.finding, Finding::WIN);
  CHECK(!tries(found, make_point(4, 4)));
  CHECK(tries(freestyle.defences(cells, BLACK, 0, question), make_point(4, 4)));
}
