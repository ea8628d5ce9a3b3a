// SPDX-License-Identifier: MIT
// Speed of the solvers on one thread, 15x15, CPU time: VCF in long and short searches, VCT, and
// allocations of VCF. A node is one play. Prints one line per benchmark: name, median, spread over
// the rounds.
//
//     bench_solvers [rounds]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "allocations.h"
#include "solver/solver.h"
#include "tactical_positions.h"

namespace {

using namespace tengen;

constexpr int SIZE = 15;
constexpr u64 LONG_NODES = 20000;  ///< limit of one search
constexpr u64 SHORT_NODES = 200;   ///< the same as in a game-playing search
constexpr size_t VCF_BYTES = 4 << 20;
constexpr size_t SOLVER_BYTES = 16 << 20;

/// What is measured for each rule; renju differs by colour.
struct Side {
  const char* name;
  Rule rule;
  Colour attacker;
};
constexpr Side SIDES[] = {{"freestyle", Rule::FREESTYLE, BLACK},
                          {"standard", Rule::STANDARD, BLACK},
                          {"renju black", Rule::RENJU, BLACK},
                          {"renju white", Rule::RENJU, WHITE},
                          {"caro", Rule::CARO, BLACK}};

/// Processor time of this thread in seconds: on a shared machine it is steadier than the clock on
/// the wall.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Keeps the compiler from dropping what was computed.
u64 sink = 0;

/// What a round did. `items`: positions, or calls.
struct Work {
  u64 nodes = 0;
  u64 items = 0;
  double seconds = 0;
};

/// Long searches for a win by fours, with tables that start empty.
Work search_vcf(const Side& side, const std::vector<TacticalPosition>& positions) {
  Vcf vcf(VCF_BYTES);
  ThreatBoard board(SIZE, side.rule);
  Work work;
  for (const TacticalPosition& position : positions) {
    board.assign(position.cells, 0);
    StopCondition stop_condition;
    const double start = thread_seconds();
    sink += static_cast<u64>(vcf.search(board, side.attacker, LONG_NODES, stop_condition));
    work.seconds += thread_seconds() - start;
    work.nodes += stop_condition.nodes();
    ++work.items;
  }
  return work;
}

/// Lays the stones one by one on a board that holds none, and asks about either colour after each,
/// as a search does along its lines; then takes them back. The plays are part of the time.
Work search_along_games(ThreatBoard& board, Vcf& vcf,
                        const std::vector<TacticalPosition>& positions) {
  Work work;
  StopCondition stop_condition;
  const double start = thread_seconds();
  for (const TacticalPosition& position : positions) {
    for (const auto& [point, colour] : position.stones) {
      board.play(point, colour);
      for (const Colour attacker : {BLACK, WHITE}) {
        sink += static_cast<u64>(vcf.search(board, attacker, SHORT_NODES, stop_condition));
        ++work.items;
      }
    }
    for (size_t i = position.stones.size(); i-- > 0;)
      board.undo(position.stones[i].point, position.stones[i].colour);
  }
  work.seconds = thread_seconds() - start;
  work.nodes = stop_condition.nodes();
  return work;
}

Work search_along_games(const Side& side, const std::vector<TacticalPosition>& positions) {
  Vcf vcf(VCF_BYTES);
  ThreatBoard board(SIZE, side.rule);
  board.assign(empty_cells(SIZE), 0);
  return search_along_games(board, vcf, positions);
}

/// Wins by threats, one solver for all positions. It starts with empty tables.
Work solve_by_threats(const Side& side, const std::vector<TacticalPosition>& positions) {
  Solver solver(SIZE, side.rule, SOLVER_BYTES);
  SolveRequest request;
  request.goal = Goal::VCT;
  request.limits.nodes = LONG_NODES;
  Work work;
  const double start = thread_seconds();
  for (const TacticalPosition& position : positions) {
    const Solution solution = solver.solve(position.cells, side.attacker, 0, request);
    sink += static_cast<u64>(solution.status);
    work.nodes += solution.nodes;
    ++work.items;
  }
  work.seconds = thread_seconds() - start;
  return work;
}

void print(const std::string& name, const char* unit, std::vector<double> results) {
  std::sort(results.begin(), results.end());
  std::printf("%-24s median %12.0f %s  (min %.0f, max %.0f, %zu rounds)\n", name.c_str(),
              results[results.size() / 2], unit, results.front(), results.back(), results.size());
  std::fflush(stdout);
}

enum Shown { NODES = 1, ITEMS = 2 };

template <typename Measure>
void report(const std::string& name, int shown, const char* item, int rounds, Measure measure) {
  measure();  // warm-up
  std::vector<double> nodes, items;
  for (int i = 0; i < rounds; ++i) {
    const Work work = measure();
    nodes.push_back(static_cast<double>(work.nodes) / work.seconds);
    items.push_back(static_cast<double>(work.items) / work.seconds);
  }
  if (shown & NODES) print(name, "nodes/s", nodes);
  if (shown & ITEMS) print(name, item, items);
}

/// The control of the count below: to make a solver takes allocations.
bool can_count() {
  const CountAllocations counted;
  const Vcf vcf(VCF_BYTES);
  return counted.count() > 0;
}

/// Thousands of short searches, and the plays between them, on a board and with tables that have
/// seen them once.
u64 allocations_after_warm_up(const Side& side, const std::vector<TacticalPosition>& positions) {
  Vcf vcf(VCF_BYTES);
  ThreatBoard board(SIZE, side.rule);
  board.assign(empty_cells(SIZE), 0);
  search_along_games(board, vcf, positions);
  vcf.clear();  // else the table would answer everything
  const CountAllocations counted;
  search_along_games(board, vcf, positions);
  return counted.count();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  std::vector<std::vector<TacticalPosition>> fights, games;
  for (const Side& side : SIDES) {
    fights.push_back(tactical_positions(1, 200, SIZE, side.rule, side.attacker, 7));
    games.push_back(tactical_positions(2, 100, SIZE, side.rule, side.attacker, 3));
  }
  for (size_t i = 0; i < std::size(SIDES); ++i)
    report(std::string("vcf ") + SIDES[i].name, NODES, "", rounds,
           [&] { return search_vcf(SIDES[i], fights[i]); });
  for (size_t i = 0; i < std::size(SIDES); ++i)
    report(std::string("vcf short ") + SIDES[i].name, ITEMS, "calls/s", rounds,
           [&] { return search_along_games(SIDES[i], games[i]); });
  for (size_t i = 0; i < std::size(SIDES); ++i)
    report(std::string("vct ") + SIDES[i].name, NODES | ITEMS, "positions/s", rounds,
           [&] { return solve_by_threats(SIDES[i], games[i]); });
  if (!can_count()) std::printf("vcf allocations cannot be counted here\n");
  u64 allocations = 0;
  for (size_t i = 0; i < std::size(SIDES); ++i)
    allocations += allocations_after_warm_up(SIDES[i], games[i]);
  std::printf("vcf allocations after warm-up  %llu\n",
              static_cast<unsigned long long>(allocations));
  return sink == 42;  // the sum is used, so nothing was optimised away
}
