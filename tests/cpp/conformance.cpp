// SPDX-License-Identifier: MIT
// Referee against pattern tables on random positions, for every rule: at every empty point and for
// both colours five, overline, fours, open four, forbidden and why. The patterns are reached by
// play(), stone by stone, so what is checked is what the search uses. Prints what was met; exits 1
// on the first few disagreements.
//
//     conformance POSITIONS_PER_RULE [THREADS] [SEED] [RULE]
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "base/parallel.h"
#include "game/rules.h"
#include "pattern/pattern_board.h"
#include "random_positions.h"

namespace {

using namespace tengen;

constexpr int DEPTHS = 6;

struct Tally {
  u64 positions = 0, points = 0, fives = 0, open_fours = 0, fours = 0, disagreements = 0;
  std::array<u64, 4> forbidden{};   ///< by Forbidden; NONE counts candidates that are allowed
  std::array<u64, DEPTHS> depth{};  ///< double-three candidates by recursion depth

  void add(const Tally& other) {
    positions += other.positions, points += other.points, fives += other.fives;
    open_fours += other.open_fours, fours += other.fours, disagreements += other.disagreements;
    for (size_t i = 0; i < forbidden.size(); ++i) forbidden[i] += other.forbidden[i];
    for (size_t i = 0; i < depth.size(); ++i) depth[i] += other.depth[i];
  }
};

/// The patterns as a PointReport of the referee.
PointReport verdict_of(const PatternBoard& patterns, Point p, Colour colour) {
  PointReport report;
  if (patterns.threat(colour, p) == Threat::FIVE) return {.five = true};
  for (const Direction d : DIRECTIONS) {
    const Shape shape = patterns.shape(colour, p, d);
    report.overline |= shape == Shape::OVERLINE;
    report.open_four |= shape == Shape::OPEN_FOUR;
    report.fours +=
        shape == Shape::DOUBLE_FOUR ? 2 : shape == Shape::FOUR || shape == Shape::OPEN_FOUR;
  }
  if (colour == BLACK) report.forbidden = patterns.forbidden(p);
  return report;
}

bool agree(const PointReport& a, const PointReport& b) {
  return a.five == b.five && a.overline == b.overline && a.open_four == b.open_four &&
         a.fours == b.fours && a.forbidden == b.forbidden;
}

void print_disagreement(const Cells& cells, int size, Rule rule, Point p, Colour colour) {
  std::printf("disagreement: rule %s, %s at %c%d\n", RULE_NAMES[static_cast<int>(rule)].data(),
              colour == BLACK ? "black" : "white", 'a' + x_of(p), y_of(p) + 1);
  for (int y = size - 1; y >= 0; --y) {
    std::printf("%2d  ", y + 1);
    for (int x = 0; x < size; ++x)
      std::printf(" %c", make_point(x, y) == p ? '?' : ".XO"[cells[make_point(x, y)]]);
    std::printf("\n");
  }
}

void check_position(const Cells& cells, const PatternBoard& patterns, Tally& tally) {
  Referee referee(cells, patterns.rule());
  for (const Point p : board_points(patterns.size())) {
    if (cells[p] != EMPTY) continue;
    for (const Colour colour : {BLACK, WHITE}) {
      const PointReport report = referee.classify(p, colour);
      ++tally.points;
      tally.fives += report.five;
      tally.open_fours += report.open_four;
      tally.fours += report.fours > 0;
      if (report.forbidden != Forbidden::NONE || report.double_three_candidate)
        ++tally.forbidden[static_cast<int>(report.forbidden)];
      if (report.double_three_candidate) ++tally.depth[std::min(report.depth, DEPTHS - 1)];
      if (agree(report, verdict_of(patterns, p, colour))) continue;
      if (tally.disagreements++ == 0)
        print_disagreement(cells, patterns.size(), patterns.rule(), p, colour);
    }
  }
}

Tally run(Rule rule, size_t positions, int threads, u64 seed) {
  Tally total;
  std::mutex lock;
  pattern_tables(rule);
  parallel_ranges(positions, threads, [&](size_t first, size_t last) {
    Tally tally;
    for (size_t i = first; i < last; ++i) {
      Rng rng(seed + i * 0x9E3779B97F4A7C15ULL + static_cast<u64>(rule));
      const int size = random_size(rng);
      Cells cells = empty_cells(size);
      PatternBoard patterns(size, rule);
      for (const Placed& stone : random_stones(rng, size)) {
        cells[stone.point] = stone.colour;
        patterns.play(stone.point, stone.colour);
      }
      check_position(cells, patterns, tally);
      ++tally.positions;
    }
    const std::lock_guard guard(lock);
    total.add(tally);
  });
  return total;
}

void print(Rule rule, const Tally& t) {
  const auto n = [](u64 value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%-10s positions %llu, points x colours %llu, fives %llu, fours %llu, open fours %llu, "
      "disagreements %llu\n",
      RULE_NAMES[static_cast<int>(rule)].data(), n(t.positions), n(t.points), n(t.fives),
      n(t.fours), n(t.open_fours), n(t.disagreements));
  if (rule != Rule::RENJU) return;
  std::printf(
      "           forbidden: overline %llu, double-four %llu, double-three %llu; false "
      "double-threes %llu\n",
      n(t.forbidden[1]), n(t.forbidden[2]), n(t.forbidden[3]), n(t.forbidden[0]));
  std::printf("           double-three candidates by recursion depth:");
  for (int i = 0; i < DEPTHS; ++i)
    std::printf(" %d%s: %llu", i, i == DEPTHS - 1 ? "+" : "", n(t.depth[i]));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: conformance POSITIONS_PER_RULE [THREADS] [SEED] [RULE]\n");
    return 2;
  }
  const size_t positions = std::strtoull(argv[1], nullptr, 10);
  const int threads = argc > 2 ? std::atoi(argv[2]) : 0;
  const u64 seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::string only = argc > 4 ? argv[4] : "";
  u64 disagreements = 0;
  for (int r = 0; r < RULE_NB; ++r) {
    if (!only.empty() && only != RULE_NAMES[r]) continue;
    const Tally tally = run(static_cast<Rule>(r), positions, threads, seed);
    print(static_cast<Rule>(r), tally);
    std::fflush(stdout);
    disagreements += tally.disagreements;
  }
  std::printf("%s\n", disagreements == 0 ? "referee and patterns agree" : "DISAGREEMENT");
  return disagreements == 0 ? 0 : 1;
}
