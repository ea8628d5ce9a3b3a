// SPDX-License-Identifier: MIT
// Trees of the fake evaluation, with the visits of every node, against tests/golden/mcts.txt.
// tests/py/test_mcts_reference.py builds the same trees in plain Python.
//
//     TENGEN_WRITE_GOLDEN=1 tengen_tests mcts_golden      rewrites the file
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "check.h"
#include "engine/options.h"
#include "mcts_searches.h"

using namespace tengen;

namespace {

struct GoldenCase {
  Rule rule;
  int size;
  u64 playouts;
  double tau;
  int moves_left;
  double utility_stdev_scale = 0;
};

/// All rules, boards of several sizes, both kinds of exploration, a game that ends soon.
constexpr std::array CASES = {
    GoldenCase{Rule::FREESTYLE, 9, 300, 0.5, 0},     GoldenCase{Rule::STANDARD, 7, 300, 0.5, 0},
    GoldenCase{Rule::RENJU, 15, 200, 0.5, 0},        GoldenCase{Rule::CARO, 11, 250, 0.5, 0},
    GoldenCase{Rule::CARO6, 9, 250, 0.737, 0},       GoldenCase{Rule::FREESTYLE, 15, 300, 0.737, 0},
    GoldenCase{Rule::FREESTYLE, 5, 400, 0.5, 0},     GoldenCase{Rule::RENJU, 9, 300, 0.5, 5},
    GoldenCase{Rule::FREESTYLE, 22, 150, 0.25, 0},   GoldenCase{Rule::RENJU, 6, 500, 0.5, 0},
    GoldenCase{Rule::STANDARD, 9, 400, 0.5, 0, 0.6}, GoldenCase{Rule::RENJU, 11, 300, 0.5, 0, 1.5},
    GoldenCase{Rule::CARO, 7, 400, 0.6, 9, 0.25}};

MctsSettings settings_of(const GoldenCase& wanted) {
  MctsSettings settings;
  settings.vcf = false;
  settings.tau = wanted.tau;
  settings.utility_stdev_scale = wanted.utility_stdev_scale;
  settings.temperature = 1;
  if (wanted.tau != 0.5) {  // as its paper has it: a constant factor
    settings.c = 0.3;
    settings.c_log = 0;
  }
  return settings;
}

std::string square(Point p) { return std::to_string(x_of(p)) + "," + std::to_string(y_of(p)); }

GamePosition position_of(const GoldenCase& wanted, u64 seed) {
  Rng rng(0x676F6C64 + seed);
  return quiet_game(rng, wanted.size, wanted.rule);
}

/// A search as text: its settings, the stones, a line for each node, the root's first.
std::string text_of(const GoldenCase& wanted, u64 seed, const MctsSettings& settings) {
  const GamePosition position = position_of(wanted, seed);
  Mcts search(wanted.size, wanted.rule, settings, 1, SMALL_MEMORY, fake_evaluators());
  SearchRequest request = request_of(position, 0, wanted.playouts);
  request.moves_left = wanted.moves_left;
  search_and_log(search, request);
  check_tree(search);
  std::ostringstream out;
  out << "search rule=" << RULE_NAMES[static_cast<size_t>(wanted.rule)] << " size=" << wanted.size
      << " side=" << (position.side == BLACK ? "black" : "white") << " playouts=" << wanted.playouts
      << " moves_left=" << wanted.moves_left << " tau=" << settings.tau << " c=" << settings.c
      << " c_log=" << settings.c_log << " c_base=" << settings.c_base << " fpu=" << settings.fpu
      << " utility_stdev_scale=" << settings.utility_stdev_scale << "\n";
  for (const Colour colour : {BLACK, WHITE}) {
    out << (colour == BLACK ? "black" : "white");
    for (const Point p : board_points(wanted.size))
      if (position.cells[p] == colour) out << " " << square(p);
    out << "\n";
  }
  for (const mcts::Index index : reached(search)) {
    const mcts::Node& node = search.tree().node(index);
    if (node.edge_count == 0) continue;
    out << std::hex << node.key << std::dec;
    search.tree().for_each_edge(node, [&](const mcts::Edge& edge) {
      out << " " << square(edge.move) << ":" << edge.visits;
    });
    out << "\n";
  }
  return out.str();
}

std::string text_of_all() {
  std::string all;
  for (size_t i = 0; i < CASES.size(); ++i) all += text_of(CASES[i], i, settings_of(CASES[i]));
  return all;
}

}  // namespace

TEST(mcts_golden_trees_are_unchanged) {
  const std::string path = std::string(TENGEN_TEST_DATA) + "/golden/mcts.txt";
  const std::string found = text_of_all();
  if (std::getenv("TENGEN_WRITE_GOLDEN")) std::ofstream(path) << found;
  std::ifstream file(path);
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  CHECK(golden.size() > 10'000);
  CHECK(found == golden);
}

TEST(mcts_generalised_puct_is_puct_at_one_half) {
  int different = 0;
  for (size_t i = 0; i < CASES.size(); ++i) {
    MctsSettings puct;  // default tau
    puct.vcf = false;
    EngineOptions options;
    options.mcts.tau = 0.5;
    options.mcts.vcf = false;
    const std::string expected = text_of(CASES[i], i, puct);
    CHECK(text_of(CASES[i], i, options.mcts) == expected);
    options.mcts.tau = 0.6;
    different += text_of(CASES[i], i, options.mcts) != expected;
  }
  CHECK(different > 5);
}
