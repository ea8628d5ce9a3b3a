// SPDX-License-Identifier: MIT
// The integer net: against golden values of the Python reference (tests/golden/mixnet) for every
// instruction set, and incremental updates against full evaluation.
#include <algorithm>
#include <array>
#include <cstring>
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

TEST(mixnet_codebooks_equal_the_reference) {
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

TEST(mixnet_logits_equal_the_reference) {
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

namespace {

/// Stones put on at random, the last ones taken back, or any taken away.
class Walk {
 public:
  Walk(const Net& net, int size, const Kernels& kernels)
      : sums(net, size, kernels), taken_(static_cast<size_t>(size * size)) {}

  void step(Rng& rng) {
    if (rng.below(8) == 0) return exchange(rng);
    const auto point = static_cast<int>(rng.below(static_cast<u32>(taken_.size())));
    if (!taken_[static_cast<size_t>(point)] && stones.size() < 70 && rng.below(16) < 9)
      put(point, 1 + static_cast<int>(rng.below(2)));
    else if (sums.can_undo() && rng.below(64) != 0)
      take_back();
    else if (!stones.empty())
      take(rng.below(static_cast<u32>(stones.size())));
  }
  void take(size_t which) {
    sums.remove(stones[which].first, stones[which].second);
    taken_[static_cast<size_t>(stones[which].first)] = false;
    stones.erase(stones.begin() + static_cast<std::ptrdiff_t>(which));
  }

  int empty_point(Rng& rng) const {
    for (;;) {
      const u32 point = rng.below(static_cast<u32>(taken_.size()));
      if (!taken_[point]) return static_cast<int>(point);
    }
  }

  Accumulator sums;
  std::vector<std::pair<int, int>> stones;  ///< point and cell_state, in the order of play

 private:
  void put(int point, int cell_state) {
    sums.add(point, cell_state);
    stones.emplace_back(point, cell_state);
    taken_[static_cast<size_t>(point)] = true;
  }
  /// Some of the last stones for others, all at once; now and then the same ones, or of the other
  /// colour.
  void exchange(Rng& rng) {
    std::vector<Accumulator::StoneChange> changes;
    for (u32 n = rng.below(6); n > 0 && !stones.empty(); --n) {
      const auto [point, cell_state] = stones.back();
      changes.push_back({static_cast<u16>(point), static_cast<i8>(-cell_state)});
      taken_[static_cast<size_t>(point)] = false;
      stones.pop_back();
    }
    const std::vector<Accumulator::StoneChange> gone = changes;
    for (u32 n = rng.below(6); n > 0 && stones.size() < 70; --n) {
      const bool again = !gone.empty() && rng.below(3) == 0;
      const int point = again ? gone[rng.below(static_cast<u32>(gone.size()))].point
                              : static_cast<int>(rng.below(static_cast<u32>(taken_.size())));
      if (taken_[static_cast<size_t>(point)]) continue;
      const int cell_state = 1 + static_cast<int>(rng.below(2));
      changes.push_back({static_cast<u16>(point), static_cast<i8>(cell_state)});
      stones.emplace_back(point, cell_state);
      taken_[static_cast<size_t>(point)] = true;
    }
    sums.refresh(changes);
    CHECK(!sums.can_undo());
  }
  void take_back() {
    sums.undo();
    taken_[static_cast<size_t>(stones.back().first)] = false;
    stones.pop_back();
  }

  std::vector<bool> taken_;
};

/// So many steps of a walk; now and then all sums and logits against the position from nothing, by
/// the plain kernels.
void check_walk(const Net& net, int size, const Kernels& kernels, int steps) {
  Rng rng(6 + static_cast<u64>(size));
  const Kernels& plain = mixnet::kernels("scalar");
  Walk walk(net, size, kernels);
  Accumulator fresh(net, size, plain);
  Heads heads(net, kernels), plain_heads(net, plain);
  const std::vector<u16> points = all_points(size);
  std::vector<i32> found(points.size()), wanted(points.size());
  for (int step = 1; step <= steps; ++step) {
    walk.step(rng);
    if (step % 500 != 0) continue;
    fresh.clear();
    for (const auto& [p, cell_state] : walk.stones) fresh.add(p, cell_state);
    CHECK(walk.sums == fresh);
    CHECK(heads.value(walk.sums) == plain_heads.value(fresh));
    heads.policy(walk.sums, points, found);
    plain_heads.policy(fresh, points, wanted);
    CHECK(found == wanted);
    const int point = walk.empty_point(rng), cell_state = 1 + static_cast<int>(rng.below(2));
    const ValueLogits after = heads.value_after(walk.sums, point, cell_state);
    CHECK(walk.sums == fresh);
    CHECK(heads.value(walk.sums) == plain_heads.value(fresh));
    fresh.add(point, cell_state);
    CHECK(after == plain_heads.value(fresh));
    const std::span<const i32> sums = fresh.chunk(0);
    CHECK(std::equal(sums.data(), sums.data() + CHUNKS * sums.size(),
                     walk.sums.preview_add(point, cell_state)));
  }
  while (!walk.stones.empty()) walk.take(walk.stones.size() - 1);
  fresh.clear();
  CHECK(walk.sums == fresh);
}

}  // namespace

TEST(mixnet_add_and_remove_restore_the_sums) {
  for (const char* name : NETS)
    for (const simd::Ops* version : simd::available()) {
      const int steps = check::reduced(version->name == "scalar" ? 10'000 : 100'000);
      for (const int size : {9, 15, 20})
        check_walk(net_of(name), size, mixnet::kernels(version->name), steps);
    }
}

/// Index of the weight of an input and an output of a layer.
static size_t offset(int in, int i, int o, int group) {
  const int before = (o / LAYER_WIDTH * in + i / group * group) * LAYER_WIDTH;
  return static_cast<size_t>(before + o % LAYER_WIDTH * group + i % group);
}

TEST(mixnet_layers_of_several_rows) {
  Rng rng(9);
  for (const simd::Ops* version : simd::available()) {
    const Kernels &kernels = mixnet::kernels(version->name), &plain = mixnet::kernels("scalar");
    for (const int out : {16, 32, 48, 128, 176})
      for (int rows = 1; rows <= MAX_ROWS; ++rows) {
        const int in = 32;
        u8 x[MAX_ROWS][32];
        const u8* from[MAX_ROWS] = {x[0], x[1], x[2], x[3]};
        for (auto& row : x)
          for (u8& value : row) value = static_cast<u8>(rng.below(128));
        std::vector<i8> weights(static_cast<size_t>(in * out));
        for (i8& weight : weights) weight = static_cast<i8>(static_cast<int>(rng.below(255)) - 127);
        std::vector<i32> bias(static_cast<size_t>(out), 77);
        std::vector<i32> found(static_cast<size_t>(rows * out)), wanted(found.size());
        const ByteWeights bytes{weights.data(), false};
        kernels.add_bytes(from, rows, in, bytes, bias.data(), out, found.data());
        plain.add_bytes(from, rows, in, bytes, bias.data(), out, wanted.data());
        CHECK(found == wanted);
      }
  }
}

TEST(mixnet_star_blocks_of_several_rows) {
  Rng rng(10);
  const auto random_bytes = [&](int count, int most) {
    std::vector<i8> bytes(static_cast<size_t>(count));
    for (i8& byte : bytes)
      byte = static_cast<i8>(static_cast<int>(rng.below(static_cast<u32>(2 * most + 1))) - most);
    return bytes;
  };
  u8 x[MAX_ROWS][MAX_CHANNELS];
  const u8* const from[MAX_ROWS] = {x[0], x[1], x[2], x[3]};
  for (const simd::Ops* version : simd::available())
    for (const int in : {16, 32, 64, 128})
      for (const int out : {16, 32, 128})
        for (int rows = 1; rows <= MAX_ROWS; ++rows) {
          for (auto& row : x)
            for (u8& value : row) value = static_cast<u8>(rng.below(ACTIVATION_MAX + 1));
          // The greatest weights, and such that most activations are between their bounds.
          const int most = rng.below(2) == 0 ? 127 : 5;
          const std::vector<i8> both = random_bytes(4 * in * in, most);
          const std::vector<i8> down = random_bytes(in * out, most);
          std::vector<i16> pairs(down.size());  // the same weights in the other order
          for (int i = 0; i < in; ++i)
            for (int o = 0; o < out; ++o) pairs[offset(in, i, o, 2)] = down[offset(in, i, o, 4)];
          const std::vector<i32> both_bias(static_cast<size_t>(4 * in), 999);
          const std::vector<i32> down_bias(static_cast<size_t>(out), 200'000);
          const StarLayers star{in,
                                out,
                                {both.data(), false},
                                both_bias.data(),
                                {pairs.data(), down.data()},
                                down_bias.data(),
                                out};
          u8 found[MAX_ROWS][MAX_CHANNELS] = {}, wanted[MAX_ROWS][MAX_CHANNELS] = {};
          u8* const to[MAX_ROWS] = {found[0], found[1], found[2], found[3]};
          u8* const plain_to[MAX_ROWS] = {wanted[0], wanted[1], wanted[2], wanted[3]};
          mixnet::kernels(version->name).star(star, from, to, rows);
          mixnet::kernels("scalar").star(star, from, plain_to, rows);
          CHECK(std::memcmp(found, wanted, sizeof(found)) == 0);
        }
}

TEST(mixnet_layers_of_weights_that_fit_i16) {
  // Inputs and weights at their bounds, all of one sign for some outputs, of both for others.
  constexpr int IN = 32, OUT = 48;
  Rng rng(11);
  std::vector<i8> weights(IN * OUT);
  for (int o = 0; o < OUT; ++o)
    for (int i = 0; i < IN; ++i) {
      const bool above = o % 3 == 0 || (o % 3 == 1 && rng.below(2) == 1);
      const int most = I16_WEIGHT_SUM_MAX / 4 + (i % 8 < 2 ? 1 : 0);  // 65, 65, 64 and 64 make 258
      weights[offset(IN, i, o, 4)] = static_cast<i8>(above ? most : -most);
    }
  u8 x[MAX_ROWS][IN];
  for (u8& value : x[0]) value = ACTIVATION_MAX;
  for (int row = 1; row < MAX_ROWS; ++row)
    for (u8& value : x[row]) value = static_cast<u8>(rng.below(ACTIVATION_MAX + 1));
  const u8* const from[MAX_ROWS] = {x[0], x[1], x[2], x[3]};
  const std::vector<i32> bias(OUT, -5);
  for (const simd::Ops* version : simd::available())
    for (int rows = 1; rows <= MAX_ROWS; ++rows) {
      std::vector<i32> found(static_cast<size_t>(rows * OUT)), wanted(found.size());
      mixnet::kernels(version->name)
          .add_bytes(from, rows, IN, {weights.data(), true}, bias.data(), OUT, found.data());
      mixnet::kernels("scalar").add_bytes(from, rows, IN, {weights.data(), false}, bias.data(), OUT,
                                          wanted.data());
      CHECK(found == wanted);
    }
}

TEST(mixnet_weights_fit_i16_up_to_the_bound) {
  ByteLayer layer;
  layer.out = 16, layer.in = 16, layer.taps = 1;
  layer.weights.assign(16 * 16, 0);
  const auto put = [&](int input, int weight) {
    layer.weights[static_cast<size_t>(5 * layer.in + input)] = static_cast<i8>(weight);
  };
  for (const int sign : {1, -1}) {
    for (const int input : {10, 11}) put(input, sign * 127);
    put(14, sign * 4);
    put(15, 0);
    CHECK(weights_fit_i16(layer));
    put(15, sign);
    CHECK(!weights_fit_i16(layer));
    put(15, -sign * 127);
    CHECK(weights_fit_i16(layer));
  }
}

TEST(mixnet_policy_of_all_channels_and_counts) {
  Rng rng(10);
  const auto draw = [&](int most) {
    return static_cast<int>(rng.below(static_cast<u32>(2 * most + 1))) - most;
  };
  constexpr int STRIDE = MAX_CHANNELS / 2, OUT = mixnet::Shape::POLICY_OUTPUTS;
  for (const simd::Ops* version : simd::available()) {
    const Kernels &kernels = mixnet::kernels(version->name), &plain = mixnet::kernels("scalar");
    for (const int channels : {2, 6, 16, 30, 32, 64})
      for (size_t count = 0; count <= 9; ++count) {
        std::vector<i16> conv(9 * STRIDE), dynamic(static_cast<size_t>(channels * OUT));
        for (i16& feature : conv) feature = static_cast<i16>(draw(3000));
        const int step = count % 2 ? 1 : DYNAMIC_MAX;  // all weights, or the largest ones
        for (i16& weight : dynamic) weight = static_cast<i16>(draw(DYNAMIC_MAX / step) * step);
        std::array<i16, OUT> weights;
        for (i16& weight : weights) weight = static_cast<i16>(draw(8191));
        std::array<i32, OUT> bias;
        for (i32& number : bias) number = draw(1 << 20);
        const PolicyLayers layers{channels, dynamic.data(), bias.data(), weights.data(), 5};
        const u16 points[] = {8, 0, 3, 1, 2, 7, 4, 5, 6};
        std::vector<i32> found(9, -1), wanted(9, -1);
        kernels.policy(layers, conv.data(), STRIDE, points, count, found.data());
        plain.policy(layers, conv.data(), STRIDE, points, count, wanted.data());
        CHECK(found == wanted);
      }
  }
}

TEST(mixnet_patterns_of_a_board) {
  // On the empty board every half is empty; its length is the distance to the edge.
  const PointPatterns& steps = PointPatterns::of(15);
  const auto middle = static_cast<size_t>(7 * 15 + 7) * DIRECTION_NB, corner = size_t{0};
  for (int d = 0; d < DIRECTION_NB; ++d)
    CHECK_EQ(steps.empty_board()[middle + static_cast<size_t>(d)], 121 * 3 * 364 + 121);
  CHECK_EQ(steps.empty_board()[corner], 121);  // nothing to the left, five cells to the right
  CHECK_EQ(steps.empty_board()[corner + 3], 0);
  CHECK_EQ(steps.affected_by(7 * 15 + 7).size(), size_t{44});
  CHECK_EQ(steps.affected_by(0).size(), size_t{4 + 15});
  for (const int size : {5, 9, 22})
    for (int p = 0; p < size * size; ++p)
      for (const AffectedPattern& seen : PointPatterns::of(size).affected_by(p))
        CHECK(seen.index_delta > 0 && seen.index_delta < PATTERN_NB / 2);
}

TEST(mixnet_invalid_files_are_rejected) {
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

TEST(mixnet_value_in_evaluation_units) {
  CHECK_EQ(eval_from_logits({0, 0, -100000}), 0);
  CHECK_EQ(eval_from_logits({4096, 0, -1000000}), 200);  // a logit more
  CHECK_EQ(eval_from_logits({0, 4096, -1000000}), -200);
  CHECK_EQ(eval_from_logits({0, 0, 1000000}), 0);  // a draw
  CHECK(eval_from_logits({4096, -4096, 40960}) < eval_from_logits({4096, -4096, 0}));
  CHECK(eval_from_logits({2000000000, -2000000000, 0}) <= EVAL_LIMIT);
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
      if (rng.below(4)) continue;  // evaluated occasionally, for either side
      const Colour side = rng.below(2) ? WHITE : BLACK;
      fresh.assign(board);
      const bool leaf = rng.below(2) != 0;
      CHECK_EQ(leaf ? walked.value_without_update(board, side) : walked.value(board, side),
               fresh.value(board, side));
      if (leaf && rng.below(2)) continue;
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
