// SPDX-License-Identifier: MIT
#include "eval/called_evaluator.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/tunable.h"
#include "game/zobrist.h"

namespace tengen {

namespace {

TUNABLE(CALLED_POLICY_POINTS, 100, 20, 400, 10,
        "points that a logit of a policy net outside the core is worth in a move's score");

/// Answers that are remembered, a power of two: some seconds of search, in at most 8 MiB.
constexpr size_t KNOWN = 4096;
/// Points a score stays within: far beyond what any logit is worth.
constexpr double SCORE_LIMIT = 1e6;

/// ln(e^a + e^b).
double log_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

i32 score_of_logit(float logit) {
  if (std::isnan(logit)) throw std::runtime_error("the policy of the net is not a number (nan)");
  const double points = static_cast<double>(logit) * CALLED_POLICY_POINTS;
  return static_cast<i32>(std::clamp(points, -SCORE_LIMIT, SCORE_LIMIT));
}

}  // namespace

Value points_of_logits(const std::array<float, 3>& logits) {
  for (const float logit : logits)
    if (!std::isfinite(logit))
      throw std::runtime_error("the value of the net is not a number (nan, or infinite)");
  const double half = static_cast<double>(logits[2]) - std::log(2.0);
  const double logit = log_sum(logits[0], half) - log_sum(logits[1], half);
  const double points = std::clamp<double>(logit * POINTS_PER_LOGIT, -EVAL_LIMIT, EVAL_LIMIT);
  return clamp_eval(std::llround(points));
}

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
  known_[place].value = points_of_logits(answer.value);
  std::transform(policy_.begin(), policy_.end(),
                 scores_.begin() + static_cast<std::ptrdiff_t>(place * points_), score_of_logit);
}

}  // namespace tengen
