// SPDX-License-Identifier: MIT
// The solver facade: whether the side to move wins by force, with a proof. Runs the solvers in
// order of cost.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "solver/pn_search.h"

namespace tengen {

/// Means by which the attacker may win.
enum class Goal : u8 {
  VCF,  ///< fours only
  VCT,  ///< fours, open threes, and other moves that threaten a VCF
  ANY,  ///< the same and a limited number of quiet moves per line
};

/// Progress of a solver.
struct SolverProgress {
  u64 nodes;
  int depth;
  double seconds;
  Point best;
};

struct SolveRequest {
  Goal goal = Goal::VCT;
  int quiet = 0;  ///< for Goal::ANY
  Limits limits;
  const std::atomic<bool>* cancel = nullptr;
  /// Called about every 50 ms; returning false ends the search. May be empty.
  std::function<bool(const SolverProgress&)> hook;
};

struct Solution {
  SolveStatus status = SolveStatus::UNKNOWN;
  StopReason stop_reason = StopReason::FINISHED;
  u64 nodes = 0;
  double seconds = 0;
  int depth = 0;  ///< deepest ply reached
  Point best = NO_POINT;
  std::optional<Proof> proof;  ///< of a win
};

/// A reply of the defender to a threat.
struct Defence {
  Point move;
  Solution attack;  ///< of the opponent, after the move
};

struct Defences {
  Solution threat;  ///< of the opponent, after a pass
  std::vector<Defence> moves;
};

class Solver {
 public:
  static constexpr size_t MIN_MEMORY = 1 << 20;

  /// Memory limit, not including returned proofs. Requires at least MIN_MEMORY.
  Solver(int size, Rule rule, size_t memory_bytes);

  /// Switches to another board size or rule.
  void set_game(int size, Rule rule);

  /// Whether the side to move wins. Requires that the game is not over. `moves_left`: the game is
  /// drawn after that many more moves; 0: no limit.
  Solution solve(const Cells& cells, Colour attacker, int moves_left, const SolveRequest& request);

  /// Moves of the side to move that refute the opponent's threat. The limits hold for all of them
  /// together; moves not searched are UNKNOWN.
  Defences defences(const Cells& cells, Colour defender, int moves_left,
                    const SolveRequest& request);

  size_t memory_used() const;

 private:
  Solution search_board(const Cells& cells, Colour attacker, int moves_left,
                        const SolveRequest& request, StopCondition& stop_condition);
  SolveStatus search(Colour attacker, const SolveRequest& request, StopCondition& stop_condition);
  SolveStatus search_by_threats(Colour attacker, int max_quiet, StopCondition& stop_condition);
  void clear_tables();
  StopCondition make_stop_condition(const SolveRequest& request);
  SolverProgress progress(const StopCondition& stop_condition) const;

  size_t memory_;
  ThreatBoard board_;
  Vcf vcf_;
  PnSearch pn_;
  bool is_vcf_ = false;  ///< the last win is a VCF
  const StopCondition* stop_condition_ = nullptr;
};

}  // namespace tengen
