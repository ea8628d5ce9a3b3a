// SPDX-License-Identifier: MIT
// The solvers on the drawn positions, and the corners that random positions hardly ever reach:
// quiet moves, proofs without room, defences at a move limit.
#include "check.h"
#include "drawn_cases.h"
#include "solver/solver.h"

using namespace tengen;

namespace {

constexpr size_t MEMORY = 4 << 20;

void check_cases(const char* path, Goal goal) {
  const std::vector<DrawnCase> cases = read_cases(path);
  CHECK(cases.size() >= 30);
  for (const DrawnCase& drawn : cases) {
    Solver solver(drawn.size, drawn.rule, MEMORY);
    SolveRequest request;
    request.goal = goal;
    const Solution found = solver.solve(drawn.cells, drawn.to_move, 0, request);
    const bool wins = found.status == SolveStatus::WIN;
    if (found.status == SolveStatus::UNKNOWN || wins != (drawn.expected == "win"))
      check::fail(path, 0, drawn.title);
    if (!wins) continue;
    CHECK(verify(*found.proof).is_valid);
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

SolveStatus ask(const Cells& cells, int size, Rule rule, Colour attacker, int quiet) {
  Solver solver(size, rule, MEMORY);
  SolveRequest request;
  request.goal = Goal::ANY;
  request.quiet = quiet;
  request.limits.nodes = 2000000;  // only so that a failure ends
  const Solution found = solver.solve(cells, attacker, 0, request);
  if (found.status == SolveStatus::WIN) CHECK(verify(*found.proof).is_valid);
  return found.status;
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

TEST(solvers_on_vcf_positions) {
  check_cases(TENGEN_TEST_DATA "/positions/solver/vcf.txt", Goal::VCF);
}

TEST(solvers_on_vct_positions) {
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
  CHECK_EQ(ask(cells, 9, Rule::RENJU, WHITE, 0), SolveStatus::NO_WIN);
  CHECK_EQ(ask(cells, 9, Rule::RENJU, WHITE, 1), SolveStatus::WIN);
}

TEST(quiet_move_wins_after_a_forced_one) {
  // Black has to stop a five at d4. Threats alone do not win after it, a quiet move does.
  const Cells cells = cells_of(9, R"(
    . . . . . . . . .
    . . . . . . . . .
    . . . X X . . . .
    . O . . . X . . .
    . . O . . . . O .
    . . . . . . X . .
    . . . . O . . X .
    . O . X . O . . .
    . . . . . . . . .)");
  CHECK_EQ(ask(cells, 9, Rule::FREESTYLE, BLACK, 0), SolveStatus::NO_WIN);
  CHECK_EQ(ask(cells, 9, Rule::FREESTYLE, BLACK, 1), SolveStatus::WIN);
}

TEST(quiet_moves_are_counted) {
  // One stone: the first quiet move cannot be followed by threats alone, whatever white does.
  Cells cells = empty_cells(15);
  cells[make_point(7, 7)] = BLACK;
  cells[make_point(0, 0)] = WHITE;
  CHECK_EQ(ask(cells, 15, Rule::FREESTYLE, BLACK, 0), SolveStatus::NO_WIN);
  CHECK_EQ(ask(cells, 15, Rule::FREESTYLE, BLACK, 1), SolveStatus::NO_WIN);
}

TEST(proof_beyond_the_memory_limit_is_abandoned) {
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
    StopCondition stop_condition;
    CHECK_EQ(search.search(board, BLACK, 0, 0, stop_condition), SolveStatus::WIN);
    ProofBuilder builder(board, BLACK);
    CHECK_EQ(search.build(builder, room, stop_condition), room > 64);
    CHECK_EQ(stop_condition.stop_reason(), room > 64 ? StopReason::FINISHED : StopReason::MEMORY);
    if (room > 64) CHECK(verify(builder.finish(cells, 0)).is_valid);
  }
}

TEST(proof_contains_the_move_limit) {
  Solver solver(9, Rule::FREESTYLE, MEMORY);
  const Cells cells = cells_of(9, OPEN_THREE);
  SolveRequest request;
  request.goal = Goal::VCF;
  const Solution found = solver.solve(cells, BLACK, 3, request);
  CHECK_EQ(found.status, SolveStatus::WIN);
  CHECK_EQ(found.proof->moves_left, 3);
  CHECK_EQ(solver.solve(cells, BLACK, 2, request).status, SolveStatus::NO_WIN);
}

TEST(defences_at_a_move_limit) {
  Solver solver(9, Rule::FREESTYLE, MEMORY);
  const Cells cells = cells_of(9, OPEN_THREE);
  SolveRequest request;
  request.goal = Goal::VCF;
  // The defender's move is one of those that are left; black needs three.
  for (int left = 1; left <= 6; ++left) {
    const Defences found = solver.defences(cells, WHITE, left, request);
    CHECK_EQ(found.threat.status, left >= 4 ? SolveStatus::WIN : SolveStatus::NO_WIN);
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
  SolveRequest request;
  request.goal = Goal::VCF;
  Solver renju(9, Rule::RENJU, MEMORY), freestyle(9, Rule::FREESTYLE, MEMORY);
  const auto tries = [](const Defences& found, Point p) {
    return std::any_of(found.moves.begin(), found.moves.end(),
                       [p](const Defence& defence) { return defence.move == p; });
  };
  const Defences found = renju.defences(cells, BLACK, 0, request);
  CHECK_EQ(found.threat.status, SolveStatus::WIN);
  CHECK(!tries(found, make_point(4, 4)));
  CHECK(tries(freestyle.defences(cells, BLACK, 0, request), make_point(4, 4)));
}
