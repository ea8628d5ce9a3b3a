// SPDX-License-Identifier: MIT
// The check of proofs that are broken, hostile or changed at random: each gets an answer. And the
// check that is stopped.
#include "base/rng.h"
#include "check.h"
#include "game/names.h"
#include "game/proof_tree.h"
#include "made_proofs.h"

using namespace tengen;

namespace {

/// The path of a fault is a game: each move is on a different empty point.
bool can_be_played(const Proof& proof, const std::vector<Point>& path) {
  Cells cells = proof.cells;
  for (const Point p : path) {
    if (p != NO_POINT && cells[p] != EMPTY) return false;
    if (p != NO_POINT) cells[p] = BLACK;
  }
  return true;
}

}  // namespace

TEST(invalid_structures_are_reported) {
  const Proof sound = open_four(Rule::FREESTYLE);
  const auto broken = [&](const std::string& words, const std::function<void(Proof&)>& breaking) {
    Proof proof = sound;
    breaking(proof);
    check_fault(proof, words, "");
  };
  broken("no nodes", [](Proof& p) { p.nodes.clear(); });
  for (const int size : {-1, 0, 4, 23, 1 << 30})
    broken("no board has size", [&](Proof& p) { p.size = size; });
  broken("of size 14", [](Proof& p) { p.size = 14; });
  broken("of size 16", [](Proof& p) { p.size = 16; });
  broken("of size 15", [](Proof& p) { p.cells = {}; });
  broken("of size 15", [](Proof& p) { p.cells[parsed("a1")] = EDGE; });
  broken("of size 15", [](Proof& p) { p.cells[parsed("a1")] = static_cast<Stone>(4); });
  broken("of size 15", [](Proof& p) { p.cells[parsed("a1") - 1] = BLACK; });
  broken("rule is unknown", [](Proof& p) { p.rule = static_cast<Rule>(RULE_NB); });
  for (const int colour : {0, 3, 77})
    broken("attacker is no colour", [&](Proof& p) { p.attacker = static_cast<Stone>(colour); });
  broken("negative", [](Proof& p) { p.moves_left = -1; });
  broken("black has won already", [](Proof& p) { put_stones(p, "h8 i8", BLACK); });
  broken("white has won already", [](Proof& p) { put_stones(p, "a1 a2 a3 a4 a5", WHITE); });
  for (const int move : {0, 1023, 1024, 65535})
    broken("node 2: its move is off",
           [&](Proof& p) { p.nodes[2].move = static_cast<Point>(move); });
  broken("node 0: its threat is no node", [](Proof& p) { p.nodes[0].threat = 3; });
  broken("node 0: its threat points to an earlier node", [](Proof& p) { p.nodes[0].threat = 0; });
  broken("node 2: its threat points to an earlier node", [](Proof& p) { p.nodes[2].threat = 1; });
  broken("points to no node", [](Proof& p) { p.replies[0].node = 3; });
  broken("points to no node", [](Proof& p) { p.replies[0].node = NO_NODE; });
  broken("points to an earlier node", [](Proof& p) { p.replies[0].node = 0; });
  broken("more replies", [](Proof& p) { p.nodes[0].reply_count = 0xFFFFFFFF; });
  broken("out of range", [](Proof& p) { p.nodes[0].reply_count = 2; });
  broken("out of range", [](Proof& p) { p.nodes[0].first_reply = 0xFFFFFFFF; });
  broken("a reply is off", [](Proof& p) { p.replies[0].point = 65535; });
  broken("a reply is off", [](Proof& p) { p.replies[0].point = 1; });
  broken("listed twice", [](Proof& p) {
    p.replies.push_back(p.replies[0]);
    p.nodes[0].reply_count = 2;
  });
  Proof odd = sound;
  odd.nodes[1].first_reply = 0xFFFFFFFF;  // of no meaning without replies
  CHECK(verify(odd).is_valid);
}

TEST(a_long_chain_does_not_overflow_the_stack) {
  Proof proof = make_proof(Rule::FREESTYLE, 22, "", "", {});
  // Five adjacent points of any line have a stone of either colour: there can be no five at all.
  std::vector<Point> empty;
  for (const Point p : board_points(22)) {
    const int residue = (x_of(p) + 2 * y_of(p)) % 5;
    proof.cells[p] = residue == 0 ? BLACK : residue == 1 ? WHITE : EMPTY;
    if (residue > 1) empty.push_back(p);
  }
  // The attacker comes from the far end, the replies from a1, until they meet.
  for (u32 i = 0; i < 200'000; ++i)
    proof.nodes.push_back({empty[empty.size() - 1 - i % empty.size()], i + 1, 0, 0});
  proof.nodes.back().threat = NO_NODE;
  const ProofCheck result = verify(proof);
  CHECK(!result.is_valid);
  CHECK(result.path.size() + 1 >= empty.size());
  CHECK(can_be_played(proof, result.path));
}

namespace {

/// Changes one thing at random; what comes out may be no proof at all.
void mutate(Proof& proof, Rng& rng) {
  const auto any_point = [&] { return board_points(proof.size)[rng.below(225)]; };
  const u32 any_node = rng.below(static_cast<u32>(proof.nodes.size()) + 1);
  ProofNode& node = proof.nodes[rng.below(static_cast<u32>(proof.nodes.size()))];
  switch (rng.below(9)) {
    case 0: node.move = any_point(); break;
    case 1: node.threat = rng.below(2) ? NO_NODE : any_node; break;
    case 2: node.first_reply = rng.below(4); break;
    case 3: node.reply_count = rng.below(4); break;
    case 4: proof.replies.push_back({any_point(), any_node}); break;
    case 5: proof.replies[0] = {any_point(), any_node}; break;
    case 6: proof.rule = static_cast<Rule>(rng.below(RULE_NB)); break;
    case 7: proof.moves_left = static_cast<int>(rng.below(6)); break;
    case 8: proof.cells[any_point()] = static_cast<Stone>(rng.below(3)); break;
  }
}

}  // namespace

TEST(mutated_proofs_are_rejected_or_valid) {
  Rng rng(11);
  int held = 0;
  for (int n = 0; n < 5000; ++n) {
    Proof proof = open_four(Rule::FREESTYLE);
    for (int changes = 1 + rng.below(6); changes > 0; --changes) mutate(proof, rng);
    const ProofCheck result = verify(proof);
    CHECK_EQ(result.is_valid, result.error.empty());
    CHECK(can_be_played(proof, result.path));
    held += result.is_valid;
  }
  CHECK(held > 500 && held < 3000);
}

TEST(verification_can_be_stopped) {
  const Proof proof = two_threes(Rule::FREESTYLE);
  int questions = 0;
  const ProofCheck whole = verify(proof, [&](u64) { return ++questions > 0; });
  CHECK(whole.is_valid && !whole.interrupted);
  CHECK_EQ(questions, static_cast<int>(whole.moves_played / 4096));
  CHECK(questions > 10);
  for (const int stop : {1, 2, 7}) {
    int asked = 0;
    const ProofCheck result = verify(proof, [&](u64) { return ++asked < stop; });
    CHECK(result.interrupted && !result.is_valid);
    CHECK_EQ(result.error, std::string());
    CHECK(result.path.empty());
    CHECK_EQ(asked, stop);
    CHECK(result.moves_played < whole.moves_played);
  }
}

TEST(the_longest_resistance_comes_first) {
  // Two moves of the attacker follow b1, e2 and f3; of these e2 and b1 leave fewer listed replies.
  const Proof proof = make_proof(Rule::FREESTYLE, 15, "", "",
                                 {{"a1", 1, {{"f3", 2}, {"e2", 3}, {"k1", 4}, {"b1", 5}}},
                                  {"j1"},
                                  {"j1", 6, {{"b1", 6}, {"c1", 6}}},
                                  {"j1", 6, {{"b1", 6}}},
                                  {"j1"},
                                  {"j1", 6, {{"b1", 6}}},
                                  {"j1"}});
  const ProofTree tree(proof);
  std::vector<int> bounds;
  for (u32 node = 0; node < proof.nodes.size(); ++node) bounds.push_back(tree.bound(node));
  CHECK(bounds == std::vector<int>({3, 1, 2, 2, 1, 2, 1}));
  std::string order;
  for (const ProofTree::Reply& reply : tree.resistance(0))
    order += (reply.point ? name_of(*reply.point) : "other") + " ";
  CHECK_EQ(order, std::string("b1 e2 f3 k1 other "));
}

TEST(trees_of_invalid_structures_are_refused) {
  Proof proof = open_four(Rule::FREESTYLE);
  proof.nodes[0].threat = 0;
  bool is_refused = false;
  try {
    const ProofTree tree(proof);
  } catch (const std::invalid_argument&) {
    is_refused = true;
  }
  CHECK(is_refused);
}
