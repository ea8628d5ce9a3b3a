// SPDX-License-Identifier: MIT
// Hand-written proofs for the tests of the verifier.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "game/proof.h"

namespace tengen {

/// "h8", or "pass".
inline Point parsed(const std::string& name) {
  if (name == "pass") return NO_POINT;
  return make_point(name.at(0) - 'a', std::stoi(name.substr(1)) - 1);
}

struct Answer {
  std::string reply;
  u32 node;
};

/// A node in words; without a threat and replies it has to make a five.
struct Step {
  std::string move;
  u32 threat = NO_NODE;
  std::vector<Answer> answers = {};
};

inline void put_stones(Proof& proof, const std::string& names, Colour colour) {
  std::istringstream words(names);
  for (std::string name; words >> name;) proof.cells[parsed(name)] = colour;
}

inline Proof make_proof(Rule rule, int size, const std::string& black, const std::string& white,
                        const std::vector<Step>& steps) {
  Proof proof;
  proof.rule = rule;
  proof.size = size;
  proof.cells = empty_cells(size);
  put_stones(proof, black, BLACK);
  put_stones(proof, white, WHITE);
  for (const Step& step : steps) {
    proof.nodes.push_back({parsed(step.move), step.threat, static_cast<u32>(proof.replies.size()),
                           static_cast<u32>(step.answers.size())});
    for (const Answer& answer : step.answers)
      proof.replies.push_back({parsed(answer.reply), answer.node});
  }
  return proof;
}

inline Proof for_white(Proof proof) {
  proof.attacker = WHITE;
  return proof;
}

inline std::string path_of(const ProofCheck& result) {
  std::string text;
  for (const Point p : result.path) {
    if (!text.empty()) text += " ";
    text += p == NO_POINT ? "pass" : static_cast<char>('a' + x_of(p)) + std::to_string(y_of(p) + 1);
  }
  return text;
}

inline std::string fault_of(const Proof& proof) {
  const ProofCheck result = verify(proof);
  CHECK_EQ(result.is_valid, result.error.empty());
  return result.error;
}

/// Checks that the fault has these words in it, and the path.
inline void check_fault(const Proof& proof, const std::string& words, const std::string& path) {
  const ProofCheck result = verify(proof);
  CHECK(!result.is_valid && !result.interrupted);
  if (result.error.find(words) == std::string::npos) CHECK_EQ(result.error, words);
  CHECK_EQ(path_of(result), path);
}

/// e8 to g8, and h8 makes the open four.
inline const std::vector<Step> OPEN_FOUR = {{"h8", 1, {{"d8", 2}}}, {"d8"}, {"i8"}};

inline Proof open_four(Rule rule, const std::string& white = "") {
  return make_proof(rule, 15, "e8 f8 g8", white, OPEN_FOUR);
}

/// i8 makes a three in the row and one in the column. The row is the threat; who defends there
/// loses by the column.
inline Proof two_threes(Rule rule, const std::vector<std::string>& defences = {"e8", "f8", "j8"}) {
  std::vector<Answer> answers;
  for (const std::string& name : defences) answers.push_back({name, 2});
  return make_proof(rule, 15, "g8 h8 i6 i7", "",
                    {{"i8", 1, answers},
                     {"f8", 3, {{"e8", 4}}},
                     {"i9", 5, {{"i5", 6}}},
                     {"e8"},
                     {"j8"},
                     {"i5"},
                     {"i10"}});
}

}  // namespace tengen
