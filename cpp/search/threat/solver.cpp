// SPDX-License-Identifier: MIT
#include "search/threat/solver.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(SOLVE_VCF_NODES, 20000, 1000, 1000000, 4000,
        "plays of the first attempt by fours; eightfold each round");
TUNABLE(SOLVE_THREATS_NODES, 200000, 1000, 4000000, 40000,
        "plays of the first attempt by any threats");

constexpr u64 MOST_EFFORT = u64{1} << 40;

/// Stacks and the like, beside the tables.
constexpr size_t FIXED_BYTES = 384 << 10;

size_t table_memory(size_t memory) { return memory - FIXED_BYTES; }

}  // namespace

// A quarter goes to the fours, an eighth is left for proofs in the making.
Solver::Solver(int size, Rule rule, size_t memory_bytes)
    : memory_(memory_bytes),
      board_(size, rule),
      vcf_(table_memory(memory_bytes) / 4),
      pn_(table_memory(memory_bytes) / 8 * 5, vcf_) {}

void Solver::set_game(int size, Rule rule) {
  if (board_.size() != size || board_.rule() != rule) board_ = ThreatBoard(size, rule);
}

size_t Solver::memory_used() const { return FIXED_BYTES + vcf_.table_bytes() + pn_.table_bytes(); }

SolverProgress Solver::progress(const Watch& watch) const {
  return {watch.nodes(), std::max(vcf_.depth(), pn_.depth()), watch.seconds(), pn_.best()};
}

Solution Solver::solve(const Cells& cells, Colour attacker, int moves_left,
                       const Question& question) {
  Watch watch = make_watch(question);
  watched_ = &watch;
  forget();
  return ask(cells, attacker, moves_left, question, watch);
}

/// The answer to a question must not depend on the questions before it.
void Solver::forget() {
  vcf_.clear();
  pn_.clear();
}

Watch Solver::make_watch(const Question& question) {
  Watch::Hook hook;
  if (question.hook) hook = [this, &question] { return question.hook(progress(*watched_)); };
  return Watch(question.limits, question.cancel, hook);
}

Solution Solver::ask(const Cells& cells, Colour attacker, int moves_left, const Question& question,
                     Watch& watch) {
  const u64 nodes_before = watch.nodes();
  const double seconds_before = watch.seconds();
  board_.assign(cells, moves_left);
  pn_.start_question();
  Solution solution;
  solution.finding = watch.check() ? search(attacker, question, watch) : Finding::UNKNOWN;
  if (solution.finding == Finding::WIN) {
    ProofBuilder builder(board_, attacker);
    if (by_fours_) builder.add_tree(vcf_.tree());
    if (by_fours_ || pn_.build(builder, table_memory(memory_) / 8, watch))
      solution.proof = builder.finish(cells, moves_left);
    else
      solution.finding = Finding::UNKNOWN;
  }
  // Without a limit it is a win that could not be written down.
  if (solution.finding == Finding::UNKNOWN)
    solution.ended_by = watch.stopped() ? watch.ended_by() : EndedBy::MEMORY;
  solution.nodes = watch.nodes() - nodes_before;
  solution.seconds = watch.seconds() - seconds_before;
  solution.depth = progress(watch).depth;
  if (solution.proof)
    solution.best = solution.proof->nodes[0].move;
  else if (solution.finding == Finding::UNKNOWN)
    solution.best = pn_.best();
  return solution;
}

Finding Solver::search(Colour attacker, const Question& question, Watch& watch) {
  if (question.goal == Goal::VCF) {
    by_fours_ = true;
    return vcf_.search(board_, attacker, 0, watch);
  }
  return search_by_threats(attacker, question.goal == Goal::ANY ? question.quiet : 0, watch);
}

/// Fours, threats, and threats with more and more quiet moves in turn, with growing effort: each
/// finds wins that the others would take long for.
Finding Solver::search_by_threats(Colour attacker, int most_quiet, Watch& watch) {
  Finding fours = Finding::UNKNOWN;
  for (u64 effort = 1; watch.check(); effort = std::min(effort * 8, MOST_EFFORT)) {
    if (fours == Finding::UNKNOWN)
      fours = vcf_.search(board_, attacker, SOLVE_VCF_NODES * effort, watch);
    by_fours_ = fours == Finding::WIN;
    if (by_fours_) return fours;
    for (int quiet = 0; quiet <= most_quiet; ++quiet) {
      const Finding found =
          pn_.search(board_, attacker, quiet, SOLVE_THREATS_NODES * effort, watch);
      const bool decided = found == Finding::WIN || quiet == most_quiet;
      if (decided && found != Finding::UNKNOWN) return found;
    }
    if (pn_.is_cut()) pn_.widen();
  }
  return Finding::UNKNOWN;
}

Defences Solver::defences(const Cells& cells, Colour defender, int moves_left,
                          const Question& question) {
  Watch watch = make_watch(question);
  watched_ = &watch;
  forget();
  const Colour attacker = opponent(defender);
  const int left_after = moves_left > 1 ? moves_left - 1 : 0;
  Defences answer;
  if (moves_left == 1) {  // the defender's move ends the game
    answer.threat.finding = Finding::NO_WIN;
    return answer;
  }
  answer.threat = ask(cells, attacker, left_after, question, watch);
  if (answer.threat.finding != Finding::WIN) return answer;
  Referee referee(cells, board_.rule());
  Cells after = cells;
  for (const Point p : board_points(board_.size())) {
    if (cells[p] != EMPTY) continue;
    const Verdict verdict = referee.judge(p, defender);
    if (verdict.forbidden != Forbidden::NONE) continue;
    after[p] = defender;
    Defence defence{p, {}};
    if (verdict.five)
      defence.attack.finding = Finding::NO_WIN;
    else
      defence.attack = ask(after, attacker, left_after, question, watch);
    answer.moves.push_back(std::move(defence));
    after[p] = EMPTY;
  }
  return answer;
}

}  // namespace tengen
