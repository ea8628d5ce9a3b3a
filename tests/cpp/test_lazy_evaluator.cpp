// SPDX-License-Identifier: MIT
// LazyEvaluator: which evaluator handles which call, and both follow the moves.
#include "eval/lazy_evaluator.h"

#include "search/alphabeta/alphabeta.h"
#include "searches.h"

using namespace tengen;

namespace {

/// Says the same of every position, and counts.
class Constant final : public Evaluator {
 public:
  struct Calls {
    int values = 0, leaves = 0, scores = 0, stones = 0, assigned = 0;
  };

  Constant(Value value, Calls& seen) : value_(value), seen_(seen) {}

  void assign(const PatternBoard&) override { ++seen_.assigned; }
  void play(const PatternBoard&, Point, Colour) override { ++seen_.stones; }
  void undo() override { --seen_.stones; }
  Value value(const PatternBoard&, Colour) override {
    ++seen_.values;
    return value_;
  }
  Value value_without_update(const PatternBoard& patterns, Colour side) override {
    ++seen_.leaves;
    return value(patterns, side);
  }
  void score_moves(const PatternBoard&, Colour, std::span<ScoredMove> moves) override {
    ++seen_.scores;
    for (ScoredMove& move : moves) move.score = value_;
  }

 private:
  Value value_;
  Calls& seen_;
};

struct Pair {
  Constant::Calls slow, quick;

  std::unique_ptr<Evaluator> make(Value slow_value, Value quick_value) {
    return std::make_unique<LazyEvaluator>(std::make_unique<Constant>(slow_value, slow),
                                           std::make_unique<Constant>(quick_value, quick));
  }
};

/// Of a search of a quiet position to a depth, with these two opinions of every position.
Pair searched(Value slow_value, Value quick_value) {
  Pair pair;
  AlphaBeta search(15, Rule::FREESTYLE, {}, 1, SMALL_MEMORY,
                   [&] { return pair.make(slow_value, quick_value); });
  Rng rng(5);
  search_and_log(search, request_of(quiet_game(rng, 15, Rule::FREESTYLE), 6));
  return pair;
}

}  // namespace

TEST(lazy_evaluator_updates_both_evaluators) {
  Pair pair;
  const std::unique_ptr<Evaluator> both = pair.make(7, 900);
  PatternBoard patterns(15, Rule::FREESTYLE);
  both->assign(patterns);
  patterns.play(make_point(7, 7), BLACK);
  both->play(patterns, make_point(7, 7), BLACK);
  CHECK_EQ(pair.slow.stones, 1);
  CHECK_EQ(pair.quick.stones, 1);
  CHECK_EQ(both->value(patterns, WHITE), 7);
  CHECK_EQ(both->value_without_update(patterns, WHITE), 7);
  CHECK_EQ(pair.slow.leaves, 1);
  CHECK_EQ(both->lazy_value(patterns, WHITE), 900);
  ScoredMove move{make_point(8, 8), 0};
  both->score_moves(patterns, WHITE, {&move, 1});
  CHECK_EQ(move.score, 7);
  both->lazy_score_moves(patterns, WHITE, {&move, 1});
  CHECK_EQ(move.score, 900);
  both->undo();
  CHECK_EQ(pair.slow.stones, 0);
  CHECK_EQ(pair.quick.stones, 0);
  CHECK_EQ(pair.slow.assigned, 1);
  CHECK_EQ(pair.quick.assigned, 1);
}

TEST(lazy_values_far_from_the_window_save_evaluations) {
  const Pair near = searched(0, 0), far = searched(0, 1500);
  CHECK(near.slow.values > 100);
  CHECK(near.slow.leaves > 0);
  CHECK(near.slow.leaves < near.slow.values);  // those whose moves are tried
  CHECK(near.quick.values > 100);
  CHECK(far.slow.values * 2 < near.slow.values);
  CHECK(far.slow.scores > 0);  // of moves that are not forced
}
