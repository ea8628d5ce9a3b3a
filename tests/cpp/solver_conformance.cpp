// SPDX-License-Identifier: MIT
// The solvers on random positions, for every rule and both colours.
//
//  - VCF is complete and sound: it agrees with the plain four-search.
//  - Every win that VCF, VCT or the search with a quiet move claims, under small limits, has a
//  proof that
//    the referee accepts; and what was a win by fours is one by threats.
//  - What `defences` calls a refutation, VCF does not beat.
//  - On small boards, with and without a move limit, every answer of every goal is that of a plain
//  search.
//
// Prints what was met; exits 1 if anything is wrong.
//
//     solver_conformance POSITIONS_PER_RULE [THREADS] [SEED] [RULE]
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "base/parallel.h"
#include "plain_four_search.h"
#include "plain_threat_search.h"
#include "random_positions.h"
#include "solver/solver.h"

namespace {

using namespace tengen;

constexpr u64 PLAIN_POSITIONS = 3000;
constexpr u64 VCF_NODES = 200000;
constexpr u64 VCT_NODES = 20000;
constexpr size_t MEMORY = 4 << 20;
/// Expensive checks run on every n-th position.
constexpr u64 QUIET_EVERY = 16, DEFENCES_EVERY = 16;

constexpr u64 SMALL_POSITIONS = 20000, SMALL_NODES = 100000;
constexpr int MAX_QUIET = 2, LONGEST_LIMIT = 12;

struct Tally {
  u64 small = 0, small_wins = 0, small_left_out = 0;
  u64 positions = 0, compared = 0, gave_up = 0;
  u64 vcf_wins = 0, vct_wins = 0, quiet_wins = 0, unknown = 0, refutations = 0;
  u64 proof_nodes = 0, longest = 0, faults = 0;

  void add(const Tally& other) {
    positions += other.positions, compared += other.compared, gave_up += other.gave_up;
    vcf_wins += other.vcf_wins, vct_wins += other.vct_wins, quiet_wins += other.quiet_wins;
    unknown += other.unknown, refutations += other.refutations;
    proof_nodes += other.proof_nodes, longest = std::max(longest, other.longest);
    faults += other.faults, small += other.small, small_wins += other.small_wins;
    small_left_out += other.small_left_out;
  }
};

std::mutex output;

void print_board(const Cells& cells, int size, Rule rule, Colour attacker) {
  std::printf("rule %s, %s attacks\n", RULE_NAMES[static_cast<int>(rule)].data(),
              attacker == BLACK ? "black" : "white");
  for (int y = size - 1; y >= 0; --y) {
    std::printf("%2d  ", y + 1);
    for (int x = 0; x < size; ++x) std::printf(" %c", ".XO"[cells[make_point(x, y)]]);
    std::printf("\n");
  }
}

class Examiner {
 public:
  Examiner(int size, Rule rule, const Cells& cells, Colour attacker, Tally& tally)
      : size_(size),
        rule_(rule),
        cells_(cells),
        attacker_(attacker),
        tally_(tally),
        solver_(size, rule, MEMORY) {}

  void examine(u64 number) {
    const Solution by_fours = ask(Goal::VCF, 0, VCF_NODES);
    compare(by_fours.status);
    check(by_fours);
    tally_.vcf_wins += by_fours.status == SolveStatus::WIN;
    const Solution by_threats = ask(Goal::VCT, 0, VCT_NODES);
    check(by_threats);
    if (by_fours.status == SolveStatus::WIN && by_threats.status == SolveStatus::NO_WIN)
      fault("a win by fours, but none by threats");
    tally_.vct_wins += by_threats.status == SolveStatus::WIN && by_fours.status != SolveStatus::WIN;
    tally_.unknown += by_threats.status == SolveStatus::UNKNOWN;
    if (by_fours.status == SolveStatus::WIN) {
      if (number % DEFENCES_EVERY == 0) examine_defences();
    } else if (by_threats.status != SolveStatus::WIN && number % QUIET_EVERY == 0) {
      const Solution with_quiet = ask(Goal::ANY, 1, VCT_NODES);
      check(with_quiet);
      tally_.quiet_wins += with_quiet.status == SolveStatus::WIN;
    }
  }

 private:
  Solution ask(Goal goal, int quiet, u64 nodes) {
    return solver_.solve(
        cells_, attacker_, 0,
        {.goal = goal, .quiet = quiet, .limits = {0, nodes}, .cancel = nullptr, .hook = {}});
  }

  void compare(SolveStatus found) {
    const PlainAnswer plain = wins_by_fours(cells_, size_, rule_, attacker_, PLAIN_POSITIONS);
    if (plain == PlainAnswer::GAVE_UP || found == SolveStatus::UNKNOWN) {
      ++tally_.gave_up;
      return;
    }
    ++tally_.compared;
    if ((plain == PlainAnswer::YES) != (found == SolveStatus::WIN))
      fault(plain == PlainAnswer::YES ? "VCF misses a win" : "VCF claims a win that is none");
  }

  void check(const Solution& solution) {
    if (solution.status != SolveStatus::WIN) return;
    const ProofCheck result = verify(*solution.proof);
    tally_.proof_nodes += solution.proof->nodes.size();
    tally_.longest = std::max<u64>(tally_.longest, solution.proof->nodes.size());
    if (!result.is_valid) fault("a proof does not hold: " + result.error);
  }

  void examine_defences() {
    const Colour defender = opponent(attacker_);
    const Defences found = solver_.defences(
        cells_, defender, 0,
        {.goal = Goal::VCF, .quiet = 0, .limits = {0, VCF_NODES}, .cancel = nullptr, .hook = {}});
    check(found.threat);
    for (const Defence& defence : found.moves) {
      Cells after = cells_;
      after[defence.move] = defender;
      check(defence.attack);
      if (defence.attack.status != SolveStatus::NO_WIN) continue;
      ++tally_.refutations;
      if (Referee(cells_, rule_).makes_five(defence.move, defender)) continue;
      if (wins_by_fours(after, size_, rule_, attacker_, PLAIN_POSITIONS) == PlainAnswer::YES)
        fault("a refutation is none");
    }
  }

  void fault(const std::string& what) {
    const std::lock_guard guard(output);
    if (tally_.faults++ > 0) return;
    std::printf("%s: rule %s, %s attacks\n", what.c_str(),
                RULE_NAMES[static_cast<int>(rule_)].data(), attacker_ == BLACK ? "black" : "white");
    for (int y = size_ - 1; y >= 0; --y) {
      std::printf("%2d  ", y + 1);
      for (int x = 0; x < size_; ++x) std::printf(" %c", ".XO"[cells_[make_point(x, y)]]);
      std::printf("\n");
    }
  }

  int size_;
  Rule rule_;
  const Cells& cells_;
  Colour attacker_;
  Tally& tally_;
  Solver solver_;
};

/// A small board with any number of stones; fives are taken apart.
void fill_small_board(Rng& rng, int size, Rule rule, Colour attacker, Cells& cells) {
  const u32 filled = 20 + rng.below(70), for_attacker = 40 + rng.below(30);
  for (const Point p : board_points(size)) {
    if (rng.below(100) >= filled) continue;
    cells[p] = rng.below(100) < for_attacker ? attacker : opponent(attacker);
  }
  for (bool clean = false; !clean;) {
    clean = true;
    for (const Colour colour : {BLACK, WHITE})
      for (const Run& run : winning_runs(cells, size, rule, colour)) {
        const auto place = static_cast<int>(rng.below(static_cast<u32>(run.length)));
        cells[shifted(run.first, run.direction, place)] = EMPTY;
        clean = false;
      }
  }
}

/// One request about one small board, answered by a solver that may have been asked before, and
/// plainly.
void examine_small(Rng& rng, Rule rule, Solver& solver, int size, Tally& tally) {
  const Colour attacker = rng.below(2) ? BLACK : WHITE;
  Cells cells = empty_cells(size);
  fill_small_board(rng, size, rule, attacker, cells);
  if (outcome_of_set_up(cells, size, rule, attacker).ending != Ending::NONE) return;
  const int limit = rng.below(2) ? 1 + static_cast<int>(rng.below(LONGEST_LIMIT)) : 0;
  const auto goal = static_cast<Goal>(rng.below(3));
  const int quiet = goal == Goal::ANY ? static_cast<int>(rng.below(MAX_QUIET + 1)) : 0;
  const Solution found = solver.solve(
      cells, attacker, limit,
      {.goal = goal, .quiet = quiet, .limits = {0, SMALL_NODES}, .cancel = nullptr, .hook = {}});
  if (found.status == SolveStatus::WIN && !verify(*found.proof).is_valid) ++tally.faults;
  PlainThreatSearch plain(cells, size, rule, attacker, limit, SMALL_POSITIONS);
  const bool wins = goal == Goal::VCF ? plain.wins_by_fours() : plain.wins(quiet);
  ++tally.small;
  const bool unknown = found.status == SolveStatus::UNKNOWN;
  if (plain.gave_up() || (unknown && found.stop_reason == StopReason::NODES)) {
    ++tally.small_left_out;
    return;
  }
  tally.small_wins += wins;
  if (!unknown && wins == (found.status == SolveStatus::WIN)) return;
  const std::lock_guard guard(output);
  if (tally.faults++ > 0) return;
  std::printf("goal %d, %d quiet, %d moves left: %s\n", static_cast<int>(goal), quiet, limit,
              unknown ? "no answer"
              : wins  ? "a win is missed"
                      : "a win that is none");
  print_board(cells, size, rule, attacker);
}

/// One position in four is wild; the others are middle games. Those in which a side has won are
/// passed over, and most of those with a five at hand.
bool make_position(Rng& rng, Rule rule, int& size, Cells& cells, Colour& attacker) {
  size = random_size(rng);
  cells = empty_cells(size);
  const auto stones =
      rng.below(4) == 0 ? random_stones(rng, size) : random_middle_game(rng, size, rule);
  for (const Placed& stone : stones) cells[stone.point] = stone.colour;
  attacker = rng.below(2) ? BLACK : WHITE;
  if (outcome_of_set_up(cells, size, rule, attacker).ending != Ending::NONE) return false;
  PatternBoard patterns(size, rule);
  patterns.assign(cells);
  return patterns.count(attacker, Threat::FIVE) == 0 || rng.below(8) == 0;
}

Tally run(Rule rule, size_t positions, int threads, u64 seed) {
  Tally total;
  std::mutex lock;
  pattern_tables(rule);
  parallel_ranges(positions, threads, [&](size_t first, size_t last) {
    Tally tally;
    const int small_size = 5 + static_cast<int>(first / 64 % 3);
    Solver small_solver(small_size, rule, Solver::MIN_MEMORY);
    for (size_t i = first; i < last; ++i) {
      Rng rng(seed + i * 0x9E3779B97F4A7C15ULL + static_cast<u64>(rule));
      int size;
      Cells cells;
      Colour attacker;
      while (!make_position(rng, rule, size, cells, attacker)) continue;
      Examiner(size, rule, cells, attacker, tally).examine(i);
      ++tally.positions;
      examine_small(rng, rule, small_solver, small_size, tally);
    }
    const std::lock_guard guard(lock);
    total.add(tally);
  });
  return total;
}

void print(Rule rule, const Tally& t) {
  const auto n = [](u64 value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%-10s positions %llu; VCF compared %llu, left out %llu; wins by fours %llu, by threats "
      "alone "
      "%llu, with a quiet move %llu, unknown %llu; refutations %llu; proof nodes %llu, largest "
      "%llu; "
      "small boards %llu, wins %llu, left out %llu; faults %llu\n",
      RULE_NAMES[static_cast<int>(rule)].data(), n(t.positions), n(t.compared), n(t.gave_up),
      n(t.vcf_wins), n(t.vct_wins), n(t.quiet_wins), n(t.unknown), n(t.refutations),
      n(t.proof_nodes), n(t.longest), n(t.small), n(t.small_wins), n(t.small_left_out),
      n(t.faults));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: solver_conformance POSITIONS_PER_RULE [THREADS] [SEED] [RULE]\n");
    return 2;
  }
  const size_t positions = std::strtoull(argv[1], nullptr, 10);
  const int threads = argc > 2 ? std::atoi(argv[2]) : 0;
  const u64 seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::string only = argc > 4 ? argv[4] : "";
  u64 faults = 0;
  for (int r = 0; r < RULE_NB; ++r) {
    if (!only.empty() && only != RULE_NAMES[r]) continue;
    const Tally tally = run(static_cast<Rule>(r), positions, threads, seed);
    print(static_cast<Rule>(r), tally);
    std::fflush(stdout);
    faults += tally.faults;
  }
  std::printf("%s\n", faults == 0 ? "all wins verify, all answers agree" : "FAULTS");
  return faults == 0 ? 0 : 1;
}
