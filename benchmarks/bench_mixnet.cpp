// SPDX-License-Identifier: MIT
// Speed of Mixnet without a search: baking, a stone put on the accumulator, the whole board anew,
// the value, the policy of forty points. Random weights; sizes S, M and L; the instruction set is
// the best one, or TENGEN_SIMD.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.h"
#include "mixnet/heads.h"
#include "simd/simd.h"

using namespace tengen;
using namespace tengen::mixnet;

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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
  net.rules = 1, net.colours = 3, net.sizes = 1u << 15;
  return net;
}

template <typename Work>
double microseconds(int rounds, Work work) {
  std::vector<double> times;
  for (int repeat = 0; repeat < 7; ++repeat) {
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) work(i);
    times.push_back(since(start) / rounds * 1e6);
  }
  std::ranges::nth_element(times, times.begin() + 3);
  return times[3];
}

void measure(const char* name, const Shape& shape) {
  Rng rng(1);
  const Weights weights = random_weights(shape, rng);
  const auto start = Clock::now();
  const std::clock_t work = std::clock();
  const Net net(weights);
  const double baking = since(start);
  const double busy = static_cast<double>(std::clock() - work) / CLOCKS_PER_SEC;
  const Kernels& kernels = mixnet::kernels();
  Accumulator sums(net, 15, kernels);
  Heads heads(net, kernels);
  std::vector<std::pair<int, int>> stones;
  for (int i = 0; i < 40; ++i) {
    const int point = static_cast<int>((3 + rng.below(9)) * 15 + 3 + rng.below(9));
    if (std::ranges::any_of(stones, [&](const auto& s) { return s.first == point; })) continue;
    stones.emplace_back(point, 1 + i % 2);
  }
  const auto put_all = [&](int) {
    sums.clear();
    for (const auto& [point, digit] : stones) sums.add(point, digit);
  };
  put_all(0);
  const size_t count = stones.size();
  const double stone = microseconds(4000,
                                    [&](int i) {
                                      const auto& [point, digit] =
                                          stones[static_cast<size_t>(i) % count];
                                      sums.remove(point, digit);
                                      sums.add(point, digit);
                                    }) /
                       2;
  const double whole = microseconds(50, put_all);
  i32 unused = 0;
  // As in a search: after each stone the value is wanted.
  const double both = microseconds(2000,
                                   [&](int i) {
                                     const auto& [point, digit] =
                                         stones[static_cast<size_t>(i) % count];
                                     sums.remove(point, digit);
                                     unused += heads.value(sums).win;
                                     sums.add(point, digit);
                                     unused += heads.value(sums).win;
                                   }) /
                      2;
  const double value = both - stone;
  std::vector<u16> points;
  for (u16 p = 60; p < 100; ++p) points.push_back(p);
  std::vector<i32> logits(points.size());
  const double policy = microseconds(4000, [&](int) { heads.policy(sums, points, logits); });
  std::printf(
      "%-2s bake %.2f s (%.2f of a core), stone %.2f us, whole board %.1f us (%.1f stones' worth), "
      "value %.2f us, "
      "policy of 40 points %.2f us (%d)\n",
      name, baking, busy, stone, whole, whole / stone, value, policy, unused & 1);
}

}  // namespace

/// With arguments only these sizes.
int main(int count, char** names) {
  std::printf("instruction set %s\n", std::string(simd::ops().name).c_str());
  const std::pair<const char*, Shape> sizes[] = {
      {"S", {32, 64, 16, 32}}, {"M", {64, 128, 32, 64}}, {"L", {128, 256, 64, 128}}};
  for (const auto& [name, shape] : sizes)
    if (count == 1 || std::any_of(names + 1, names + count, [&](const char* wanted) {
          return std::string_view(wanted) == name;
        }))
      measure(name, shape);
}
