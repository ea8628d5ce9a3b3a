// SPDX-License-Identifier: MIT
#include "solver/solver.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(SOLVE_VCF_NODES, 20000, 1000, 1000000, 4000,
        "nodes of the first VCF; eight times as many in each round");
TUNABLE(SOLVE_THREATS_NODES, 200000, 1000, 4000000, 40000, "nodes of the first threat search");

constexpr u64 MAX_BUDGET_FACTOR = u64{1} << 40;

/// Memory besides the tables.
constexpr size_t FIXED_BYTES = 384 << 10;

size_t table_memory(size_t memory) { return memory - FIXED_BYTES; }

}  // namespace

// A quarter for VCF, an eighth for proofs under construction.
Solver::Solver(int size, Rule rule, size_t memory_bytes)
    : memory_(memory_bytes),
      board_(size, rule),
      vcf_(table_memory(memory_bytes) / 4),
      pn_(table_memory(memory_bytes) / 8 * 5, vcf_) {}

void Solver::set_game(int size, Rule rule) {
  if (board_.size() != size || board_.rule() != rule) board_ = ThreatBoard(size, rule);
}

size_t Solver::memory_used() const { return FIXED_BYTES + vcf_.table_bytes() + pn_.table_bytes(); }

SolverProgress Solver::progress(const StopCondition& stop_condition) const {
  return {stop_condition.nodes(), std::max(vcf_.depth(), pn_.depth()), stop_condition.seconds(),
          pn_.best()};
}

Solution Solver::solve(const Cells& cells, Colour attacker, int moves_left,
                       const SolveRequest& request) {
  StopCondition stop_condition = make_stop_condition(request);
  stop_condition_ = &stop_condition;
  clear_tables();
  return search_board(cells, attacker, moves_left, request, stop_condition);
}

/// A result must not depend on earlier requests.
void Solver::clear_tables() {
  vcf_.clear();
  pn_.clear();
}

StopCondition Solver::make_stop_condition(const SolveRequest& request) {
  StopCondition::Hook hook;
  if (request.hook) hook = [this, &request] { return request.hook(progress(*stop_condition_)); };
  return StopCondition(request.limits, request.cancel, hook);
}

Solution Solver::search_board(const Cells& cells, Colour attacker, int moves_left,
                              const SolveRequest& request, StopCondition& stop_condition) {
  const u64 nodes_before = stop_condition.nodes();
  const double seconds_before = stop_condition.seconds();
  board_.assign(cells, moves_left);
  pn_.reset_statistics();
  Solution solution;
  solution.status =
      stop_condition.check() ? search(attacker, request, stop_condition) : SolveStatus::UNKNOWN;
  if (solution.status == SolveStatus::WIN) {
    ProofBuilder builder(board_, attacker);
    if (is_vcf_) builder.add_tree(vcf_.tree());
    if (is_vcf_ || pn_.build(builder, table_memory(memory_) / 8, stop_condition))
      solution.proof = builder.finish(cells, moves_left);
    else
      solution.status = SolveStatus::UNKNOWN;
  }
  // Without a limit: the proof does not fit into the memory.
  if (solution.status == SolveStatus::UNKNOWN)
    solution.stop_reason =
        stop_condition.stopped() ? stop_condition.stop_reason() : StopReason::MEMORY;
  solution.nodes = stop_condition.nodes() - nodes_before;
  solution.seconds = stop_condition.seconds() - seconds_before;
  solution.depth = progress(stop_condition).depth;
  if (solution.proof)
    solution.best = solution.proof->nodes[0].move;
  else if (solution.status == SolveStatus::UNKNOWN)
    solution.best = pn_.best();
  return solution;
}

SolveStatus Solver::search(Colour attacker, const SolveRequest& request,
                           StopCondition& stop_condition) {
  if (request.goal == Goal::VCF) {
    is_vcf_ = true;
    return vcf_.search(board_, attacker, 0, stop_condition);
  }
  return search_by_threats(attacker, request.goal == Goal::ANY ? request.quiet : 0, stop_condition);
}

/// VCF, threats, and threats with more quiet moves in turn, with growing budgets: each finds
/// wins that the others are slow to find.
SolveStatus Solver::search_by_threats(Colour attacker, int max_quiet,
                                      StopCondition& stop_condition) {
  SolveStatus vcf_status = SolveStatus::UNKNOWN;
  for (u64 budget_factor = 1; stop_condition.check();
       budget_factor = std::min(budget_factor * 8, MAX_BUDGET_FACTOR)) {
    if (vcf_status == SolveStatus::UNKNOWN)
      vcf_status = vcf_.search(board_, attacker, SOLVE_VCF_NODES * budget_factor, stop_condition);
    is_vcf_ = vcf_status == SolveStatus::WIN;
    if (is_vcf_) return vcf_status;
    for (int quiet = 0; quiet <= max_quiet; ++quiet) {
      const SolveStatus status =
          pn_.search(board_, attacker, quiet, SOLVE_THREATS_NODES * budget_factor, stop_condition);
      const bool conclusive = status == SolveStatus::WIN || quiet == max_quiet;
      if (conclusive && status != SolveStatus::UNKNOWN) return status;
    }
    if (pn_.is_incomplete()) pn_.increase_threat_budget();
  }
  return SolveStatus::UNKNOWN;
}

Defences Solver::defences(const Cells& cells, Colour defender, int moves_left,
                          const SolveRequest& request) {
  StopCondition stop_condition = make_stop_condition(request);
  stop_condition_ = &stop_condition;
  clear_tables();
  const Colour attacker = opponent(defender);
  const int moves_left_after = moves_left > 1 ? moves_left - 1 : 0;
  Defences result;
  if (moves_left == 1) {  // the defender's move ends the game
    result.threat.status = SolveStatus::NO_WIN;
    return result;
  }
  result.threat = search_board(cells, attacker, moves_left_after, request, stop_condition);
  if (result.threat.status != SolveStatus::WIN) return result;
  Referee referee(cells, board_.rule());
  Cells after = cells;
  for (const Point p : board_points(board_.size())) {
    if (cells[p] != EMPTY) continue;
    const PointReport report = referee.classify(p, defender);
    if (report.forbidden != Forbidden::NONE) continue;
    after[p] = defender;
    Defence defence{p, {}};
    if (report.five)
      defence.attack.status = SolveStatus::NO_WIN;
    else
      defence.attack = search_board(after, attacker, moves_left_after, request, stop_condition);
    result.moves.push_back(std::move(defence));
    after[p] = EMPTY;
  }
  return result;
}

}  // namespace tengen
