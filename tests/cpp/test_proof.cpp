// SPDX-License-Identifier: MIT
// The check of proofs: sound ones under every rule, and moves that do not do what they should.
// Broken structures are in test_proof_structure.cpp.
#include "check.h"
#include "made_proofs.h"

using namespace tengen;

TEST(a_five_proves_itself) {
  for (int r = 0; r < RULE_NB; ++r) {
    const auto rule = static_cast<Rule>(r);
    const std::string four = "d8 e8 f8 g8";
    CHECK_EQ(fault_of(make_proof(rule, 15, four, "", {{"h8"}})), "");
    CHECK_EQ(fault_of(for_white(make_proof(rule, 15, "", four, {{"h8"}}))), "");
    check_fault(make_proof(rule, 15, four, "", {{"i8"}}), "the first move i8 is no five", "");
    check_fault(make_proof(rule, 15, four, "", {{"g8"}}), "the first move g8 is no empty point",
                "");
    check_fault(make_proof(rule, 15, "", four, {{"h8"}}), "the first move h8 is no five", "");
  }
}

TEST(six_stones_prove_what_the_rule_says) {
  const auto six = [](Rule rule) { return make_proof(rule, 15, "d8 e8 f8 g8 i8", "", {{"h8"}}); };
  CHECK_EQ(fault_of(six(Rule::FREESTYLE)), "");
  CHECK_EQ(fault_of(six(Rule::CARO6)), "");
  for (const Rule rule : {Rule::STANDARD, Rule::RENJU, Rule::CARO})
    check_fault(six(rule), "h8 is no five", "");
  CHECK_EQ(fault_of(for_white(make_proof(Rule::RENJU, 15, "", "d8 e8 f8 g8 i8", {{"h8"}}))), "");
}

TEST(a_five_is_legal_even_with_an_overline) {
  const std::string row = "a3 b3 c3 d3 ", column = "e1 e2 e4 e5 e6";
  CHECK_EQ(fault_of(make_proof(Rule::RENJU, 9, row + column, "", {{"e3"}})), "");
}

TEST(an_open_four_is_proved_by_one_answer) {
  for (int r = 0; r < RULE_NB; ++r) {
    const auto rule = static_cast<Rule>(r);
    CHECK_EQ(fault_of(open_four(rule)), "");
    CHECK_EQ(fault_of(for_white(make_proof(rule, 15, "", "e8 f8 g8", OPEN_FOUR))), "");
  }
}

TEST(missing_reply_is_reported) {
  for (const Rule rule : {Rule::FREESTYLE, Rule::STANDARD, Rule::RENJU})
    check_fault(open_four(rule, "i8"),
                "white's reply d8 is not refuted: the listed refutation i8 is no empty", "h8 d8");

  const Proof proof = make_proof(Rule::STANDARD, 15, "e8 f8 g8", "", {{"h8", 1}, {"d8"}});
  check_fault(proof, "white's reply d8 is not refuted: the threat d8 is no empty point", "h8 d8");
}

TEST(in_caro_one_answer_may_close_both_ends) {
  CHECK_EQ(fault_of(open_four(Rule::STANDARD, "j8")), "");
  for (const Rule rule : {Rule::CARO, Rule::CARO6})
    check_fault(open_four(rule, "j8"), "the listed refutation i8 is no five", "h8 d8");
  // The threat is closed from both ends by a reply that is not on its point.
  const std::vector<Step> steps = {{"h8", 1, {{"i8", 2}}}, {"i8"}, {"d8"}};
  CHECK_EQ(fault_of(make_proof(Rule::STANDARD, 15, "e8 f8 g8", "j8", steps)), "");
  check_fault(make_proof(Rule::CARO, 15, "e8 f8 g8", "j8", steps),
              "white's reply d8 is not refuted: the threat i8 is no five any more", "h8 d8");
}

TEST(two_threes_win_unless_they_are_forbidden) {
  for (const Rule rule : {Rule::FREESTYLE, Rule::STANDARD})
    CHECK_EQ(fault_of(two_threes(rule)), "");
  check_fault(two_threes(Rule::RENJU), "the first move i8 is forbidden", "");
  Proof white = for_white(two_threes(Rule::RENJU));
  for (Stone& stone : white.cells)
    if (stone == BLACK) stone = WHITE;
  CHECK_EQ(fault_of(white), "");
}

TEST(caro_needs_more_defences_listed) {
  for (const Rule rule : {Rule::CARO, Rule::CARO6}) {
    check_fault(two_threes(rule), "the threat e8 is no five any more", "i8 d8 f8 j8");
    check_fault(two_threes(rule, {"d8", "e8", "f8", "j8"}), "the listed refutation j8 is no five",
                "i8 k8 f8 e8");
    CHECK_EQ(fault_of(two_threes(rule, {"d8", "e8", "f8", "j8", "k8"})), "");
  }
}

TEST(every_part_of_a_proof_is_needed) {
  const Proof sound = two_threes(Rule::FREESTYLE);
  for (const std::string dropped : {"e8", "f8", "j8"}) {
    std::vector<std::string> defences;
    for (const std::string name : {"e8", "f8", "j8"})
      if (name != dropped) defences.push_back(name);
    const ProofCheck result = verify(two_threes(Rule::FREESTYLE, defences));
    CHECK(!result.is_valid);
    CHECK_EQ(path_of(result).substr(0, 5), "i8 " + dropped);
  }
  for (size_t i = 0; i < sound.nodes.size(); ++i) {
    for (const Point elsewhere : {parsed("a1"), parsed("g8"), parsed("o15")}) {
      Proof moved = sound;
      moved.nodes[i].move = elsewhere;
      CHECK(!verify(moved).is_valid);
    }
    Proof mute = sound;
    mute.nodes[i].threat = NO_NODE;
    CHECK_EQ(verify(mute).is_valid, i >= 3);
    Proof silent = sound;
    silent.nodes[i].reply_count = 0;
    CHECK_EQ(verify(silent).is_valid, i >= 3);
    Proof chatty = sound;
    if (i >= 3 && i < 6) chatty.nodes[i].threat = static_cast<u32>(i) + 1;
    CHECK_EQ(verify(chatty).is_valid, !(i >= 3 && i < 6));
  }
}

TEST(faults_of_a_node_without_replies_have_messages) {
  Proof proof = open_four(Rule::FREESTYLE);
  proof.nodes[0].threat = NO_NODE;
  check_fault(proof, "white's reply a1 is not refuted: it is not listed, and there is no threat",
              "h8 a1");
  proof = make_proof(Rule::FREESTYLE, 15, "d8 e8 f8 g8", "", {{"h8", 1}, {"c8"}});
  check_fault(proof, "a five needs no threat and no replies", "");
}

TEST(a_five_of_the_defender_breaks_every_proof) {
  check_fault(open_four(Rule::FREESTYLE, "d1 e1 f1 g1"), "white's reply c1 makes a five", "h8 c1");
  Proof listed = make_proof(Rule::FREESTYLE, 15, "e8 f8 g8", "d1 e1 f1 g1",
                            {{"h8", 1, {{"c1", 1}, {"h1", 1}, {"d8", 2}}}, {"d8"}, {"i8"}});
  check_fault(listed, "white's reply c1 makes a five", "h8 c1");
  // Six are no five to the defender either.
  CHECK_EQ(fault_of(open_four(Rule::STANDARD, "a1 b1 c1 e1 f1")), "");
  check_fault(open_four(Rule::FREESTYLE, "a1 b1 c1 e1 f1"), "white's reply d1 makes a five",
              "h8 d1");
}

TEST(a_block_that_is_forbidden_to_black_is_no_reply) {
  // h8 would be a double-three of black.
  const std::string black = "c8 h9 h10 i7 j6", white = "d8 e8 f8";
  const auto four = [&](Rule rule, const std::vector<Step>& steps) {
    return for_white(make_proof(rule, 15, black, white, steps));
  };
  CHECK_EQ(fault_of(four(Rule::RENJU, {{"g8", 1}, {"h8"}})), "");
  check_fault(four(Rule::FREESTYLE, {{"g8", 1}, {"h8"}}), "black's reply h8 is not refuted",
              "g8 h8");
  // An answer to an unplayable reply is not needed.
  CHECK_EQ(fault_of(four(Rule::RENJU, {{"g8", 1, {{"h8", 2}}}, {"h8"}, {"a1"}})), "");
  // Without the second three it may be played.
  check_fault(for_white(make_proof(Rule::RENJU, 15, "c8 h9 h10 i7", white, {{"g8", 1}, {"h8"}})),
              "black's reply h8 is not refuted", "g8 h8");
}

TEST(forbidden_reply_is_accepted_at_any_depth) {
  // i12 first, a four that is answered at j12; then the block of the second four is forbidden.
  const std::string black = "c8 h9 h10 i7 j6 e12", white = "d8 e8 f8 f12 g12 h12";
  const std::vector<Step> steps = {{"i12", 1, {{"j12", 2}}}, {"j12"}, {"g8", 3}, {"h8"}};
  CHECK_EQ(fault_of(for_white(make_proof(Rule::RENJU, 15, black, white, steps))), "");
  check_fault(for_white(make_proof(Rule::STANDARD, 15, black, white, steps)), "the threat h8",
              "i12 j12 g8 h8");
}

TEST(a_move_limit_may_come_first) {
  for (int left = 1; left <= 5; ++left) {
    Proof four = open_four(Rule::RENJU),
          five = make_proof(Rule::RENJU, 15, "d8 e8 f8 g8", "", {{"h8"}});
    four.moves_left = five.moves_left = left;
    CHECK_EQ(fault_of(five), "");
    if (left >= 3)
      CHECK_EQ(fault_of(four), "");
    else
      check_fault(four, "drawn before the next move", "h8");
    Proof threes = two_threes(Rule::FREESTYLE);
    threes.moves_left = left;
    CHECK_EQ(verify(threes).is_valid, left >= 5);
  }
}

namespace {

/// A full 5x5 board without a five, but for some points that are empty.
Proof nearly_full(const std::string& empty, const std::vector<Step>& steps) {
  Proof proof = make_proof(Rule::FREESTYLE, 5, "", "", steps);
  for (const Point p : board_points(5))
    proof.cells[p] = (x_of(p) / 2 + y_of(p)) % 2 == 0 ? BLACK : WHITE;
  put_stones(proof, empty, EMPTY);
  return proof;
}

}  // namespace

TEST(a_full_board_proves_nothing) {
  check_fault(nearly_full("e5", {{"e5", 1}, {"e5"}}), "the board is full", "e5");
  check_fault(nearly_full("", {{"e5"}}), "the first move e5 is no empty point", "");
  check_fault(nearly_full("e5 d5", {{"e5", 1}, {"d5"}}), "the threat d5 is no empty point",
              "e5 d5");
  Proof won = nearly_full("e5", {{"e5"}});
  put_stones(won, "a5 b5 c5 d5", BLACK);
  CHECK_EQ(fault_of(won), "");
}

TEST(the_pass_is_a_reply) {
  // e5 makes two fours, e4 and d5 complete them; all points are listed.
  const auto proof = [](const std::vector<Answer>& answers) {
    Proof made = nearly_full("e5 e3 a5", {{"e5", NO_NODE, answers}, {"e3"}, {"a5"}});
    put_stones(made, "b5 c5 d5 e1 e2 e4", BLACK);
    return made;
  };
  check_fault(proof({{"e3", 2}, {"a5", 1}}), "white's pass is not refuted", "e5 pass");
  CHECK_EQ(fault_of(proof({{"e3", 2}, {"a5", 1}, {"pass", 1}})), "");
  check_fault(proof({{"e3", 2}, {"pass", 1}}), "white's reply a5 is not refuted", "e5 a5");
  check_fault(proof({{"e3", 1}, {"a5", 1}, {"pass", 1}}),
              "the listed refutation e3 is no empty point", "e5 e3");
}

TEST(replies_on_occupied_points_are_ignored) {
  Proof proof = make_proof(Rule::FREESTYLE, 15, "e8 f8 g8", "a1",
                           {{"h8", 1, {{"d8", 2}, {"a1", 2}}}, {"d8"}, {"i8"}});
  CHECK_EQ(fault_of(proof), "");
  proof.replies[1].point = parsed("h8");
  CHECK_EQ(fault_of(proof), "");
}

TEST(a_shared_node_is_checked_once_in_a_position) {
  // Black has two fours and loses time with four idle moves; white's idle replies come in any
  // order.
  const std::vector<std::string> idle = {"g1", "g3", "g5", "g7"};
  std::vector<Step> steps;
  for (u32 i = 0; i < 4; ++i) {
    steps.push_back({idle[i], i + 1, {{"e1", 5}, {"e4", 4}}});
    for (u32 j = i + 1; j < 4; ++j) steps.back().answers.push_back({idle[j], 4});
  }
  steps.push_back({"e1"});
  steps.push_back({"e4"});
  const std::string black = "a1 b1 c1 d1 a4 b4 c4 d4";
  const ProofCheck result = verify(make_proof(Rule::STANDARD, 7, black, "", steps));
  CHECK(result.is_valid);
  // If every order were checked on its own, it would be more than three million.
  CHECK(result.moves_played < 2'200'000);
  CHECK(result.moves_played > 1'500'000);
}

TEST(a_shared_node_may_fail_in_another_position) {
  // After an idle move the threat is a four, then an open four. It holds against a hundred replies
  // before one comes that takes a point of it.
  const std::vector<Step> steps = {
      {"o15", 1}, {"i12", 2, {{"j12", 3}}}, {"j12"}, {"h8", 4, {{"d8", 5}}}, {"d8"}, {"i8"}};
  const std::string black = "f12 g12 h12 e8 f8 g8";
  const Proof proof = make_proof(Rule::STANDARD, 15, black, "e12", steps);
  check_fault(proof, "white's reply a1 is not refuted: the threat d8 is no empty point",
              "o15 d8 i12 j12 h8 a1");
}
