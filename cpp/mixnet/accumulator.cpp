// SPDX-License-Identifier: MIT
#include "mixnet/accumulator.h"

#include <algorithm>

namespace tengen::mixnet {

namespace {

/// (a * b + 2^14) >> 15, as the kernels have it.
i16 scaled(i16 a, i16 b) { return static_cast<i16>((a * b + (1 << 14)) >> 15); }

}  // namespace

Accumulator::Accumulator(const Net& net, int size, const Kernels& kernels)
    : net_(net),
      layout_(Layout::of(size)),
      steps_(PatternSteps::of(size)),
      channels_(net.shape().c),
      apply_(kernels.apply[apply_place(net.shape().c)]) {
  const auto points = static_cast<size_t>(layout_.points), c = static_cast<size_t>(channels_);
  patterns_.resize(points * DIRECTION_NB);
  features_.resize(points * c);
  conv_.resize(points * c / 2);
  chunks_.resize(CHUNKS * c);
  clear();
}

void Accumulator::clear() {
  const int half = channels_ / 2;
  std::ranges::copy(steps_.empty_board(), patterns_.begin());
  std::ranges::fill(chunks_, 0);
  for (int p = 0; p < layout_.points; ++p) {
    i16* features = &features_[static_cast<size_t>(p * channels_)];
    std::fill_n(features, channels_, i16{0});
    for (int d = 0; d < DIRECTION_NB; ++d) {
      const i16* row = net_.row(d, patterns_[static_cast<size_t>(p * DIRECTION_NB + d)]);
      for (int i = 0; i < channels_; ++i) features[i] = static_cast<i16>(features[i] + row[i]);
    }
    std::copy_n(net_.conv_bias.begin(), half, &conv_[static_cast<size_t>(p * half)]);
  }
  for (int p = 0; p < layout_.points; ++p) {
    const i16* features = &features_[static_cast<size_t>(p * channels_)];
    for (int tap = 0; tap < 9; ++tap) {
      const int reader = layout_.taps[static_cast<size_t>(p)].reader[tap];
      if (reader < 0) continue;
      for (int i = 0; i < half; ++i) {
        i16& sum = conv_[static_cast<size_t>(reader * half + i)];
        const i16 weight = net_.conv_taps[static_cast<size_t>(tap * half + i)];
        sum = static_cast<i16>(sum + scaled(std::max<i16>(features[i], 0), weight));
      }
    }
  }
  for (int p = 0; p < layout_.points; ++p) {
    i32* chunk = &chunks_[static_cast<size_t>(layout_.chunk[static_cast<size_t>(p)] * channels_)];
    const i16* features = &features_[static_cast<size_t>(p * channels_)];
    for (int i = 0; i < half; ++i) chunk[i] += std::max<i16>(conv(p)[i], 0);
    for (int i = half; i < channels_; ++i) chunk[i] += std::max<i16>(features[i], 0);
  }
}

void Accumulator::change(int point, int digit) {
  RowChange changes[MAX_CHANGES];
  int count = 0;
  for (const Seen& seen : steps_.seen_from(point)) {
    i32& pattern = patterns_[static_cast<size_t>(seen.point * DIRECTION_NB + seen.direction)];
    const i16* removed = net_.row(seen.direction, pattern);
    pattern += digit * seen.step;
    const i16* added = net_.row(seen.direction, pattern);
    __builtin_prefetch(added);
    __builtin_prefetch(removed);
    changes[count++] = {seen.point, added, removed};
  }
  apply_(StoneView(layout_, point), net_.conv_taps.data(),
         {features_.data(), conv_.data(), chunks_.data()}, changes, count);
}

bool Accumulator::operator==(const Accumulator& other) const {
  return patterns_ == other.patterns_ && features_ == other.features_ && conv_ == other.conv_ &&
         chunks_ == other.chunks_;
}

}  // namespace tengen::mixnet
