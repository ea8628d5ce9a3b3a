// SPDX-License-Identifier: MIT
// The net in integers: against the golden values of the Python reference (tests/golden/mixnet), for
// every instruction set, and stone by stone against the same position from nothing.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "base/crc32.h"
#include "base/rng.h"
#include "check.h"
#include "eval/value.h"
#include "mixnet/mixnet_evaluator.h"
#include "simd/simd.h"

using namespace tengen;
using namespace tengen::mixnet;

namespace {

const std::string FOLDER = std::string(TENGEN_TEST_DATA) + "/golden/mixnet/";
const char* const NETS[] = {"lively", "at_bounds", "all_plus"};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const Net& net_of(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Net>> made;
  auto& found = made[name];
  if (!found) found = std::make_unique<Net>(read_weights(read_file(FOLDER + name + ".net")));
  return *found;
}

/// A board with what one side to move should get.
struct Case {
  std::string name;
  int size = 0;
  std::vector<std::pair<int, char>> stones;
  char to_move = 'X';
  ValueLogits value{};
  std::vector<i32> policy;

  void put_on(Accumulator& sums) const {
    sums.clear();
    for (const auto& [point, stone] : stones) sums.add(point, stone == to_move ? 1 : 2);
  }
};

struct Golden {
  std::string codebooks;
  std::vector<Case> cases;
};

Golden read_golden(const std::string& name) {
  Golden found;
  std::ifstream file(FOLDER + name + ".txt");
  std::string line, word;
  Case current;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    if (line.empty() || line[0] == '#' || !(words >> word)) continue;
    if (word == "codebook") found.codebooks = line;
    if (word == "case") {
      current = {};
      words >> current.name >> current.size;
      for (int y = 0; y < current.size; ++y) {
        std::getline(file, line);
        for (int x = 0; x < current.size; ++x)
          if (line[static_cast<size_t>(x)] != '.')
            current.stones.emplace_back(y * current.size + x, line[static_cast<size_t>(x)]);
      }
    }
    if (word == "to_move") {
      words >> word;
      current.to_move = word == "black" ? 'X' : 'O';
    }
    if (word == "value") words >> current.value.win >> current.value.loss >> current.value.draw;
    if (word == "policy") {
      current.policy.clear();
      for (int i = 0; i < current.size * current.size; ++i) {
        i32 logit;
        file >> logit;
        current.policy.push_back(logit);
      }
      found.cases.push_back(current);
    }
  }
  return found;
}

std::vector<u16> all_points(int size) {
  std::vector<u16> points;
  for (int p = 0; p < size * size; ++p) points.push_back(static_cast<u16>(p));
  return points;
}

}  // namespace

TEST(mixnet_codebooks_are_those_of_the_reference) {
  for (const char* name : NETS) {
    const Net& net = net_of(name);
    std::ostringstream found;
    found << std::hex;
    for (int which = 0; which < 2; ++which) {
      const Codebook& book = net.codebook(which);
      const u32 crc = crc32({reinterpret_cast<const char*>(&book[0]), book.bytes()});
      found << (which ? " di " : "codebook hv ");
      found.width(8);
      found.fill('0');
      found << crc;
    }
    CHECK_EQ(found.str(), read_golden(name).codebooks);
  }
}

TEST(mixnet_logits_are_those_of_the_reference) {
  for (const char* name : NETS) {
    const Net& net = net_of(name);
    const Golden golden = read_golden(name);
    CHECK(golden.cases.size() >= 6);
    for (const simd::Ops* version : simd::available()) {
      const Kernels& kernels = mixnet::kernels(version->name);
      Heads heads(net, kernels);
      for (const Case& wanted : golden.cases) {
        Accumulator sums(net, wanted.size, kernels);
        wanted.put_on(sums);
        CHECK(heads.value(sums) == wanted.value);
        std::vector<i32> logits(wanted.policy.size());
        heads.policy(sums, all_points(wanted.size), logits);
        CHECK(logits == wanted.policy);
      }
    }
  }
}

TEST(mixnet_stones_put_and_taken_leave_no_trace) {
  Rng rng(6);
  for (const char* name : NETS) {
    const Net& net = net_of(name);
    for (const simd::Ops* version : simd::available()) {
      const Kernels& kernels = mixnet::kernels(version->name);
      Heads heads(net, kernels);
      for (const int size : {9, 15, 20}) {
        Accumulator walked(net, size, kernels), fresh(net, size, mixnet::kernels("scalar"));
        std::vector<std::pair<int, int>> stones;
        const auto taken = [&](int point) {
          return std::ranges::any_of(stones, [&](const auto& s) { return s.first == point; });
        };
        for (int step = 0; step < 600; ++step) {
          const int point = static_cast<int>(rng.below(static_cast<u32>(size * size)));
          if (!taken(point) && stones.size() < 60) {
            stones.emplace_back(point, 1 + static_cast<int>(rng.below(2)));
            walked.add(stones.back().first, stones.back().second);
          } else if (!stones.empty()) {
            const size_t which = rng.below(static_cast<u32>(stones.size()));
            walked.remove(stones[which].first, stones[which].second);
            stones.erase(stones.begin() + static_cast<std::ptrdiff_t>(which));
          }
          if (step % 100 != 99) continue;
          fresh.clear();
          for (const auto& [p, digit] : stones) fresh.add(p, digit);
          CHECK(walked == fresh);
          CHECK(heads.value(walked) == heads.value(fresh));
        }
        while (!stones.empty()) {
          walked.remove(stones.back().first, stones.back().second);
          stones.pop_back();
        }
        fresh.clear();
        CHECK(walked == fresh);
      }
    }
  }
}

TEST(mixnet_patterns_of_a_board) {
  // On the empty board every half is empty; its length is the way to the edge.
  const PatternSteps& steps = PatternSteps::of(15);
  const auto middle = static_cast<size_t>(7 * 15 + 7) * DIRECTION_NB, corner = size_t{0};
  for (int d = 0; d < DIRECTION_NB; ++d)
    CHECK_EQ(steps.empty_board()[middle + static_cast<size_t>(d)], 121 * 3 * 364 + 121);
  CHECK_EQ(steps.empty_board()[corner], 121);  // nothing to the left, five cells to the right
  CHECK_EQ(steps.empty_board()[corner + 3], 0);
  CHECK_EQ(steps.seen_from(7 * 15 + 7).size(), size_t{44});
  CHECK_EQ(steps.seen_from(0).size(), size_t{4 + 15});
  for (const int size : {5, 9, 22})
    for (int p = 0; p < size * size; ++p)
      for (const Seen& seen : PatternSteps::of(size).seen_from(p))
        CHECK(seen.step > 0 && seen.step < PATTERN_NB / 2);
}

TEST(mixnet_files_that_are_none) {
  const std::string good = read_file(FOLDER + "lively.net");
  const auto refused = [](const std::string& bytes) {
    try {
      read_weights(bytes);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(!refused(good));
  CHECK(refused(""));
  for (size_t kept = 0; kept < good.size(); kept += 997) CHECK(refused(good.substr(0, kept)));
  CHECK(refused(good + "x"));
  Rng rng(3);
  for (int i = 0; i < 400; ++i) {
    std::string bad = good;
    // The promise about the codebook, and what nobody reads, are not part of a checksum.
    size_t at = rng.below(static_cast<u32>(bad.size()));
    if (at >= 40 && at < 64) at = 16;
    bad[at] = static_cast<char>(bad[at] ^ (1 << rng.below(8)));
    CHECK(refused(bad));
  }
}

TEST(mixnet_value_in_points) {
  CHECK_EQ(points_of({0, 0, -100000}), 0);
  CHECK_EQ(points_of({4096, 0, -1000000}), 200);  // a logit more
  CHECK_EQ(points_of({0, 4096, -1000000}), -200);
  CHECK_EQ(points_of({0, 0, 1000000}), 0);  // a draw
  CHECK(points_of({4096, -4096, 40960}) < points_of({4096, -4096, 0}));
  CHECK(points_of({2000000000, -2000000000, 0}) <= EVAL_LIMIT);
}

TEST(mixnet_evaluator_follows_any_walk) {
  Rng rng(11);
  const auto net = std::make_shared<const Net>(read_weights(read_file(FOLDER + "lively.net")));
  for (const int size : {9, 15}) {
    PatternBoard board(size, Rule::FREESTYLE);
    MixnetEvaluator walked({net, net}, size), fresh({net, net}, size);
    walked.assign(board);
    std::vector<Point> played;
    for (int step = 0; step < 3000; ++step) {
      const Point p = make_point(static_cast<int>(rng.below(static_cast<u32>(size))),
                                 static_cast<int>(rng.below(static_cast<u32>(size))));
      if (rng.below(5) < 3 && board.is_empty(p) && played.size() < 50) {
        const Colour colour = played.size() % 2 ? WHITE : BLACK;
        board.play(p, colour);
        walked.play(board, p, colour);
        played.push_back(p);
      } else if (!played.empty()) {
        board.undo();
        walked.undo();
        played.pop_back();
      }
      if (rng.below(4)) continue;  // asked now and then, for either side
      const Colour side = rng.below(2) ? WHITE : BLACK;
      fresh.assign(board);
      CHECK_EQ(walked.value(board, side), fresh.value(board, side));
      std::vector<ScoredMove> moves, again;
      for (int i = 0; i < size; ++i)
        if (board.is_empty(make_point(i, i))) moves.push_back({make_point(i, i), 0});
      again = moves;
      walked.score_moves(board, side, moves);
      fresh.score_moves(board, side, again);
      for (size_t i = 0; i < moves.size(); ++i) CHECK_EQ(moves[i].score, again[i].score);
    }
  }
}
