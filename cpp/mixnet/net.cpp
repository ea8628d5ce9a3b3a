// SPDX-License-Identifier: MIT
#include "mixnet/net.h"

#include <stdexcept>

namespace tengen::mixnet {

namespace {

constexpr int WIDTH = 16;  ///< outputs come in multiples of it

/// Two layers with the same input as one, of each the even outputs first.
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

Star star_of(const StarWeights& weights) {
  return {weights.up.in, weights.down.out, PackedBytes(joined(weights.up, weights.gate)),
          PackedWords(weights.down)};
}

}  // namespace

template <typename W, int GROUP>
template <typename Source>
Packed<W, GROUP>::Packed(const Layer<Source, i32>& layer)
    : in(layer.in), out((layer.out + WIDTH - 1) / WIDTH * WIDTH) {
  weights.assign(static_cast<size_t>(in * out), 0);
  bias.assign(static_cast<size_t>(out), 0);
  for (int o = 0; o < layer.out; ++o) {
    bias[static_cast<size_t>(o)] = layer.bias[static_cast<size_t>(o)];
    for (int i = 0; i < in; ++i)
      weights[static_cast<size_t>((i / GROUP * out + o) * GROUP + i % GROUP)] = layer.weight(o, i);
  }
}

Net::Net(const Weights& weights, int threads)
    : conv_bias(weights.conv.bias),
      policy_hidden(weights.policy_hidden),
      policy_dynamic(weights.policy_dynamic),
      policy_bias(weights.policy_out.bias[0]),
      shape_(weights.shape),
      rules_(weights.rules),
      sizes_(weights.sizes),
      books_{bake(weights.mapping[0], weights.shape, threads),
             bake(weights.mapping[1], weights.shape, threads)} {
  const int half = shape_.conv();
  conv_taps.resize(static_cast<size_t>(9 * half));
  for (int channel = 0; channel < half; ++channel)
    for (int tap = 0; tap < 9; ++tap)
      conv_taps[static_cast<size_t>(tap * half + channel)] = weights.conv.weight(channel, 0, tap);
  for (size_t i = 0; i < policy_weights.size(); ++i)
    policy_weights[i] = weights.policy_out.weights[i];
  for (size_t k = 0; k < stars.size(); ++k) stars[k] = star_of(weights.stars[k]);
  for (size_t k = 0; k < value.size(); ++k) value[k] = PackedBytes(weights.value[k]);
  const u64 promised = weights.codebook_checksum;
  if (promised != 0 && promised != codebook_checksum(books_[0], books_[1]))
    throw std::runtime_error("the baked codebook is not the one that the net file promises");
}

}  // namespace tengen::mixnet
