// SPDX-License-Identifier: MIT
#include "eval/callback_evaluator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "eval/logits.h"
#include "game/zobrist.h"

namespace tengen {

namespace {

/// Cached results, a power of two: a few seconds of search, at most 8 MiB.
constexpr size_t CACHE_SIZE = 4096;
/// Policy logits are converted in units of 1 / POLICY_STEPS and clamped to MAX_STEPS.
constexpr int POLICY_STEPS = 65536;
constexpr double MAX_STEPS = 1 << 30;

i32 score_of(float logit) {
  if (std::isnan(logit)) throw std::runtime_error("the policy of the net is not a number (nan)");
  const double steps = static_cast<double>(logit) * POLICY_STEPS;
  return score_of_logit(static_cast<i32>(std::clamp(steps, -MAX_STEPS, MAX_STEPS)), POLICY_STEPS);
}

}  // namespace

CallbackEvaluator::CallbackEvaluator(int size, NetCallback evaluate, NetCallback white)
    : size_(size),
      points_(static_cast<size_t>(size * size)),
      nets_{std::move(evaluate), std::move(white)},
      cache_(CACHE_SIZE),
      scores_(CACHE_SIZE * points_),
      planes_(2 * points_),
      policy_(points_) {
  hashes_.reserve(points_ + 1);
}

void CallbackEvaluator::assign(const PatternBoard& patterns) {
  u64 hash = 0;
  for (const Point p : board_points(size_))
    if (const Stone stone = patterns.lines().stone(p); stone != EMPTY)
      hash ^= ZOBRIST.stone[side_index(stone)][p];
  hashes_.assign(1, hash);
}

void CallbackEvaluator::play(const PatternBoard&, Point p, Colour colour) {
  hashes_.push_back(hashes_.back() ^ ZOBRIST.stone[side_index(colour)][p]);
}

Value CallbackEvaluator::value(const PatternBoard& patterns, Colour side) {
  return cache_[find_or_evaluate(patterns, side)].value;
}

void CallbackEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                    std::span<ScoredMove> moves) {
  copy_scores(&scores_[find_or_evaluate(patterns, side) * points_], size_, moves);
}

void CallbackEvaluator::copy_scores(const i32* scores, int size, std::span<ScoredMove> moves) {
  for (ScoredMove& move : moves) move.score = scores[y_of(move.point) * size + x_of(move.point)];
}

size_t CallbackEvaluator::find_or_evaluate(const PatternBoard& patterns, Colour side) {
  const u64 key = hashes_.back() ^ (side == WHITE ? ZOBRIST.white_to_move : 0);
  const size_t index = key & (CACHE_SIZE - 1);
  if (cache_[index].is_valid && cache_[index].key == key) return index;
  cache_[index].is_valid = false;  // until the callback returns
  evaluate(patterns, side, index);
  cache_[index].key = key;
  cache_[index].is_valid = true;
  return index;
}

void CallbackEvaluator::write_planes(const PatternBoard& patterns, Colour side,
                                     float* planes) const {
  std::fill_n(planes, 2 * points_, 0.0F);
  for (int y = 0; y < size_; ++y)
    for (int x = 0; x < size_; ++x) {
      const Stone stone = patterns.lines().stone(make_point(x, y));
      if (stone == EMPTY) continue;
      const size_t plane = stone == side ? 0 : points_;
      planes[plane + static_cast<size_t>(y * size_ + x)] = 1.0F;
    }
}

void CallbackEvaluator::evaluate(const PatternBoard& patterns, Colour side, size_t index) {
  write_planes(patterns, side, planes_.data());
  std::array<float, 3> value{};
  NetOutput output{{&value, 1}, policy_};
  nets_[net_of(side)](size_, planes_, output);
  cache_[index].value = eval_from_logits(nearest_logits(value));
  std::transform(policy_.begin(), policy_.end(),
                 scores_.begin() + static_cast<std::ptrdiff_t>(index * points_), score_of);
}

size_t CallbackEvaluator::add(const PatternBoard& patterns, Colour side) {
  if (batch_done_)
    for (Batch& batch : batches_) batch.size = 0;
  batch_done_ = false;
  const size_t net = net_of(side);
  Batch& batch = batches_[net];
  const size_t index = batch.size++;
  if (batch.planes.size() < batch.size * 2 * points_) {
    batch.planes.resize(batch.size * 2 * points_);
    batch.policy.resize(batch.size * points_);
    batch.scores.resize(batch.size * points_);
    batch.logits.resize(batch.size);
    batch.values.resize(batch.size);
  }
  write_planes(patterns, side, &batch.planes[index * 2 * points_]);
  return 2 * index + net;
}

void CallbackEvaluator::run() {
  if (batch_done_) return;
  batch_done_ = true;  // also if the callback throws: the batch is discarded
  for (size_t net = 0; net < batches_.size(); ++net) {
    Batch& batch = batches_[net];
    if (batch.size == 0) continue;
    const std::span<float> policy(batch.policy.data(), batch.size * points_);
    NetOutput output{{batch.logits.data(), batch.size}, policy};
    nets_[net](size_, {batch.planes.data(), batch.size * 2 * points_}, output);
    std::transform(policy.begin(), policy.end(), batch.scores.begin(), score_of);
    for (size_t i = 0; i < batch.size; ++i)
      batch.values[i] = eval_from_logits(nearest_logits(batch.logits[i]));
  }
}

void CallbackEvaluator::score_moves_at(size_t index, std::span<ScoredMove> moves) const {
  copy_scores(&batches_[index & 1].scores[index / 2 * points_], size_, moves);
}

}  // namespace tengen
