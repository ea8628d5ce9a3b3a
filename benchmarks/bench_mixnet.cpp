// SPDX-License-Identifier: MIT
// Speed of Mixnet without search: baking, adding and undoing a stone, full evaluation, value,
// policy of forty points. Medians on 15x15 after about 35 stones; best instruction set, or
// TENGEN_SIMD.
//
//     bench_mixnet [--json] [S] [M] [L] [FILE.net]      without a name S, M and L, random weights
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "mixnet/heads.h"
#include "simd/simd.h"

using namespace tengen;
using namespace tengen::mixnet;

namespace {

constexpr int SIZE = 15;
constexpr int ROUNDS = 7;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <typename Work>
double microseconds(int times, Work work) {
  std::vector<double> found;
  for (int round = 0; round < ROUNDS; ++round) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) work(i);
    found.push_back(since(start) / times * 1e6);
  }
  std::ranges::nth_element(found, found.begin() + ROUNDS / 2);
  return found[ROUNDS / 2];
}

// --- Weights ---

template <typename W, typename B>
void fill(Layer<W, B>& layer, int out, int in, int taps, double spread, Rng& rng) {
  layer.out = out, layer.in = in, layer.taps = taps;
  const auto draw = [&] { return spread * (rng.below(2001) / 1000.0 - 1.0); };
  for (int i = 0; i < out * in * taps; ++i) layer.weights.push_back(static_cast<W>(draw()));
  for (int i = 0; i < out; ++i) layer.bias.push_back(static_cast<B>(draw()));
}

Weights random_weights(const Shape& shape, Rng& rng) {
  Weights net;
  net.shape = shape;
  for (MappingWeights& mapping : net.mapping) {
    const double spread = 1.7 / std::max(1.0, shape.m / 8.0);
    fill(mapping.first, shape.m, 2, 3, 1.0, rng);
    for (int k = 0; k < MappingWeights::BLOCKS; ++k) {
      fill(mapping.along[static_cast<size_t>(k)], shape.m, shape.m, 3, spread, rng);
      fill(mapping.across[static_cast<size_t>(k)], shape.m, shape.m, 1, spread, rng);
    }
    fill(mapping.last, shape.c, shape.m, 1, spread, rng);
  }
  fill(net.conv, shape.conv(), 1, 9, 8000, rng);
  fill(net.policy_hidden, shape.c, shape.c, 1, 60, rng);
  fill(net.policy_dynamic, shape.dynamic(), shape.c, 1, 60, rng);
  fill(net.policy_out, 1, Shape::POLICY_OUTPUTS, 1, 4000, rng);
  for (int k = 0; k < 4; ++k) {
    StarWeights& star = net.stars[static_cast<size_t>(k)];
    const int in = k < 3 ? shape.c : shape.v;
    fill(star.up, 2 * in, in, 1, 40, rng);
    fill(star.gate, 2 * in, in, 1, 40, rng);
    fill(star.down, shape.v, in, 1, 40, rng);
  }
  fill(net.value[0], shape.v, shape.joined(), 1, 40, rng);
  fill(net.value[1], shape.v, shape.v, 1, 40, rng);
  fill(net.value[2], VALUE_OUTPUTS, shape.v, 1, 40, rng);
  net.rules = 1, net.sizes = 1u << SIZE;
  return net;
}

/// Of S, M, L, or of a file.
Weights weights_of(const std::string& name) {
  const std::pair<const char*, Shape> sizes[] = {
      {"S", {32, 64, 16, 32}}, {"M", {64, 128, 32, 64}}, {"L", {128, 256, 64, 128}}};
  for (const auto& [size, shape] : sizes)
    if (name == size) {
      Rng rng(1);
      return random_weights(shape, rng);
    }
  std::ifstream file(name, std::ios::binary);
  if (!file) throw std::invalid_argument(name + " cannot be read: give S, M, L or a net file");
  return read_weights(std::string(std::istreambuf_iterator<char>(file), {}));
}

// --- The whole board ---

struct Placed {
  int point, cell_state;
};

/// The sums of an accumulator worked out from nothing, as an evaluation must that keeps none: the
/// patterns of all points by number, their rows summed, the convolution, the chunks. Plain loops
/// over C channels, which the compiler turns into vectors for the machine at hand; the board has
/// an edge of zeros, so that there is nothing to ask on the way.
template <int C>
class Refresh {
 public:
  explicit Refresh(const Net& net)
      : net_(net),
        layout_(Layout::of(SIZE)),
        features_(static_cast<size_t>(SIZE * SIZE * C)),
        convolved_(static_cast<size_t>(SIZE * SIZE * HALF)),
        padded_(static_cast<size_t>((SIZE + 2) * (SIZE + 2) * HALF)),
        chunks_(CHUNKS * C) {}

  void run(const std::vector<Placed>& stones, const Placed& last) {
    const PointPatterns& steps = PointPatterns::of(SIZE);
    patterns_.assign(steps.empty_board().begin(), steps.empty_board().end());
    const auto put = [&](const Placed& stone) {
      for (const AffectedPattern& seen : steps.affected_by(stone.point))
        patterns_[static_cast<size_t>(seen.point * DIRECTION_NB + seen.direction)] +=
            stone.cell_state * seen.index_delta;
    };
    for (const Placed& stone : stones) put(stone);
    put(last);
    std::ranges::fill(chunks_, 0);
    for (int p = 0; p < SIZE * SIZE; ++p) add_rows(p);
    for (int p = 0; p < SIZE * SIZE; ++p) convolve(p);
  }

  bool operator==(const Accumulator& other) const {
    for (int k = 0; k < CHUNKS; ++k)
      if (!std::equal(&chunks_[static_cast<size_t>(k * C)],
                      &chunks_[static_cast<size_t>(k * C)] + C, other.chunk(k).begin()))
        return false;
    return std::equal(features_.begin(), features_.end(), other.features(0)) &&
           std::equal(convolved_.begin(), convolved_.end(), other.conv(0));
  }

 private:
  static constexpr int HALF = C / 2;

  /// Where the point's first features lie on the board with an edge.
  i16* padded(int point) {
    return &padded_[static_cast<size_t>(((point / SIZE + 1) * (SIZE + 2) + point % SIZE + 1) *
                                        HALF)];
  }
  i32* chunk(int point) {
    return &chunks_[static_cast<size_t>(layout_.chunk[static_cast<size_t>(point)] * C)];
  }

  void add_rows(int p) {
    const i32* const patterns = &patterns_[static_cast<size_t>(p * DIRECTION_NB)];
    const i16* const rows[] = {net_.row(0, patterns[0]), net_.row(1, patterns[1]),
                               net_.row(2, patterns[2]), net_.row(3, patterns[3])};
    i16* __restrict const features = &features_[static_cast<size_t>(p * C)];
    for (int i = 0; i < C; ++i)
      features[i] = static_cast<i16>(rows[0][i] + rows[1][i] + rows[2][i] + rows[3][i]);
    i16* __restrict const first = padded(p);
    i32* __restrict const sums = chunk(p);
    for (int i = 0; i < HALF; ++i) first[i] = std::max<i16>(features[i], 0);
    for (int i = HALF; i < C; ++i) sums[i] += std::max<i16>(features[i], 0);
  }

  void convolve(int p) {
    i16 found[HALF];
    std::copy_n(net_.conv_bias.begin(), HALF, found);
    for (int tap = 0; tap < 9; ++tap) {
      const i16* __restrict const read =
          padded(p) + ((tap / 3 - 1) * (SIZE + 2) + tap % 3 - 1) * HALF;
      const i16* __restrict const weights = &net_.conv_weights[static_cast<size_t>(tap * HALF)];
      for (int i = 0; i < HALF; ++i)
        found[i] = static_cast<i16>(found[i] + ((((read[i] * weights[i]) >> 14) + 1) >> 1));
    }
    std::copy_n(found, HALF, &convolved_[static_cast<size_t>(p * HALF)]);
    i32* __restrict const sums = chunk(p);
    for (int i = 0; i < HALF; ++i) sums[i] += std::max<i16>(found[i], 0);
  }

  const Net& net_;
  const Layout& layout_;
  std::vector<i32> patterns_;
  std::vector<i16> features_, convolved_, padded_;
  std::vector<i32> chunks_;
};

// --- Measuring ---

/// Stones of a middle game, and moves that continue it.
struct Game {
  std::vector<Placed> stones, moves;

  Game() {
    Rng rng(1);
    std::vector<bool> taken(SIZE * SIZE);
    const auto draw = [&](std::vector<Placed>& to, int tries) {
      for (int i = 0; i < tries; ++i) {
        const int point = static_cast<int>((3 + rng.below(9)) * SIZE + 3 + rng.below(9));
        if (taken[static_cast<size_t>(point)]) continue;
        taken[static_cast<size_t>(point)] = true;
        to.push_back({point, 1 + i % 2});
      }
    };
    draw(stones, 40);
    draw(moves, 100);
  }
  const Placed& move(int i) const { return moves[static_cast<size_t>(i) % moves.size()]; }
};

/// Microseconds, but for baking.
struct Figures {
  double bake_seconds, bake_core_seconds;
  double put, move;  ///< a stone; a stone and taking it back
  double refresh;    ///< the position after the stone, from nothing
  double value, policy;
};

template <int C>
double measure_refresh(const Net& net, const Game& game, Accumulator& sums) {
  Refresh<C> refresh(net);
  for (const Placed& move : game.moves) {
    refresh.run(game.stones, move);
    sums.add(move.point, move.cell_state);
    if (!(refresh == sums)) throw std::logic_error("the whole board gives other sums");
    sums.undo();
  }
  return microseconds(400, [&](int i) { refresh.run(game.stones, game.move(i)); });
}

double refresh_of(const Net& net, const Game& game, Accumulator& sums) {
  switch (net.shape().c) {
    case 32: return measure_refresh<32>(net, game, sums);
    case 64: return measure_refresh<64>(net, game, sums);
    case 128: return measure_refresh<128>(net, game, sums);
    default: return 0;
  }
}

Figures measure(const Weights& weights) {
  Figures found{};
  const auto start = Clock::now();
  const std::clock_t work = std::clock();
  const Net net(weights);
  found.bake_seconds = since(start);
  found.bake_core_seconds = static_cast<double>(std::clock() - work) / CLOCKS_PER_SEC;
  const Game game;
  Accumulator sums(net, SIZE, kernels());
  Heads heads(net, kernels());
  for (const auto& [point, cell_state] : game.stones) sums.add(point, cell_state);
  found.refresh = refresh_of(net, game, sums);
  found.put = microseconds(50,
                           [&](int) {
                             sums.clear();
                             for (const auto& [point, cell_state] : game.stones)
                               sums.add(point, cell_state);
                           }) -
              microseconds(50, [&](int) { sums.clear(); });
  found.put /= static_cast<double>(game.stones.size());
  for (const auto& [point, cell_state] : game.stones) sums.add(point, cell_state);
  found.move = microseconds(4000, [&](int i) {
    sums.add(game.move(i).point, game.move(i).cell_state);
    sums.undo();
  });
  i32 unused = 0;
  const double both = microseconds(2000, [&](int i) {
    sums.add(game.move(i).point, game.move(i).cell_state);
    unused += heads.value(sums).win;
    sums.undo();
  });
  found.value = both - found.move + (unused == 1 ? 1e-9 : 0);
  std::vector<u16> points;
  for (u16 p = 60; p < 100; ++p) points.push_back(p);
  std::vector<i32> logits(points.size());
  found.policy = microseconds(4000, [&](int) { heads.policy(sums, points, logits); });
  return found;
}

void print(const std::string& name, const Figures& found, bool as_json) {
  const char* const plain =
      "%s: bake %.2f s (%.2f of a core); a stone %.2f us, with taking it back %.2f us; the board "
      "from nothing %.1f us (%.1f times that); value %.2f us, policy of 40 points %.2f us\n";
  const char* const json =
      R"({"name": "%s", "bake_seconds": %.3f, "bake_core_seconds": %.3f, "put_us": %.3f, )"
      R"("move_us": %.3f, "refresh_us": %.2f, "refresh_per_move": %.2f, "value_us": %.3f, )"
      R"("policy_us": %.3f})"
      "\n";
  std::printf(as_json ? json : plain, name.c_str(), found.bake_seconds, found.bake_core_seconds,
              found.put, found.move, found.refresh, found.refresh / found.move, found.value,
              found.policy);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) try {
  std::vector<std::string> names(words + 1, words + count);
  const bool as_json = std::erase(names, "--json") > 0;
  if (names.empty()) names = {"S", "M", "L"};
  if (!as_json) std::printf("instruction set %s\n", std::string(simd::ops().name).c_str());
  for (const std::string& name : names) print(name, measure(weights_of(name)), as_json);
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_mixnet: %s\n", error.what());
  return 1;
}
