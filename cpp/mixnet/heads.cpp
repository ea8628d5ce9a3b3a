// SPDX-License-Identifier: MIT
#include "mixnet/heads.h"

#include <algorithm>
#include <cstring>

namespace tengen::mixnet {

namespace {

enum StarOf { CORNER, EDGE, CENTRE, QUAD };
/// Chunks that share a star block; numbered 0 to 8, row by row.
struct StarChunks {
  StarOf star;
  int count;
  int chunks[MAX_ROWS];
};
constexpr StarChunks STAR_CHUNKS[] = {
    {CORNER, 4, {0, 2, 6, 8}}, {EDGE, 4, {1, 3, 5, 7}}, {CENTRE, 1, {4}}};

/// Mask of the four chunks of the first quad; shifted for the others.
constexpr u32 QUAD_CHUNKS = 0b000'011'011;

/// Copies a row of c activations; returns whether it changed.
bool refresh_row(const u8* from, u8* to, size_t c) {
  constexpr size_t BLOCK = 32;  // a constant length, so that memcmp is inlined
  bool other = false;
  for (size_t i = 0; i < c; i += BLOCK) {
    if (std::memcmp(from + i, to + i, BLOCK) == 0) continue;
    std::memcpy(to + i, from + i, BLOCK);
    other = true;
  }
  return other;
}

}  // namespace

Heads::Heads(const Net& net, const Kernels& kernels) : net_(net), kernels_(kernels) {}

void Heads::compute_means(const Accumulator& sums) {
  if (sums.state_id() == means_id_) return;
  means_id_ = sums.state_id();
  compute_means(sums.layout(), sums.chunk(0).data());
}

void Heads::compute_means(const Layout& layout, const i32* chunks) {
  kernels_.compute_means(chunks, net_.shape().c, layout.means.data(), chunk_means_[0], joined_);
}

void Heads::run(const PackedBytes& layer, const u8* from, u8* to) {
  kernels_.layer(from, layer.in, {layer.weights.data(), layer.fits_i16}, layer.bias.data(),
                 layer.out, to);
}

void Heads::run(const Star& star, const u8* const* from, u8* const* to, int rows) {
  const PackedBytes& both = star.both;
  const PackedWords& down = star.down;
  kernels_.star({star.in,
                 star.out,
                 {both.weights.data(), both.fits_i16},
                 both.bias.data(),
                 {down.weights.data(), star.down_bytes.weights.data()},
                 down.bias.data(),
                 down.out},
                from, to, rows);
}

u32 Heads::update_groups() {
  const auto c = static_cast<size_t>(net_.shape().c);
  u32 changed = 0;
  for (const StarChunks& group : STAR_CHUNKS) {
    const u8* from[MAX_ROWS];
    u8* to[MAX_ROWS];
    int rows = 0;
    for (int i = 0; i < group.count; ++i) {
      const int k = group.chunks[i];
      if (!refresh_row(chunk_means_[k], group_means_[k], c) && groups_valid_) continue;
      from[rows] = chunk_means_[k];
      to[rows++] = groups_[k];
      changed |= 1u << k;
    }
    if (rows) run(net_.stars[group.star], from, to, rows);
  }
  groups_valid_ = true;
  return changed;
}

ValueLogits Heads::value(const Accumulator& sums) {
  compute_means(sums);
  return value_of_means();
}

ValueLogits Heads::value_after(Accumulator& sums, int point, int cell_state) {
  means_id_ = 0;
  compute_means(sums.layout(), sums.preview_add(point, cell_state));
  return value_of_means();
}

ValueLogits Heads::value_of_means() {
  const Shape& shape = net_.shape();
  const u32 changed = update_groups();
  alignas(64) u8 means[QUADS][MAX_CHANNELS];
  const u8* from[QUADS];
  u8* to[QUADS];
  int rows = 0;
  for (int quad = 0; quad < QUADS; ++quad) {
    const int corner = quad / 2 * 3 + quad % 2;
    if (!(changed >> corner & QUAD_CHUNKS)) continue;
    const u8* const four[] = {groups_[corner], groups_[corner + 1], groups_[corner + 3],
                              groups_[corner + 4]};
    kernels_.mean_of_four(four, shape.v, means[rows]);
    from[rows] = means[rows];
    to[rows++] = joined_ + shape.c + quad * shape.v;
  }
  if (rows) run(net_.stars[QUAD], from, to, rows);
  run(net_.value[0], joined_, buffer_);
  u8* const second = buffer_ + 4 * MAX_CHANNELS;
  run(net_.value[1], buffer_, second);
  const PackedBytes& last = net_.value[2];
  const u8* const x = second;
  kernels_.add_bytes(&x, 1, last.in, {last.weights.data(), last.fits_i16}, last.bias.data(),
                     last.out, sums_);
  return {sums_[0], sums_[1], sums_[2]};
}

void Heads::policy(const Accumulator& sums, std::span<const u16> points, std::span<i32> logits) {
  constexpr int OUT = Shape::POLICY_OUTPUTS;
  compute_means(sums);
  const int p = net_.shape().p;
  run(net_.policy_hidden, joined_, buffer_);
  const PackedBytes& layer = net_.policy_dynamic;
  const u8* const hidden = buffer_;
  kernels_.add_bytes(&hidden, 1, layer.in, {layer.weights.data(), layer.fits_i16},
                     layer.bias.data(), layer.out, sums_);
  kernels_.make_dynamic(sums_, OUT * p, dynamic_);
  i32 bias[OUT];
  for (int o = 0; o < OUT; ++o)
    bias[o] = std::clamp(2 * sums_[OUT * p + o], -DYNAMIC_BIAS_MAX, DYNAMIC_BIAS_MAX);
  const PolicyLayers layers{p, dynamic_, bias, net_.policy_weights.data(), net_.policy_bias};
  kernels_.policy(layers, sums.conv(0), net_.shape().conv(), points.data(), points.size(),
                  logits.data());
}

}  // namespace tengen::mixnet
