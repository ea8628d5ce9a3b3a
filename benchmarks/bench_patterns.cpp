// SPDX-License-Identifier: MIT
// Speed of the patterns on one thread, 15x15: play+undo with everything read after each play, and
// all forbidden points of renju middle games. Prints one line per benchmark: name, median, spread
// over the rounds.
//
//     bench_patterns [rounds] [games]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/rng.h"
#include "game/rules.h"
#include "pattern/pattern_board.h"

namespace {

using namespace tengen;

constexpr int SIZE = 15;

/// Processor time of this thread in seconds: on a shared machine it is steadier than the clock on
/// the wall.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Keeps the compiler from dropping what was computed.
u64 sink = 0;

/// Moves of games between two players who stay near the stones that are there: shapes as they occur
/// in play.
std::vector<std::vector<Point>> make_games(int count, int moves, u64 seed) {
  Rng rng(seed);
  std::vector<std::vector<Point>> games;
  for (int g = 0; g < count; ++g) {
    Board board(SIZE);
    board.play(make_point(SIZE / 2, SIZE / 2));
    while (board.ply() < moves) {
      const Point near = board.moves()[rng.below(static_cast<u32>(board.ply()))];
      const int x = x_of(near) + static_cast<int>(rng.below(5)) - 2;
      const int y = y_of(near) + static_cast<int>(rng.below(5)) - 2;
      if (x < 0 || y < 0 || x >= SIZE || y >= SIZE) continue;
      if (const Point p = make_point(x, y); board.at(p) == EMPTY) board.play(p);
    }
    games.push_back(board.moves());
  }
  return games;
}

/// Reads every class of both colours and all counts, as an evaluation would.
u64 read_everything(const PatternBoard& patterns) {
  u64 sum = 0;
  const ThreatPair* const classes = patterns.threat_row(0);  // the rows lie one after the other
  for (int i = 0; i < SIZE * GRID; i += 8) {
    u64 eight;
    std::memcpy(&eight, classes + i, 8);
    sum += eight;
  }
  for (const Colour colour : {BLACK, WHITE})
    for (const u16 count : patterns.counts(colour)) sum += count;
  return sum;
}

/// Tries every empty point once in positions of all stages, as a search does. Returns pairs a
/// second.
double play_undo(Rule rule, const std::vector<std::vector<Point>>& games) {
  u64 pairs = 0;
  double seconds = 0;
  for (const auto& moves : games) {
    PatternBoard patterns(SIZE, rule);
    Board board(SIZE);
    for (size_t ply = 0; ply < moves.size(); ++ply) {
      const double start = thread_seconds();
      for (size_t next = ply; next < moves.size(); ++next) {
        patterns.play(moves[next], board.side_to_move());
        sink += read_everything(patterns);
        patterns.undo();
      }
      seconds += thread_seconds() - start;
      pairs += moves.size() - ply;
      patterns.play(moves[ply], board.side_to_move());
      board.play(moves[ply]);
    }
  }
  return static_cast<double>(pairs) / seconds;
}

/// All forbidden points of middle games whose patterns are in place. Returns boards per second.
double forbidden_points(const std::vector<std::vector<Point>>& games) {
  std::vector<PatternBoard> boards;
  for (const auto& moves : games) {
    PatternBoard& patterns = boards.emplace_back(SIZE, Rule::RENJU);
    Colour colour = BLACK;
    for (const Point p : moves) {
      patterns.play(p, colour);
      colour = opponent(colour);
    }
  }
  constexpr int REPEATS = 200;
  const double start = thread_seconds();
  for (int repeat = 0; repeat < REPEATS; ++repeat)
    for (const PatternBoard& patterns : boards)
      patterns.for_each_forbidden(
          [](Point p, Forbidden why) { sink += p * static_cast<u64>(why); });
  return static_cast<double>(boards.size()) * REPEATS / (thread_seconds() - start);
}

template <typename Measure>
void report(const std::string& name, const char* unit, int rounds, Measure measure) {
  measure();  // warm-up
  std::vector<double> results;
  for (int i = 0; i < rounds; ++i) results.push_back(measure());
  std::sort(results.begin(), results.end());
  std::printf("%-24s median %12.0f %s  (min %.0f, max %.0f, %d rounds)\n", name.c_str(),
              results[results.size() / 2], unit, results.front(), results.back(), rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  const auto games = make_games(argc > 2 ? std::atoi(argv[2]) : 40, 100, 1);
  const auto middle_games = make_games(200, 40, 2);
  for (int r = 0; r < RULE_NB; ++r)
    report("play+undo " + std::string(RULE_NAMES[r]), "pairs/s", rounds,
           [&] { return play_undo(static_cast<Rule>(r), games); });
  report("forbidden points renju", "boards/s", rounds,
         [&] { return forbidden_points(middle_games); });
  return sink == 42;  // the sum is used, so nothing was optimised away
}
