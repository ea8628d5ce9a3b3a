// SPDX-License-Identifier: MIT
#include "mixnet/heads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "eval/value.h"

namespace tengen::mixnet {

namespace {

enum StarOf { CORNER, EDGE, CENTRE, QUAD };
constexpr StarOf STAR_OF_CHUNK[CHUNKS] = {CORNER, EDGE,   CORNER, EDGE,  CENTRE,
                                          EDGE,   CORNER, EDGE,   CORNER};

/// The four chunks of the first quad, a bit each; those of the others are a shift away.
constexpr u32 QUAD_CHUNKS = 0b000'011'011;

/// A sum, scaled down and rounded.
constexpr i32 rounded(i32 sum, int shift) { return (sum + (1 << (shift - 1))) >> shift; }

}  // namespace

Heads::Heads(const Net& net, const Kernels& kernels) : net_(net), kernels_(kernels) {}

void Heads::take_means(const Accumulator& sums) {
  const int c = net_.shape().c;
  const auto means = [&](const i32* from, int area, u8* to) {
    kernels_.take_means(from, c, mean_limit(area), mean_factor(area), to);
  };
  i32 all[MAX_CHANNELS] = {};
  for (int k = 0; k < CHUNKS; ++k) {
    const i32* chunk = sums.chunk(k).data();
    for (int i = 0; i < c; ++i) all[i] += chunk[i];
    means(chunk, sums.layout().areas[static_cast<size_t>(k)], chunk_means_[k]);
  }
  means(all, sums.layout().points, joined_);
}

void Heads::run(const PackedBytes& layer, const u8* from, u8* to) {
  kernels_.add_bytes(from, layer.in, layer.weights.data(), layer.bias.data(), layer.out, sums_);
  kernels_.activate(sums_, layer.out, ACTIVATION_SHIFT, to);
}

void Heads::run(const Star& star, const u8* from, u8* to) {
  const PackedBytes& both = star.both;
  kernels_.add_bytes(from, star.in, both.weights.data(), both.bias.data(), both.out, sums_);
  kernels_.multiply(sums_, star.in, products_);
  const PackedWords& down = star.down;
  kernels_.add_words(products_, star.in, down.weights.data(), down.bias.data(), down.out, sums_);
  kernels_.activate(sums_, star.out, STAR_SHIFT, to);
}

u32 Heads::work_out_groups() {
  const auto c = static_cast<size_t>(net_.shape().c);
  u32 changed = 0;
  for (int k = 0; k < CHUNKS; ++k) {
    if (groups_known_ && std::memcmp(chunk_means_[k], group_means_[k], c) == 0) continue;
    std::memcpy(group_means_[k], chunk_means_[k], c);
    run(net_.stars[STAR_OF_CHUNK[k]], chunk_means_[k], groups_[k]);
    changed |= 1u << k;
  }
  groups_known_ = true;
  return changed;
}

ValueLogits Heads::value(const Accumulator& sums) {
  take_means(sums);
  const Shape& shape = net_.shape();
  const u32 changed = work_out_groups();
  for (int quad = 0; quad < QUADS; ++quad) {
    const int corner = quad / 2 * 3 + quad % 2;
    if (!(changed >> corner & QUAD_CHUNKS)) continue;
    u8 mean[MAX_CHANNELS];
    for (int i = 0; i < shape.v; ++i)
      mean[i] = static_cast<u8>((groups_[corner][i] + groups_[corner + 1][i] +
                                 groups_[corner + 3][i] + groups_[corner + 4][i] + 2) >>
                                2);
    run(net_.stars[QUAD], mean, joined_ + shape.c + quad * shape.v);
  }
  run(net_.value[0], joined_, room_);
  u8* const second = room_ + 4 * MAX_CHANNELS;
  run(net_.value[1], room_, second);
  const PackedBytes& last = net_.value[2];
  kernels_.add_bytes(second, last.in, last.weights.data(), last.bias.data(), last.out, sums_);
  return {sums_[0], sums_[1], sums_[2]};
}

void Heads::policy(const Accumulator& sums, std::span<const u16> points, std::span<i32> logits) {
  constexpr int OUT = Shape::POLICY_OUTPUTS;
  take_means(sums);
  const int p = net_.shape().p;
  run(net_.policy_hidden, joined_, room_);
  const PackedBytes& layer = net_.policy_dynamic;
  kernels_.add_bytes(room_, layer.in, layer.weights.data(), layer.bias.data(), layer.out, sums_);
  i32 bias[OUT], found[OUT];
  for (int o = 0; o < OUT; ++o) {
    for (int i = 0; i < p; ++i)
      dynamic_[(i / 2 * OUT + o) * 2 + i % 2] = static_cast<i16>(
          std::clamp(rounded(sums_[o * p + i], DYNAMIC_SHIFT), -DYNAMIC_MAX, DYNAMIC_MAX));
    bias[o] = std::clamp(2 * sums_[OUT * p + o], -DYNAMIC_BIAS_MAX, DYNAMIC_BIAS_MAX);
  }
  for (size_t k = 0; k < points.size(); ++k) {
    const i16* conv = sums.conv(points[k]);
    alignas(64) i16 features[MAX_CHANNELS / 2];
    for (int i = 0; i < p; ++i)
      features[i] = static_cast<i16>(std::clamp<int>(conv[i], 0, POLICY_INPUT_MAX));
    kernels_.add_words(features, p, dynamic_, bias, OUT, found);
    i32 logit = net_.policy_bias;
    for (int o = 0; o < OUT; ++o)
      logit += std::clamp(rounded(found[o], POLICY_SHIFT), 0, POLICY_FEATURE_MAX) *
               net_.policy_weights[static_cast<size_t>(o)];
    logits[k] = logit;
  }
}

namespace {

constexpr int SOFT_STEP = 32;  ///< of the logits' scale, between two entries
constexpr int SOFT_NB = 12 * VALUE_SCALE / SOFT_STEP;

/// ln(1 + e^-x) in the logits' scale, for x in steps; beyond its end nothing.
const std::array<i16, SOFT_NB>& softplus() {
  static const auto table = [] {
    std::array<i16, SOFT_NB> found{};
    for (int i = 0; i < SOFT_NB; ++i) {
      const double x = static_cast<double>(i) * SOFT_STEP / VALUE_SCALE;
      found[static_cast<size_t>(i)] =
          static_cast<i16>(std::lround(std::log1p(std::exp(-x)) * VALUE_SCALE));
    }
    return found;
  }();
  return table;
}

/// ln(e^a + e^b).
i64 log_sum(i64 a, i64 b) {
  const i64 step = (std::max(a, b) - std::min(a, b)) / SOFT_STEP;
  return std::max(a, b) + (step < SOFT_NB ? softplus()[static_cast<size_t>(step)] : 0);
}

}  // namespace

i32 points_of(const ValueLogits& logits) {
  constexpr i64 LN_2 = 2839;  // in the logits' scale: a draw is half a win and half a loss
  const i64 half = logits.draw - LN_2;
  const i64 logit = log_sum(logits.win, half) - log_sum(logits.loss, half);
  return clamp_eval(logit * POINTS_PER_LOGIT / VALUE_SCALE);
}

}  // namespace tengen::mixnet
