// SPDX-License-Identifier: MIT
#include "mixnet/net.h"

#include <utility>

namespace tengen::mixnet {

namespace {

constexpr int WIDTH = LAYER_WIDTH;

/// Concatenates two layers with the same input; of each the even outputs come first.
ByteLayer joined(const ByteLayer& first, const ByteLayer& second) {
  ByteLayer both;
  both.in = first.in;
  both.out = first.out + second.out;
  for (const ByteLayer* layer : {&first, &second})
    for (const int odd : {0, 1})
      for (int o = odd; o < layer->out; o += 2) {
        for (int i = 0; i < layer->in; ++i) both.weights.push_back(layer->weight(o, i));
        both.bias.push_back(layer->bias[static_cast<size_t>(o)]);
      }
  return both;
}

/// The layer that computes the policy's weights, with outputs reordered as the kernels read them:
/// [p / 2][POLICY_OUTPUTS][2]; the biases stay at the end.
ByteLayer reordered(const ByteLayer& layer, int p) {
  constexpr int OUT = Shape::POLICY_OUTPUTS;
  ByteLayer result = layer;
  for (int o = 0; o < OUT; ++o)
    for (int i = 0; i < p; ++i) {
      const int from = o * p + i, to = (i / 2 * OUT + o) * 2 + i % 2;
      result.bias[static_cast<size_t>(to)] = layer.bias[static_cast<size_t>(from)];
      for (int k = 0; k < layer.in; ++k)
        result.weights[static_cast<size_t>(to * layer.in + k)] = layer.weight(from, k);
    }
  return result;
}

Star star_of(const StarWeights& weights) {
  return {weights.up.in, weights.down.out, PackedBytes(joined(weights.up, weights.gate)),
          PackedWords(weights.down), PackedBytes(weights.down)};
}

}  // namespace

bool weights_fit_i16(const ByteLayer& layer) {
  for (int o = 0; o < layer.out; ++o)
    for (int i = 0; i < layer.in; i += 8)
      for (const int two : {i, i + 2}) {
        int above = 0, below = 0;
        for (const int k : {two, two + 1, two + 4, two + 5})
          (layer.weight(o, k) > 0 ? above : below) += layer.weight(o, k);
        if (above > I16_WEIGHT_SUM_MAX || below < -I16_WEIGHT_SUM_MAX) return false;
      }
  return true;
}

template <typename W, int GROUP>
template <typename Source>
Packed<W, GROUP>::Packed(const Layer<Source, i32>& layer)
    : in(layer.in), out((layer.out + WIDTH - 1) / WIDTH * WIDTH) {
  weights.assign(static_cast<size_t>(in * out), 0);
  bias.assign(static_cast<size_t>(out), 0);
  for (int o = 0; o < layer.out; ++o) {
    bias[static_cast<size_t>(o)] = layer.bias[static_cast<size_t>(o)];
    for (int i = 0; i < in; ++i)
      weights[static_cast<size_t>((o / WIDTH * in + i / GROUP * GROUP) * WIDTH + o % WIDTH * GROUP +
                                  i % GROUP)] = layer.weight(o, i);
  }
  if constexpr (GROUP == 4) fits_i16 = weights_fit_i16(layer);
}

Net::Net(const Weights& weights, Codebooks books)
    : conv_bias(weights.conv.bias.begin(), weights.conv.bias.end()),
      policy_hidden(weights.policy_hidden),
      policy_dynamic(reordered(weights.policy_dynamic, weights.shape.p)),
      policy_bias(weights.policy_out.bias[0]),
      shape_(weights.shape),
      rules_(weights.rules),
      sizes_(weights.sizes),
      books_(std::move(books)) {
  const int half = shape_.conv();
  conv_weights.resize(static_cast<size_t>(9 * half));
  for (int channel = 0; channel < half; ++channel)
    for (int tap = 0; tap < 9; ++tap)
      conv_weights[static_cast<size_t>(tap * half + channel)] =
          weights.conv.weight(channel, 0, tap);
  for (size_t i = 0; i < policy_weights.size(); ++i)
    policy_weights[i] = weights.policy_out.weights[i];
  for (size_t k = 0; k < stars.size(); ++k) stars[k] = star_of(weights.stars[k]);
  for (size_t k = 0; k < value.size(); ++k) value[k] = PackedBytes(weights.value[k]);
}

}  // namespace tengen::mixnet
