// SPDX-License-Identifier: MIT
// Perft counts (tests/perft/*.perft) with patterns, which must equal a recomputation at every leaf.
// The counts depend on forbidden moves and the end of the game; tengen.reference computes them too.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "check.h"
#include "game/rules.h"
#include "pattern/pattern_board.h"

using namespace tengen;

namespace {

class Walker {
 public:
  Walker(int size, Rule rule) : board_(size), patterns_(size, rule), rule_(rule) {}

  void play(Point p) {
    patterns_.play(p, board_.side_to_move());
    board_.play(p);
  }

  /// Number of sequences of `depth` legal stones; a finished game is one sequence.
  u64 count(int depth) {
    if (depth == 0 || outcome(board_, rule_).ending != Ending::NONE) {
      check_leaf();
      return 1;
    }
    u64 sum = 0;
    for (const Point p : legal_points(board_, rule_)) {
      play(p);
      sum += count(depth - 1);
      board_.undo();
      patterns_.undo();
    }
    return sum;
  }

 private:
  /// Every 61st leaf: enough to meet every kind of move, and the walk stays quick.
  void check_leaf() {
    if (leaves_++ % 61 != 0) return;
    PatternBoard fresh(board_.size(), rule_);
    fresh.assign(board_.cells());
    for (const Point p : board_points(board_.size())) {
      if (board_.at(p) != EMPTY) continue;
      CHECK(fresh.shape_set(BLACK, p) == patterns_.shape_set(BLACK, p));
      CHECK(fresh.shape_set(WHITE, p) == patterns_.shape_set(WHITE, p));
    }
    CHECK(fresh.counts(BLACK) == patterns_.counts(BLACK) &&
          fresh.counts(WHITE) == patterns_.counts(WHITE));
  }

  Board board_;
  PatternBoard patterns_;
  Rule rule_;
  u64 leaves_ = 0;
};

/// One line: RULE SIZE MOVES|- ; DEPTH COUNT ; DEPTH COUNT …  Counts above the budget are left to
/// `make test-all`.
void run_line(const std::string& line, u64 budget) {
  std::istringstream fields(line);
  std::string rule_name, moves, word;
  int size = 0;
  fields >> rule_name >> size >> moves;
  const std::optional<Rule> found = rule_of_name(rule_name);
  CHECK(found.has_value());
  const Rule rule = *found;
  Walker walker(size, rule);
  std::istringstream list(moves == "-" ? "" : moves);
  for (std::string move; std::getline(list, move, ',');)
    walker.play(make_point(move[0] - 'a', std::stoi(move.substr(1)) - 1));
  int depth = 0;
  u64 expected = 0;
  while (fields >> word >> depth >> expected)
    if (expected <= budget) CHECK_EQ(walker.count(depth), expected);
}

}  // namespace

TEST(perft_counts) {
  const char* wanted = std::getenv("TENGEN_PERFT_BUDGET");
  const u64 budget = wanted ? std::strtoull(wanted, nullptr, 10) : 100000;
  int lines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TENGEN_TEST_DATA "/perft")) {
    if (entry.path().extension() != ".perft") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      run_line(line, budget);
      ++lines;
    }
  }
  CHECK(lines >= 10);
}
