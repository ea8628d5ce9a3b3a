// SPDX-License-Identifier: MIT
#include "page/attempt.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "game/proof_tree.h"

namespace tengen::page {

namespace {

constexpr double TIME = 3;  ///< seconds of a search

/// The empty points where the colour makes a five.
std::vector<Point> fives_of(const Board& board, Rule rule, Colour colour) {
  Referee referee(board.cells(), rule);
  std::vector<Point> fives;
  for (const Point p : board_points(board.size()))
    if (board.at(p) == EMPTY && referee.makes_five(p, colour)) fives.push_back(p);
  return fives;
}

class AttemptCheck {
 public:
  AttemptCheck(Solver& solver, const PagePosition& position, Goal goal,
               const std::atomic<bool>& cancel)
      : solver_(solver),
        board_(position.board),
        rule_(position.rule),
        defender_(board_.side_to_move()) {
    search_.goal = goal;
    search_.limits.seconds = TIME;
    search_.cancel = &cancel;
    solver_.set_game(board_.size(), rule_);
  }

  Attempt result() {
    const Colour attacker = opponent(defender_);
    if (const Outcome ended = outcome(board_, rule_); ended.ending != Ending::NONE)
      return {ended.winner == attacker ? "solved" : "wrong"};
    if (const auto fives = fives_of(board_, rule_, defender_); !fives.empty())
      return {"wrong", "five", fives.front()};
    if (const auto fives = fives_of(board_, rule_, attacker); !fives.empty())
      return reply_to_four(fives);
    if (search_.goal == Goal::VCF) return {"wrong", "no_threat"};
    return reply_to_threat();
  }

 private:
  Attempt reply_to_four(const std::vector<Point>& fives) {
    const std::vector<Point> legal = legal_points(board_, rule_);
    bool is_answered = false;
    for (const Point p : fives) {
      if (std::find(legal.begin(), legal.end(), p) == legal.end()) continue;
      is_answered = true;
      if (!add(p, solve_after(p))) return {"wrong", "defence", p};
    }
    // The only answer is forbidden: every move loses.
    if (!is_answered) longest_ = legal.empty() ? NO_POINT : legal.front();
    return {"right", {}, {}, longest_};
  }

  /// To an open three, or another threat that is no four.
  Attempt reply_to_threat() {
    Defences found = solver_.defences(board_.cells(), defender_, 0, search_);
    if (found.threat.status != SolveStatus::WIN) return {"wrong", "no_threat"};
    for (Defence& defence : found.moves) {
      if (defence.attack.status == SolveStatus::UNKNOWN)  // the time was for all of them
        defence.attack = solve_after(defence.move);
      if (!add(defence.move, defence.attack)) return {"wrong", "defence", defence.move};
    }
    return {"right", {}, {}, longest_};
  }

  Solution solve_after(Point p) {
    Board after = board_;
    after.play(p);
    return solver_.solve(after.cells(), after.side_to_move(), 0, search_);
  }

  /// Adds a reply; false if the attack is no longer a win.
  bool add(Point reply, const Solution& attack) {
    if (!attack.proof) return false;
    const int bound = ProofTree(*attack.proof).bound(0);
    if (bound > bound_) {
      bound_ = bound;
      longest_ = reply;
    }
    return true;
  }

  Solver& solver_;
  Board board_;
  Rule rule_;
  Colour defender_;
  SolveRequest search_;
  Point longest_ = NO_POINT;  ///< the reply that resists longest so far
  int bound_ = -1;            ///< its number of moves
};

}  // namespace

Attempt check_attempt(Solver& solver, const PagePosition& position, Goal goal,
                      const std::atomic<bool>& cancel) {
  return AttemptCheck(solver, position, goal, cancel).result();
}

}  // namespace tengen::page
