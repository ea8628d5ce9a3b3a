// SPDX-License-Identifier: MIT
// The players without search.
#include <algorithm>
#include <map>
#include <set>

#include "check.h"
#include "search/simple/simple.h"
#include "searches.h"

using namespace tengen;

namespace {

PolicySearcher policy(int size, Rule rule) {
  return {size, rule, std::make_unique<ClassicalEvaluator>(classical_tables(rule))};
}

PatternBoard patterns_of(const GamePosition& position) {
  PatternBoard patterns(position.size, position.rule);
  patterns.assign(position.cells);
  return patterns;
}

}  // namespace

TEST(random_player_plays_every_legal_move) {
  Rng rng(1);
  for (int r = 0; r < RULE_NB; ++r) {
    const Rule rule = static_cast<Rule>(r);
    const GamePosition position = middle_game(rng, 5, rule);
    std::map<Point, int> played;
    for (const Point p : board_points(5))
      if (is_playable(position, {p})) played[p] = 0;
    RandomSearcher player(5, rule, 7);
    const int games = 200 * static_cast<int>(played.size());
    for (int i = 0; i < games; ++i) {
      const SearchLog log = search_and_log(player, request_of(position, 0));
      if (i == 0) check_answer(position, log);
      CHECK(played.count(log.answer.move));
      ++played[log.answer.move];
    }
    for (const auto& [point, count] : played) CHECK(count > 120 && count < 280);
  }
}

TEST(random_player_depends_on_its_seed) {
  Rng rng(2);
  const GamePosition position = middle_game(rng, 15, Rule::RENJU);
  const auto game = [&](u64 seed) {
    RandomSearcher player(15, Rule::RENJU, seed);
    std::vector<Point> moves;
    for (int i = 0; i < 20; ++i)
      moves.push_back(search_and_log(player, request_of(position, 0)).answer.move);
    return moves;
  };
  CHECK(game(1) == game(1));
  CHECK(game(1) != game(2));
}

TEST(policy_player_takes_fives_and_stops_them) {
  Rng rng(3);
  int taken = 0, stopped = 0;
  for (int i = 0; i < 600; ++i) {
    const GamePosition position = middle_game(rng, 9, static_cast<Rule>(i % RULE_NB));
    const PatternBoard patterns = patterns_of(position);
    PolicySearcher player = policy(9, position.rule);
    const SearchLog log = search_and_log(player, request_of(position, 0));
    check_answer(position, log);
    const Point move = log.answer.move;
    const Colour other = opponent(position.side);
    if (patterns.count(position.side, Threat::FIVE) > 0) {
      CHECK(patterns.threat(position.side, move) == Threat::FIVE);
      ++taken;
      continue;
    }
    bool can_stop = false;
    patterns.for_each_at_least(other, Threat::FIVE, [&](Point p) {
      can_stop = can_stop || patterns.is_legal(position.side, p);
    });
    if (!can_stop) continue;
    CHECK(patterns.threat(other, move) == Threat::FIVE);
    ++stopped;
  }
  CHECK(taken > 30 && stopped > 30);
}

TEST(policy_player_follows_the_scores) {
  Rng rng(4);
  int followed = 0;
  for (int i = 0; i < 200; ++i) {
    const GamePosition position = middle_game(rng, 15, static_cast<Rule>(i % RULE_NB));
    const PatternBoard patterns = patterns_of(position);
    if (patterns.count(BLACK, Threat::FIVE) + patterns.count(WHITE, Threat::FIVE) > 0) continue;
    if (patterns.count(position.side, Threat::OPEN_FOUR) > 0) continue;
    PolicySearcher player = policy(15, position.rule);
    SearchRequest request = request_of(position, 0);
    request.multipv = 4;
    const SearchLog log = search_and_log(player, request);
    check_answer(position, log);
    CHECK_EQ(log.infos.size(), size_t{4});
    ClassicalEvaluator evaluator(classical_tables(position.rule));
    evaluator.assign(patterns);
    CHECK_EQ(log.answer.info.value, evaluator.value(patterns, position.side));
    // Lines are reported from the fourth best to the best.
    std::set<Point> moves;
    i32 before = -EVAL_LIMIT;
    for (const SearchInfo& info : log.infos) {
      ScoredMove scored{info.pv[0], 0};
      evaluator.score_moves(patterns, position.side, {&scored, 1});
      CHECK(scored.score >= before);
      before = scored.score;
      moves.insert(info.pv[0]);
    }
    CHECK_EQ(moves.size(), size_t{4});
    CHECK_EQ(log.infos.back().multipv, 1);
    CHECK_EQ(log.infos.back().pv[0], log.answer.move);
    ++followed;
  }
  CHECK(followed > 30);
}

TEST(simple_players_respect_search_moves) {
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const GamePosition position = middle_game(rng, 15, static_cast<Rule>(i % RULE_NB));
    SearchRequest request = request_of(position, 0);
    for (const Point p : board_points(15))
      if (request.search_moves.size() < 2 && is_playable(position, {p}))
        request.search_moves.push_back(p);
    RandomSearcher random(15, position.rule, 1);
    PolicySearcher best = policy(15, position.rule);
    for (Searcher* player : {static_cast<Searcher*>(&random), static_cast<Searcher*>(&best)}) {
      const Point move = search_and_log(*player, request).answer.move;
      CHECK(std::find(request.search_moves.begin(), request.search_moves.end(), move) !=
            request.search_moves.end());
    }
  }
}

TEST(policy_player_opens_in_the_middle) {
  for (const int size : {5, 15, 22}) {
    PolicySearcher player = policy(size, Rule::STANDARD);
    const GamePosition empty = position_of(size, Rule::STANDARD, {});
    CHECK_EQ(search_and_log(player, request_of(empty, 0)).answer.move,
             make_point(size / 2, size / 2));
  }
}
