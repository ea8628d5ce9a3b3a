// SPDX-License-Identifier: MIT
#include "game/rules.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tengen {

namespace {

/// A stone placed temporarily; the destructor removes it.
class TemporaryStone {
 public:
  TemporaryStone(Cells& cells, Point p, Stone stone) : cell_(cells[p]) {
    assert(cell_ == EMPTY);
    cell_ = stone;
  }
  ~TemporaryStone() { cell_ = EMPTY; }
  TemporaryStone(const TemporaryStone&) = delete;
  TemporaryStone& operator=(const TemporaryStone&) = delete;

 private:
  Stone& cell_;
};

}  // namespace

bool run_wins(Rule rule, Colour colour, int length, bool blocked) {
  switch (rule) {
    case Rule::FREESTYLE: return length >= 5;
    case Rule::STANDARD: return length == 5;
    case Rule::RENJU: return colour == BLACK ? length == 5 : length >= 5;
    case Rule::CARO: return length == 5 && !blocked;
    case Rule::CARO6: return length > 5 || (length == 5 && !blocked);
  }
  return false;
}

Run Referee::run_through(Point p, Direction d) const {
  const Stone stone = cells_[p];
  Run run{p, p, 1, d};
  for (Point q = run.before(); cells_[q] == stone; q = run.before()) {
    run.first = q;
    ++run.length;
  }
  for (Point q = run.after(); cells_[q] == stone; q = run.after()) {
    run.last = q;
    ++run.length;
  }
  return run;
}

bool Referee::wins(const Run& run) const {
  const Colour colour = cells_[run.first];
  const Colour other = opponent(colour);
  const bool blocked = cells_[run.before()] == other && cells_[run.after()] == other;
  return run_wins(rule_, colour, run.length, blocked);
}

/// Whether a stone at e makes a five on the line through the stone at p.
bool Referee::completes(Point e, Point p, Direction d, Colour colour) {
  if (cells_[e] != EMPTY) return false;
  const TemporaryStone stone(cells_, e, colour);
  return wins(run_through(p, d));
}

Four Referee::four_through(Point p, Direction d) {
  // A five through p that needs one more stone needs it next to the run through p: all its other
  // stones are there.
  const Colour colour = cells_[p];
  const Run run = run_through(p, d);
  const Point e = run.before(), f = run.after();
  const bool at_e = completes(e, p, d, colour);
  const bool at_f = completes(f, p, d, colour);
  if (!at_e && !at_f) return Four::NONE;
  if (!at_e || !at_f) return Four::FOUR;
  // Two completion points; in caro one defence may stop both.
  {
    const TemporaryStone block(cells_, e, opponent(colour));
    if (!completes(f, p, d, colour)) return Four::FOUR;
  }
  {
    const TemporaryStone block(cells_, f, opponent(colour));
    if (!completes(e, p, d, colour)) return Four::FOUR;
  }
  return run.length == 4 ? Four::OPEN_FOUR : Four::TWO_FOURS;
}

/// Whether a black stone at q makes an open four through the stones at p and q.
bool Referee::makes_open_four(Point q, Point p, Direction d) {
  if (cells_[q] != EMPTY) return false;
  const TemporaryStone stone(cells_, q, BLACK);
  return four_through(p, d) == Four::OPEN_FOUR;
}

/// Renju: whether the black stone at p has a three on this line. Raises `depth` to the recursion
/// depth needed. Checks every continuation even if the result is known, so that the depth does not
/// depend on the order of evaluation.
bool Referee::has_three(Point p, Direction d, int& depth) {
  const Run run = run_through(p, d);
  bool found = false;
  // The four adjacent stones of the open four go through p and the new stone, so the new one is
  // next to the run.
  for (const Point q : {run.before(), run.after()}) {
    if (!makes_open_four(q, p, d)) continue;
    const PointReport next = classify(q, BLACK);
    if (next.double_three_candidate) depth = std::max(depth, next.depth + 1);
    found = found || (!next.five && next.forbidden == Forbidden::NONE);
  }
  return found;
}

PointReport Referee::classify(Point p, Colour colour) {
  const TemporaryStone stone(cells_, p, colour);
  return classify_placed(p, colour);
}

bool Referee::makes_five(Point p, Colour colour) {
  const TemporaryStone stone(cells_, p, colour);
  return std::any_of(DIRECTIONS.begin(), DIRECTIONS.end(),
                     [&](Direction d) { return wins(run_through(p, d)); });
}

PointReport Referee::classify_placed(Point p, Colour colour) {
  PointReport report;
  for (const Direction d : DIRECTIONS) {
    const Run run = run_through(p, d);
    if (wins(run)) return {.five = true};
    if (run.length > 5) report.overline = true;
  }
  for (const Direction d : DIRECTIONS) {
    const Four four = four_through(p, d);
    report.fours += number_of_fours(four);
    if (four == Four::OPEN_FOUR) report.open_four = true;
  }
  if (!has_forbidden_moves(rule_, colour)) return report;

  if (report.overline) {
    report.forbidden = Forbidden::OVERLINE;
  } else if (report.fours >= 2) {
    report.forbidden = Forbidden::DOUBLE_FOUR;
  } else {
    check_double_three(p, report);
  }
  return report;
}

/// Renju double-three test of a black stone at p that makes no five, overline or double-four.
void Referee::check_double_three(Point p, PointReport& report) {
  int apparent = 0;
  for (const Direction d : DIRECTIONS) {
    const Run run = run_through(p, d);
    apparent += makes_open_four(run.before(), p, d) || makes_open_four(run.after(), p, d);
  }
  if (apparent < 2) return;
  report.double_three_candidate = true;
  int threes = 0, depth = 0;
  for (const Direction d : DIRECTIONS) threes += has_three(p, d, depth);
  report.depth = depth;
  if (threes >= 2) report.forbidden = Forbidden::DOUBLE_THREE;
}

std::vector<Run> Referee::winning_runs(Point p) const {
  std::vector<Run> runs;
  for (const Direction d : DIRECTIONS)
    if (const Run run = run_through(p, d); wins(run)) runs.push_back(run);
  return runs;
}

std::vector<Run> winning_runs(const Cells& cells, int size, Rule rule, Colour colour) {
  const Referee referee(cells, rule);
  std::vector<Run> runs;
  for (const Point p : board_points(size)) {
    if (cells[p] != colour) continue;
    for (const Run& run : referee.winning_runs(p))
      if (run.first == p) runs.push_back(run);  // each run once: at its first stone
  }
  return runs;
}

Outcome outcome_of_set_up(const Cells& cells, int size, Rule rule, Colour to_move) {
  for (const Colour colour : {opponent(to_move), to_move})
    if (auto runs = winning_runs(cells, size, rule, colour); !runs.empty())
      return {Ending::FIVE, colour, std::move(runs)};
  if (std::find(cells.begin(), cells.end(), EMPTY) == cells.end())
    return {Ending::FULL_BOARD, EMPTY, {}};
  return {};
}

Outcome outcome(const Board& board, Rule rule, int move_limit) {
  if (board.ply() == 0)
    return outcome_of_set_up(board.cells(), board.size(), rule, board.side_to_move());
  if (board.last_move() != NO_POINT) {
    if (auto runs = Referee(board.cells(), rule).winning_runs(board.last_move()); !runs.empty())
      return {Ending::FIVE, opponent(board.side_to_move()), std::move(runs)};
  }
  if (board.passed_twice()) return {Ending::PASSES, EMPTY, {}};
  if (board.is_full()) return {Ending::FULL_BOARD, EMPTY, {}};
  if (move_limit > 0 && board.ply() >= move_limit) return {Ending::MOVE_LIMIT, EMPTY, {}};
  return {};
}

std::vector<Point> legal_points(const Board& board, Rule rule) {
  Referee referee(board.cells(), rule);
  const bool may_be_forbidden = has_forbidden_moves(rule, board.side_to_move());
  std::vector<Point> points;
  for (const Point p : board_points(board.size())) {
    if (board.at(p) != EMPTY) continue;
    if (may_be_forbidden && referee.forbidden(p) != Forbidden::NONE) continue;
    points.push_back(p);
  }
  return points;
}

}  // namespace tengen
