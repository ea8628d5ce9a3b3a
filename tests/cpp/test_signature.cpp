// SPDX-License-Identifier: MIT
// The search signature against tests/golden/bench.json: this build searches exactly the same nodes
// as every other. `scripts/signature.py --write` updates it.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "check.h"
#include "engine/bench.h"

using namespace tengen;

namespace {

// Those of scripts/signature.py.
constexpr int CLASSICAL_DEPTH = 9, CLASSICAL_PAPER_DEPTH = 4;
constexpr u64 PLAYOUTS = 300;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) check::fail(__FILE__, __LINE__, "no file " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The text that stands for the name in a flat JSON object of texts.
std::string kept(const std::string& json, const std::string& name) {
  const std::string before = "\"" + name + "\": \"";
  const size_t found = json.find(before);
  if (found == std::string::npos) return "none for " + name;
  const size_t begin = found + before.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

void check_signatures(Preset preset, const std::string& preset_name, const BenchLimits& limits) {
  const std::string golden = read_file(TENGEN_TEST_DATA "/golden/bench.json");
  for (int rule = 0; rule < RULE_NB; ++rule) {
    const std::string name(RULE_NAMES[rule]);
    const std::string bytes = read_file(TENGEN_TABLES "/classical-" + name + ".tables");
    const auto tables = ClassicalTables::parse(bytes, static_cast<Rule>(rule));
    EngineOptions options;
    options.preset = preset;
    if (limits.playouts) options.kind = SearchKind::MCTS;
    const BenchResult result =
        run_bench(static_cast<Rule>(rule), {tables, {}}, options, limits, [] { return false; });
    char text[9];
    std::snprintf(text, sizeof text, "%08x", result.signature);
    CHECK_EQ(std::string(text), kept(golden, preset_name + " " + name));
    CHECK_EQ(result.positions, 9);
  }
}

}  // namespace

TEST(the_search_has_its_signature) {
  check_signatures(Preset::CLASSICAL, "classical", {CLASSICAL_DEPTH});
}

TEST(the_papers_player_has_its_signature) {
  check_signatures(Preset::CLASSICAL_PAPER, "classical-paper", {CLASSICAL_PAPER_DEPTH});
}

TEST(mcts_has_its_signature) { check_signatures(Preset::CLASSICAL, "mcts", {0, PLAYOUTS}); }
