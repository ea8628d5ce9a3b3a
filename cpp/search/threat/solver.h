// SPDX-License-Identifier: MIT
// One question, one answer: can the side to move win by force, and by what proof? Puts the solvers
// together in the order of their cost. Relies on vcf.h and pn_search.h; bind/ and the engine ask
// it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/threat/pn_search.h"

namespace tengen {

/// By what means the attacker may win.
enum class Goal : u8 {
  VCF,  ///< fours alone
  VCT,  ///< fours, open threes, and any other move that threatens a win by fours
  ANY,  ///< the same, and quiet moves up to a given number in a line
};

/// How far a solver has come.
struct SolverProgress {
  u64 nodes;
  int depth;
  double seconds;
  Point best;
};

struct Question {
  Goal goal = Goal::VCT;
  int quiet = 0;  ///< for Goal::ANY
  Limits limits;
  const std::atomic<bool>* cancel = nullptr;
  /// Called about every 50 ms; a false answer ends the search. May be empty.
  std::function<bool(const SolverProgress&)> hook;
};

struct Solution {
  Finding finding = Finding::UNKNOWN;
  EndedBy ended_by = EndedBy::FINISHED;
  u64 nodes = 0;
  double seconds = 0;
  int depth = 0;  ///< deepest ply that was reached
  Point best = NO_POINT;
  std::optional<Proof> proof;  ///< of a win
};

/// What the defender, who is to move, can do against a threat.
struct Defence {
  Point move;
  Solution attack;  ///< of the opponent, after the move
};

struct Defences {
  Solution threat;  ///< what the opponent could do after a pass
  std::vector<Defence> moves;
};

class Solver {
 public:
  static constexpr size_t LEAST_MEMORY = 1 << 20;

  /// All memory together stays below `memory_bytes`, proofs that were handed out aside. Requires at
  /// least LEAST_MEMORY.
  Solver(int size, Rule rule, size_t memory_bytes);

  /// Turns to boards of another size or rule.
  void set_game(int size, Rule rule);

  /// Can the side to move win? Requires a position in which the game is not over. `moves_left`: the
  /// game is drawn after so many more moves; 0: no such limit.
  Solution solve(const Cells& cells, Colour attacker, int moves_left, const Question& question);

  /// Which moves of the side to move refute what the opponent threatens? The limits hold for all of
  /// it together; moves there was no time for are UNKNOWN.
  Defences defences(const Cells& cells, Colour defender, int moves_left, const Question& question);

  size_t memory_used() const;

 private:
  Solution ask(const Cells& cells, Colour attacker, int moves_left, const Question& question,
               Watch& watch);
  Finding search(Colour attacker, const Question& question, Watch& watch);
  Finding search_by_threats(Colour attacker, int most_quiet, Watch& watch);
  void forget();
  Watch make_watch(const Question& question);
  SolverProgress progress(const Watch& watch) const;

  size_t memory_;
  ThreatBoard board_;
  Vcf vcf_;
  PnSearch pn_;
  bool by_fours_ = false;  ///< the win that was found last is one by fours
  const Watch* watched_ = nullptr;
};

}  // namespace tengen
