// SPDX-License-Identifier: MIT
// Invariants of Monte-Carlo tree search: legal results, limits, number of lines, consistent trees.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "check.h"
#include "eval/callback_evaluator.h"
#include "mcts_searches.h"

using namespace tengen;
using namespace tengen::mcts;

namespace {

/// Black has a five at g4 and white one at e6; other moves are quiet.
GamePosition position_with_fives(Colour side) {
  return drawn(Rule::FREESTYLE, side,
               {".........",  //
                ".........",  //
                ".........",  //
                "OOOO.....",  //
                ".........",  //
                "..XXXX...",  //
                ".........",  //
                ".........",  //
                "........."});
}

/// White threatens a four with an open three; black has to do something about it, and most moves
/// do not.
GamePosition position_with_few_defences() {
  return drawn(Rule::FREESTYLE, BLACK,
               {".............",  //
                ".X.........X.",  //
                ".............",  //
                ".............",  //
                ".......O.....",  //
                ".......O.....",  //
                "...XOOO......",  //
                ".............",  //
                ".............",  //
                ".............",  //
                ".............",  //
                ".X.........X.",  //
                "............."});
}

/// A trivial net: all moves are equally likely, all positions even.
EvaluatorFactory even_evaluators(int size) {
  return [size] {
    return std::make_unique<CallbackEvaluator>(
        size, [](int, std::span<const float>, NetOutput& answer) {
          std::fill(answer.value.begin(), answer.value.end(), std::array<float, 3>{});
          std::fill(answer.policy.begin(), answer.policy.end(), 0.0F);
        });
  };
}

}  // namespace

TEST(mcts_plays_legally_on_every_board) {
  Rng rng(1);
  for (int r = 0; r < RULE_NB; ++r)
    for (int size = MIN_SIZE; size <= MAX_SIZE; ++size) {
      const Rule rule = static_cast<Rule>(r);
      Mcts classical(size, rule, {}, 1, SMALL_MEMORY, classical_evaluators(rule));
      Mcts fake(size, rule, {}, 1, SMALL_MEMORY, fake_evaluators());
      for (int i = 0; i < 4; ++i) {
        const GamePosition position = middle_game(rng, size, rule);
        check_answer(position, search_and_log(classical, request_of(position, 0, 200)));
        check_tree(classical);
        check_answer(position, search_and_log(fake, request_of(position, 0, 100)));
        check_tree(fake);
      }
      const GamePosition empty = position_of(size, rule, {});
      const SearchLog log = search_and_log(classical, request_of(empty, 0, 20));
      check_answer(empty, log);
      CHECK_EQ(log.answer.move, make_point(size / 2, size / 2));
    }
}

TEST(mcts_playouts_are_limited_exactly) {
  Rng rng(2);
  int exact = 0;
  for (int i = 0; i < 20; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, 15, rule);
    for (const int threads : {1, 3}) {
      Mcts search(15, rule, {}, threads, SMALL_MEMORY, classical_evaluators(rule));
      for (const u64 limit : {1, 2, 3, 50, 300}) {
        search.new_game();
        const SearchLog log = search_and_log(search, request_of(position, 0, limit));
        check_answer(position, log);
        const SearchInfo& info = log.answer.info;
        for (const SearchInfo& reported : log.infos) CHECK(reported.stats.nodes <= limit);
        CHECK(info.stats.evaluations <= info.stats.nodes + 1);
        if (is_mate(info.value)) continue;  // found before the limit
        CHECK_EQ(info.stats.nodes, limit);
        ++exact;
      }
    }
  }
  CHECK(exact > 100);
}

TEST(mcts_is_repeatable_with_one_thread) {
  Rng rng(3);
  for (int i = 0; i < 10; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, 15, rule);
    Mcts first(15, rule, {}, 1, SMALL_MEMORY, classical_evaluators(rule));
    Mcts second(15, rule, {}, 1, SMALL_MEMORY, classical_evaluators(rule));
    const SearchRequest request = request_of(position, 0, 400);
    search_and_log(first, request);
    const auto expected = visits_of(first);
    search_and_log(second, request);
    CHECK(visits_of(second) == expected);
    first.new_game();
    search_and_log(first, request);
    CHECK(visits_of(first) == expected);
  }
}

TEST(mcts_takes_a_five_and_stops_one) {
  for (const Colour side : {BLACK, WHITE}) {
    const GamePosition position = position_with_fives(side);
    Mcts search(9, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, fake_evaluators());
    const SearchLog log = search_and_log(search, request_of(position, 0, 100));
    check_answer(position, log);
    CHECK_EQ(log.answer.info.value, mate_in(1));
    // Without its five white has to stop black's two, which cannot be done.
    GamePosition stopped = position;
    stopped.cells[make_point(4, 5)] = BLACK;
    stopped.side = WHITE;
    MctsSettings settings;
    settings.vcf = false;
    Mcts other(9, Rule::FREESTYLE, settings, 1, SMALL_MEMORY, fake_evaluators());
    const SearchLog lost = search_and_log(other, request_of(stopped, 0, 400));
    CHECK_EQ(lost.answer.info.value, mated_in(2));
  }
}

TEST(mcts_respects_multipv_and_search_moves) {
  Rng rng(4);
  for (int i = 0; i < 10; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, 12, rule);
    Mcts search(12, rule, {}, 1, SMALL_MEMORY, classical_evaluators(rule));
    SearchRequest request = request_of(position, 0, 500);
    request.multipv = 4;
    const SearchLog log = search_and_log(search, request);
    check_answer(position, log);
    check_tree(search);
    std::set<Point> moves;
    const auto last = log.infos.end() - 4;
    for (auto info = last; info != log.infos.end(); ++info) {
      CHECK_EQ(info->multipv, static_cast<int>(info - last) + 1);
      moves.insert(info->pv[0]);
    }
    CHECK_EQ(moves.size(), size_t{4});
    request.multipv = 1;
    request.search_moves = {*moves.begin(), *moves.rbegin()};
    const SearchLog chosen = search_and_log(search, request);
    check_answer(position, chosen);
    CHECK(std::count(request.search_moves.begin(), request.search_moves.end(),
                     chosen.answer.move) == 1);
    request.multipv = 2;
    CHECK_EQ(search_and_log(search, request).infos.back().multipv, 2);
  }
}

TEST(mcts_reports_mates_of_all_lines) {
  const GamePosition position = position_with_fives(BLACK);
  Mcts search(9, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, classical_evaluators(Rule::FREESTYLE));
  SearchRequest request = request_of(position, 0, 2000);
  request.multipv = 5;
  const SearchLog log = search_and_log(search, request);
  check_answer(position, log);
  CHECK_EQ(log.answer.info.value, mate_in(1));
  const auto last = log.infos.end() - 5;
  CHECK_EQ(last[0].value, mate_in(1));
  CHECK_EQ(last[1].value, mate_in(1));  // black's other five, at b4
  for (int i = 3; i < 5; ++i) CHECK(!is_win(last[i].value));
}

TEST(mcts_reports_a_five_among_search_moves) {
  const GamePosition position = position_with_fives(BLACK);
  for (const int threads : {1, 2})
    for (int i = 0; i < 20; ++i) {
      Mcts search(9, Rule::FREESTYLE, {}, threads, SMALL_MEMORY,
                  classical_evaluators(Rule::FREESTYLE));
      SearchRequest request = request_of(position, 0, 100);
      request.search_moves = {make_point(6, 3), make_point(8, 8)};
      const SearchLog log = search_and_log(search, request);
      CHECK_EQ(log.answer.move, make_point(6, 3));
      CHECK_EQ(log.answer.info.value, mate_in(1));
    }
}

TEST(mcts_does_not_play_a_lost_move_while_others_are_open) {
  const GamePosition position = position_with_few_defences();
  for (const u64 playouts : {1, 2, 5, 30, 60}) {
    Mcts search(13, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, even_evaluators(13));
    const SearchLog log = search_and_log(search, request_of(position, 0, playouts));
    const Node& root = search.tree().node(search.root());
    CHECK(root.edge_count < root.move_count);
    CHECK(!is_loss(log.answer.info.value));
    search.tree().for_each_edge(root, [&](const Edge& edge) {
      if (edge.move == log.answer.move) CHECK(edge.proven != ProvenState::LOST);
    });
  }
}

TEST(mcts_gumbel_samples_again_if_all_moves_lose) {
  const GamePosition position = position_with_few_defences();
  Mcts plain(13, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, even_evaluators(13));
  CHECK(!is_loss(search_and_log(plain, request_of(position, 0, 3000)).answer.info.value));
  for (const int drawn : {1, 2, 4}) {
    MctsSettings settings;
    settings.gumbel = drawn;
    Mcts search(13, Rule::FREESTYLE, settings, 1, SMALL_MEMORY, even_evaluators(13));
    const SearchLog log = search_and_log(search, request_of(position, 0, 3000));
    check_answer(position, log);
    check_tree(search);
    CHECK(!is_loss(log.answer.info.value));
    CHECK_EQ(log.answer.info.stats.nodes, u64{3000});
  }
}

TEST(mcts_depth_limit_waits_for_all_lines) {
  Rng rng(6);
  const GamePosition position = quiet_game(rng, 12, Rule::FREESTYLE);
  for (const int lines : {1, 3, 10}) {
    Mcts search(12, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, classical_evaluators(Rule::FREESTYLE));
    SearchRequest request = request_of(position, 1, 5000);
    request.multipv = lines;
    const SearchLog log = search_and_log(search, request);
    CHECK_EQ(log.infos.back().multipv, lines);
    CHECK(log.answer.info.stats.nodes < 5000);
  }
}

TEST(mcts_searches_a_single_search_move_fully) {
  // No move is proven in so few playouts.
  const GamePosition position =
      position_of(15, Rule::FREESTYLE, {{make_point(7, 7), BLACK}, {make_point(3, 11), WHITE}});
  Mcts search(15, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, classical_evaluators(Rule::FREESTYLE));
  SearchRequest request = request_of(position, 0, 2000);
  request.search_moves = {make_point(6, 6)};
  SearchControl control;
  control.deadline = StopCondition::now_in_nanoseconds() + i64{3600} * 1'000'000'000;
  CHECK_EQ(search_and_log(search, request, control).answer.info.stats.nodes, u64{2000});
}

TEST(mcts_stops_immediately) {
  Rng rng(5);
  for (const int threads : {1, 2}) {
    for (int i = 0; i < 6; ++i) {
      const GamePosition position = quiet_game(rng, 15, Rule::FREESTYLE);
      Mcts search(15, Rule::FREESTYLE, {}, threads, SMALL_MEMORY,
                  classical_evaluators(Rule::FREESTYLE));
      SearchControl control;
      if (i == 0) control.stop = true;  // before it begins
      std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
        control.stop = true;
      });
      const SearchLog log = search_and_log(search, request_of(position, 0), control);
      stopper.join();
      check_answer(position, log);
      check_tree(search);
    }
  }
}

TEST(mcts_plays_the_last_points_of_a_board) {
  Rng rng(6);
  for (int r = 0; r < RULE_NB; ++r)
    for (int i = 0; i < 40; ++i) {
      const Rule rule = static_cast<Rule>(r);
      const GamePosition position = nearly_full(rng, 5 + i % 4, rule, 1 + i % 6);
      Mcts search(position.size, rule, {}, 1 + i % 2, SMALL_MEMORY, fake_evaluators());
      const SearchLog log = search_and_log(search, request_of(position, 0, 2000));
      check_tree(search);
      if (log.answer.move == NO_POINT) {
        CHECK(legal_moves(position).empty());
        continue;
      }
      check_answer(position, log);
    }
}
