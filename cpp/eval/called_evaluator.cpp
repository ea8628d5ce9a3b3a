// SPDX-License-Identifier: MIT
#include "eval/called_evaluator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "eval/logits.h"
#include "game/zobrist.h"

namespace tengen {

namespace {

/// Answers that are remembered, a power of two: some seconds of search, in at most 8 MiB.
constexpr size_t KNOWN = 4096;
/// Steps that a logit of the policy is counted in, and the most of them: far beyond any real one.
constexpr int POLICY_STEPS = 65536;
constexpr double MOST_STEPS = 1 << 30;

i32 score_of(float logit) {
  if (std::isnan(logit)) throw std::runtime_error("the policy of the net is not a number (nan)");
  const double steps = static_cast<double>(logit) * POLICY_STEPS;
  return score_of_logit(static_cast<i32>(std::clamp(steps, -MOST_STEPS, MOST_STEPS)), POLICY_STEPS);
}

}  // namespace

CalledEvaluator::CalledEvaluator(int size, AskNet ask)
    : size_(size),
      points_(static_cast<size_t>(size * size)),
      ask_(std::move(ask)),
      known_(KNOWN),
      scores_(KNOWN * points_),
      planes_(2 * points_),
      policy_(points_) {
  hashes_.reserve(points_ + 1);
}

void CalledEvaluator::assign(const PatternBoard& patterns) {
  u64 hash = 0;
  for (const Point p : board_points(size_))
    if (const Stone stone = patterns.lines().stone(p); stone != EMPTY)
      hash ^= ZOBRIST.stone[side_index(stone)][p];
  hashes_.assign(1, hash);
}

void CalledEvaluator::play(const PatternBoard&, Point p, Colour colour) {
  hashes_.push_back(hashes_.back() ^ ZOBRIST.stone[side_index(colour)][p]);
}

Value CalledEvaluator::value(const PatternBoard& patterns, Colour side) {
  return known_[answer(patterns, side)].value;
}

void CalledEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                  std::span<ScoredMove> moves) {
  const i32* const scores = &scores_[answer(patterns, side) * points_];
  for (ScoredMove& move : moves) {
    const int x = (move.point & (GRID - 1)) - MARGIN, y = (move.point >> 5) - MARGIN;
    move.score = scores[y * size_ + x];
  }
}

size_t CalledEvaluator::answer(const PatternBoard& patterns, Colour side) {
  const u64 key = hashes_.back() ^ (side == WHITE ? ZOBRIST.white_to_move : 0);
  const size_t place = key & (KNOWN - 1);
  if (known_[place].is_known && known_[place].key == key) return place;
  known_[place].is_known = false;  // until the call has come back
  ask(patterns, side, place);
  known_[place].key = key;
  known_[place].is_known = true;
  return place;
}

void CalledEvaluator::ask(const PatternBoard& patterns, Colour side, size_t place) {
  std::fill(planes_.begin(), planes_.end(), 0.0F);
  for (int y = 0; y < size_; ++y)
    for (int x = 0; x < size_; ++x) {
      const Stone stone = patterns.lines().stone(make_point(x, y));
      if (stone == EMPTY) continue;
      const size_t plane = stone == side ? 0 : points_;
      planes_[plane + static_cast<size_t>(y * size_ + x)] = 1.0F;
    }
  NetAnswer answer{{}, policy_};
  ask_(size_, planes_, answer);
  known_[place].value = points_of(nearest_logits(answer.value));
  std::transform(policy_.begin(), policy_.end(),
                 scores_.begin() + static_cast<std::ptrdiff_t>(place * points_), score_of);
}

}  // namespace tengen
