// SPDX-License-Identifier: MIT
// Baking against its definition (docs/formats/net.md), cell by cell, for mapping nets whose sizes
// do and do not fill the registers. Compiled without fused multiply-add, like the baker.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/rng.h"
#include "check.h"
#include "mixnet/bake.h"
#include "mixnet/patterns.h"

using namespace tengen;
using namespace tengen::mixnet;

namespace {

using Line = std::vector<std::vector<float>>;  ///< [cell][channel]

void fill(FloatLayer& layer, int out, int in, int taps, Rng& rng) {
  layer.out = out, layer.in = in, layer.taps = taps;
  const float spread = 2.4f / std::sqrt(static_cast<float>(in * taps));
  const auto draw = [&] { return spread * (static_cast<float>(rng.below(2001)) / 1000.0f - 1.0f); };
  for (int i = 0; i < out * in * taps; ++i) layer.weights.push_back(draw());
  for (int i = 0; i < out; ++i) layer.bias.push_back(draw());
}

MappingWeights random_mapping(const Shape& shape, Rng& rng) {
  MappingWeights found;
  fill(found.first, shape.m, 2, 3, rng);
  for (size_t k = 0; k < MappingWeights::BLOCKS; ++k) {
    fill(found.along[k], shape.m, shape.m, 3, rng);
    fill(found.across[k], shape.m, shape.m, 1, rng);
  }
  fill(found.last, shape.c, shape.m, 1, rng);
  for (float& weight : found.last.weights) weight *= 2;
  return found;
}

float relu(float x) { return x > 0 ? x : 0; }

std::vector<float> along(const FloatLayer& layer, const Line& line, size_t cell) {
  std::vector<float> found;
  for (int o = 0; o < layer.out; ++o) {
    float sum = layer.bias[static_cast<size_t>(o)];
    for (int tap = 0; tap < 3; ++tap) {
      const size_t at = cell + static_cast<size_t>(tap) - 1;
      if (at >= line.size()) continue;  // -1 is beyond, too
      float part = 0;
      for (int i = 0; i < layer.in; ++i)
        part += layer.weight(o, i, tap) * line[at][static_cast<size_t>(i)];
      sum += part;
    }
    found.push_back(relu(sum));
  }
  return found;
}

std::vector<float> across(const FloatLayer& layer, const std::vector<float>& from) {
  std::vector<float> found = layer.bias;
  for (int o = 0; o < layer.out; ++o)
    for (int i = 0; i < layer.in; ++i)
      found[static_cast<size_t>(o)] += layer.weight(o, i) * from[static_cast<size_t>(i)];
  return found;
}

/// The features of a cell of a line of cells, 0 empty, 1 own, 2 the opponent's.
std::vector<i16> features(const MappingWeights& net, const std::vector<int>& cells, size_t at) {
  Line planes, line;
  for (const int cell : cells) planes.push_back({cell == 1 ? 1.0f : 0.0f, cell == 2 ? 1.0f : 0.0f});
  for (size_t i = 0; i < cells.size(); ++i) line.push_back(along(net.first, planes, i));
  for (size_t k = 0; k < MappingWeights::BLOCKS; ++k) {
    Line next = line;
    for (size_t i = 0; i < cells.size(); ++i) {
      const auto added = across(net.across[k], along(net.along[k], line, i));
      for (size_t o = 0; o < added.size(); ++o) next[i][o] = line[i][o] + relu(added[o]);
    }
    line = next;
  }
  std::vector<i16> found;
  for (const float f : across(net.last, line[at]))
    found.push_back(static_cast<i16>(std::nearbyint(std::clamp(f, -16.0f, 16.0f) * 32)));
  return found;
}

/// The cells of a half line, from the nearest on.
std::vector<int> half_cells(int number) {
  size_t length = 0;
  while (length < HALF_REACH && number >= FIRST_HALF[length + 1]) ++length;
  std::vector<int> cells(length);
  int rest = number - FIRST_HALF[length];
  for (size_t i = length; i-- > 0; rest /= 3) cells[i] = rest % 3;
  return cells;
}

void check_patterns(const Shape& shape, int count) {
  Rng rng(7);
  const MappingWeights net = random_mapping(shape, rng);
  const Codebook book = bake(net, shape);
  CHECK_EQ(book.size(), static_cast<size_t>(PATTERN_NB) * static_cast<size_t>(shape.c));
  int wrong = 0, zero = 0;
  for (int n = 0; n < count; ++n) {
    const int left = static_cast<int>(rng.below(HALF_NB)), centre = static_cast<int>(rng.below(3)),
              right = static_cast<int>(rng.below(HALF_NB));
    std::vector<int> cells = half_cells(left);
    std::ranges::reverse(cells);
    const size_t at = cells.size();
    cells.push_back(centre);
    std::ranges::copy(half_cells(right), std::back_inserter(cells));
    const auto pattern = static_cast<size_t>((left * 3 + centre) * HALF_NB + right);
    const auto wanted = features(net, cells, at);
    for (size_t c = 0; c < wanted.size(); ++c) {
      wrong += book[pattern * wanted.size() + c] != wanted[c];
      zero += wanted[c] == 0;
    }
  }
  CHECK_EQ(wrong, 0);
  CHECK(zero < count * shape.c / 4);  // else the net would be trivial
}

}  // namespace

TEST(bake_equals_its_definition) {
  check_patterns({32, 64, 16, 32}, 300);
  check_patterns({64, 40, 16, 32}, 200);
  check_patterns({32, 2, 16, 32}, 300);
}

TEST(bake_rejects_overflow) {
  Rng rng(3);
  const Shape shape{32, 10, 16, 32};
  MappingWeights net = random_mapping(shape, rng);
  for (FloatLayer& layer : net.along) layer.weights.assign(layer.weights.size(), 65504.0f);
  for (FloatLayer& layer : net.across) layer.weights.assign(layer.weights.size(), 65504.0f);
  for (size_t i = 0; i < net.last.weights.size(); ++i)
    net.last.weights[i] = i % 2 ? 65504.0f : -65504.0f;
  bool is_refused = false;
  try {
    bake(net, shape);
  } catch (const std::invalid_argument&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

TEST(bake_does_not_depend_on_threads) {
  Rng rng(3);
  const Shape shape{32, 10, 16, 32};
  const MappingWeights net = random_mapping(shape, rng);
  Progress progress;
  const Codebook one = bake(net, shape, {.threads = 1});
  const Codebook five = bake(net, shape, {.threads = 5, .progress = &progress});
  CHECK(bytes_of(one) == bytes_of(five));
}

TEST(bake_reports_progress_and_can_be_stopped) {
  Rng rng(3);
  Weights weights;
  weights.shape = {32, 6, 16, 32};
  for (auto& mapping : weights.mapping) mapping = random_mapping(weights.shape, rng);
  Progress progress;
  CHECK_EQ(progress.fraction(), 0.0);
  const Codebooks books = bake(weights, {.progress = &progress});
  CHECK_EQ(progress.fraction(), 1.0);
  progress.stop();
  bool stopped = false;
  try {
    bake(weights, {.progress = &progress});
  } catch (const Stopped&) {
    stopped = true;
  }
  CHECK(stopped);
  weights.codebook_checksum = codebook_checksum(books) ^ 1;
  bool refused = false;
  try {
    bake(weights);
  } catch (const std::runtime_error&) {
    refused = true;
  }
  CHECK(refused);
}
