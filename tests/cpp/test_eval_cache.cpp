// SPDX-License-Identifier: MIT
// The evaluation cache: entries are returned unchanged and only for their position, and a search
// needs fewer evaluations.
#include "search/alphabeta/eval_cache.h"

#include <map>

#include "search/alphabeta/alphabeta.h"
#include "searches.h"

using namespace tengen;

namespace {

/// The fake evaluator, as a net or not; counts the evaluations of each position.
class Counted final : public Evaluator {
 public:
  struct Asked {
    std::map<std::pair<u64, Colour>, int> values, scores;
    int value_nb = 0, score_nb = 0;
  };

  Counted(bool net, Asked& asked) : net_(net), asked_(asked) {}

  bool is_net() const override { return net_; }
  void assign(const PatternBoard& patterns) override { inner_.assign(patterns); }
  void play(const PatternBoard& patterns, Point p, Colour colour) override {
    inner_.play(patterns, p, colour);
  }
  void undo() override { inner_.undo(); }
  Value value(const PatternBoard& patterns, Colour side) override {
    ++asked_.value_nb;
    ++asked_.values[{key(patterns), side}];
    return inner_.value(patterns, side);
  }
  void score_moves(const PatternBoard& patterns, Colour side,
                   std::span<ScoredMove> moves) override {
    ++asked_.score_nb;
    ++asked_.scores[{key(patterns), side}];
    inner_.score_moves(patterns, side, moves);
  }
  /// Those of forced moves, which are not kept.
  void lazy_score_moves(const PatternBoard& patterns, Colour side,
                        std::span<ScoredMove> moves) override {
    inner_.score_moves(patterns, side, moves);
  }

 private:
  static u64 key(const PatternBoard& patterns) {
    u64 found = 0;
    for (const Point p : board_points(patterns.size()))
      found = (found ^ static_cast<u64>(patterns.lines().stone(p))) * 0x9e3779b97f4a7c15;
    return found;
  }

  FakeEvaluator inner_;
  bool net_;
  Asked& asked_;
};

struct Searched {
  Counted::Asked asked;
  SearchResult answer;
};

Searched searched(bool net) {
  Searched found;
  AlphaBeta search(15, Rule::FREESTYLE, {}, 1, SMALL_MEMORY,
                   [&] { return std::make_unique<Counted>(net, found.asked); });
  Rng rng(8);
  const SearchRequest request = request_of(quiet_game(rng, 15, Rule::FREESTYLE), 7);
  SearchControl control;
  found.answer = search.search(request, control, [](const SearchInfo&) {});
  return found;
}

}  // namespace

TEST(value_cache_finds_values_by_key) {
  ValueCache cache;
  CHECK_EQ(cache.find(12345), NO_VALUE);
  cache.store(12345, -77);
  CHECK_EQ(cache.find(12345), -77);
  const u64 same_place = 12345 + (u64{1} << 40);
  CHECK_EQ(cache.find(same_place), NO_VALUE);
  cache.store(same_place, 5);
  CHECK_EQ(cache.find(same_place), 5);
  CHECK_EQ(cache.find(12345), NO_VALUE);
}

TEST(score_cache_stores_scores_of_all_moves) {
  ScoreCache cache;
  std::vector<ScoredMove> moves = {{40, 100}, {41, -32768}, {42, 32767}};
  cache.store(7, moves);
  std::vector<ScoredMove> found = {{40, 0}, {41, 0}, {42, 0}};
  CHECK(cache.find(7, found));
  for (size_t i = 0; i < moves.size(); ++i) CHECK_EQ(found[i].score, moves[i].score);
  CHECK(!cache.find(8, found));
  CHECK(!cache.find(7, std::span(found).first(2)));
  moves[1].score = 40000;  // does not fit: what was there stays
  cache.store(7, moves);
  CHECK(cache.find(7, found));
  CHECK_EQ(found[1].score, -32768);
}

TEST(net_rarely_evaluates_a_position_twice) {
  const Searched tables = searched(false), net = searched(true);
  // Two positions may share an entry, so a few are evaluated again.
  const auto again = [](int asked, size_t different) {
    return static_cast<double>(asked) / static_cast<double>(different) - 1;
  };
  CHECK(net.asked.value_nb > 100);
  CHECK(again(tables.asked.value_nb, tables.asked.values.size()) > 0.1);
  CHECK(again(net.asked.value_nb, net.asked.values.size()) < 0.05);
  CHECK(again(tables.asked.score_nb, tables.asked.scores.size()) > 0.1);
  CHECK(again(net.asked.score_nb, net.asked.scores.size()) < 0.05);
  CHECK_EQ(net.answer.info.stats.evaluations, static_cast<u64>(net.asked.value_nb));
}
