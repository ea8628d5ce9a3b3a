// SPDX-License-Identifier: MIT
// Invariants of the alpha-beta search: legal results, limits, number of lines.
#include <algorithm>
#include <set>

#include "check.h"
#include "plain_minimax.h"
#include "searches.h"

using namespace tengen;

namespace {

AlphaBeta classical_search(int size, Rule rule, int threads = 1, size_t memory = SMALL_MEMORY) {
  return {size, rule, {}, threads, memory, classical_evaluators(rule)};
}

/// The lines of the last complete iteration, best first.
std::vector<SearchInfo> last_lines(const SearchLog& log, int count) {
  std::vector<SearchInfo> lines(static_cast<size_t>(count));
  for (const SearchInfo& info : log.infos)
    if (info.bound == Bound::EXACT) lines.at(static_cast<size_t>(info.multipv - 1)) = info;
  return lines;
}

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

}  // namespace

TEST(search_plays_legally_on_every_board) {
  Rng rng(1);
  for (int r = 0; r < RULE_NB; ++r)
    for (const int size : {5, 9, 15, 20, 22}) {
      const Rule rule = static_cast<Rule>(r);
      AlphaBeta classical = classical_search(size, rule);
      AlphaBeta fake(size, rule, {}, 1, SMALL_MEMORY, fake_evaluators());
      for (int i = 0; i < 8; ++i) {
        const GamePosition position = middle_game(rng, size, rule);
        check_answer(position, search_and_log(classical, request_of(position, 5, 3000)));
        check_answer(position, search_and_log(fake, request_of(position, 4, 1000)));
      }
      const GamePosition empty = position_of(size, rule, {});
      const SearchLog log = search_and_log(classical, request_of(empty, 2));
      check_answer(empty, log);
      CHECK_EQ(log.answer.move, make_point(size / 2, size / 2));
    }
}

TEST(node_limit_is_exact) {
  Rng rng(2);
  int exact = 0;
  for (int i = 0; i < 30; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, 15, rule);
    AlphaBeta search = classical_search(15, rule);
    for (const u64 limit : {1, 2, 3, 50, 127, 128, 129, 1000, 2500}) {
      search.new_game();
      const SearchLog log = search_and_log(search, request_of(position, 0, limit));
      check_answer(position, log);
      const SearchInfo& info = log.answer.info;
      for (const SearchInfo& reported : log.infos) CHECK(reported.stats.nodes <= limit);
      CHECK(info.stats.vcf_nodes <= info.stats.nodes);
      CHECK(info.stats.solver_nodes <= limit / 10 + 1);
      if (is_mate(info.value)) continue;  // found before the limit
      CHECK_EQ(info.stats.nodes, limit);
      ++exact;
    }
  }
  CHECK(exact > 200);
}

TEST(depth_limit_is_kept) {
  Rng rng(3);
  int searched = 0;
  for (int i = 0; i < 15; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, 15, rule);
    AlphaBeta search = classical_search(15, rule);
    for (const int depth : {1, 2, 3, 5}) {
      search.new_game();
      const SearchLog log = search_and_log(search, request_of(position, depth));
      if (is_mate(log.answer.info.value)) continue;
      CHECK_EQ(log.answer.info.depth, depth);
      CHECK_EQ(log.infos.back().depth, depth);
      CHECK_EQ(log.answer.info.value, log.infos.back().value);
      CHECK(log.answer.info.pv == log.infos.back().pv);
      int reported = 0;
      for (const SearchInfo& info : log.infos) {
        CHECK(reported <= info.depth && info.depth <= reported + 1);
        CHECK(info.selective_depth >= info.depth);
        reported = info.depth;
      }
      ++searched;
    }
  }
  CHECK(searched > 30);
}

TEST(reported_counts_never_decrease) {
  Rng rng(4);
  for (int i = 0; i < 10; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, 15, rule);
    AlphaBeta search = classical_search(15, rule);
    const SearchLog log = search_and_log(search, request_of(position, 6));
    SearchInfo before;
    for (const SearchInfo& info : log.infos) {
      CHECK(info.stats.nodes >= before.stats.nodes);
      CHECK(info.stats.evaluations >= before.stats.evaluations);
      CHECK(info.nanoseconds >= before.nanoseconds);
      CHECK(info.hashfull >= before.hashfull && info.hashfull <= 1000);
      before = info;
    }
    CHECK(before.stats.nodes > 0 && before.stats.evaluations > 0);
  }
}

TEST(stopped_search_still_has_a_legal_move) {
  Rng rng(5);
  for (int i = 0; i < 60; ++i) {
    const int size = random_size(rng);
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, size, rule);
    AlphaBeta search = classical_search(size, rule, 1 + i % 3);
    SearchRequest request = request_of(position, 0);
    request.multipv = 1 + i % 2;
    SearchControl stopped, late;
    stopped.stop = true;
    late.deadline = StopCondition::now_in_nanoseconds() - 1;
    for (SearchControl* control : {&stopped, &late}) {
      const SearchLog log = search_and_log(search, request, *control);
      check_answer(position, log);
      CHECK(log.answer.info.stats.nodes <= 3 * 128);
    }
  }
}

TEST(search_is_stopped_while_it_runs) {
  Rng rng(6);
  for (const bool by_deadline : {false, true}) {
    const GamePosition position = quiet_game(rng, 15, Rule::STANDARD);
    AlphaBeta search = classical_search(15, Rule::STANDARD);
    SearchControl control;
    int reported = 0;
    const SearchResult answer =
        search.search(request_of(position, 0), control, [&](const SearchInfo& info) {
          reported = info.depth;
          if (info.depth < 3) return;
          if (by_deadline)
            control.deadline = 0;
          else
            control.stop = true;
        });
    CHECK_EQ(reported, 3);
    CHECK(is_playable(position, answer.info.pv));
    CHECK(answer.info.depth == 3 || answer.info.depth == 4);
  }
}

TEST(only_search_moves_are_played) {
  Rng rng(7);
  for (int i = 0; i < 60; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, 15, rule);
    AlphaBeta search = classical_search(15, rule);
    SearchRequest request = request_of(position, 4, 2000);
    std::vector<Point> legal;
    for (const Point p : board_points(15))
      if (is_playable(position, {p})) legal.push_back(p);
    for (int n = 1 + i % 4; n > 0; --n)
      request.search_moves.push_back(legal[rng.below(static_cast<u32>(legal.size()))]);
    std::sort(request.search_moves.begin(), request.search_moves.end());
    request.search_moves.erase(
        std::unique(request.search_moves.begin(), request.search_moves.end()),
        request.search_moves.end());
    request.multipv = 1 + i % 3;
    const SearchLog log = search_and_log(search, request);
    check_answer(position, log);
    for (const SearchInfo& info : log.infos)
      CHECK(
          std::binary_search(request.search_moves.begin(), request.search_moves.end(), info.pv[0]));
    CHECK(std::binary_search(request.search_moves.begin(), request.search_moves.end(),
                             log.answer.move));
  }
}

TEST(five_is_played_under_any_limit) {
  const GamePosition position = position_with_fives(BLACK);
  const std::set<Point> fives = {make_point(1, 3), make_point(6, 3)};
  AlphaBeta search = classical_search(9, Rule::FREESTYLE);
  SearchRequest plain = request_of(position, 4), lines = plain, chosen = plain;
  lines.multipv = 3;
  chosen.search_moves = {make_point(0, 0), make_point(6, 3), make_point(8, 8)};
  for (const SearchRequest& request : {plain, lines, chosen}) {
    search.new_game();
    const SearchLog log = search_and_log(search, request);
    check_answer(position, log);
    CHECK(fives.count(log.answer.move));
    CHECK_EQ(log.answer.info.value, mate_in(1));
    CHECK_EQ(log.answer.info.pv.size(), size_t{1});
  }
  // Where the five is not among the moves to choose from, white's is at once.
  chosen.search_moves = {make_point(0, 0)};
  search.new_game();
  CHECK_EQ(search_and_log(search, chosen).answer.info.value, mated_in(2));
}

TEST(multipv_lines_are_complete_and_distinct) {
  Rng rng(8);
  int reported = 0;
  for (int i = 0; i < 80; ++i) {
    const int size = i % 2 ? 9 : 15;
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, size, rule);
    AlphaBeta search(size, rule, {}, 1, SMALL_MEMORY,
                     i % 4 < 2 ? classical_evaluators(rule) : fake_evaluators());
    SearchRequest request = request_of(position, 6);
    request.multipv = 2 + i % 4;
    const SearchLog log = search_and_log(search, request);
    check_answer(position, log);
    const std::vector<SearchInfo> lines = last_lines(log, request.multipv);
    std::set<Point> moves;
    for (const SearchInfo& line : lines) {
      CHECK_EQ(line.depth, lines[0].depth);
      CHECK(line.value <= lines[0].value);
      moves.insert(line.pv.at(0));
    }
    if (moves.size() != lines.size())
      check::fail(__FILE__, __LINE__, "a move is reported twice: " + describe(position));
    for (size_t k = 1; k < lines.size(); ++k) CHECK(lines[k].value <= lines[k - 1].value);
    CHECK_EQ(log.answer.move, lines[0].pv[0]);
    reported += static_cast<int>(lines.size());
  }
  CHECK(reported > 200);
}

TEST(single_search_move_is_searched_fully) {
  const GamePosition position =
      position_of(15, Rule::FREESTYLE, {{make_point(7, 7), BLACK}, {make_point(3, 11), WHITE}});
  AlphaBeta search(15, Rule::FREESTYLE, {}, 1, SMALL_MEMORY, classical_evaluators(Rule::FREESTYLE));
  SearchRequest request = request_of(position, 9);
  request.search_moves = {make_point(6, 6)};
  SearchControl control;
  control.deadline = StopCondition::now_in_nanoseconds() + i64{3600} * 1'000'000'000;
  CHECK_EQ(search_and_log(search, request, control).answer.info.depth, 9);
}

TEST(lines_are_the_best_moves_of_minimax) {
  // Where nothing is left out, each line has the exact value of its move.
  Rng rng(9);
  for (int i = 0; i < 40; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = quiet_game(rng, 5, rule);
    PlainMinimax minimax(position, 0, 0);
    constexpr int DEPTH = 2;
    std::vector<ScoredMove> values = minimax.root_values(DEPTH);
    std::stable_sort(values.begin(), values.end(),
                     [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
    if (minimax.passed() || is_mate(values[0].score)) continue;
    AlphaBeta search(5, rule, plain_settings(), 1, SMALL_MEMORY, fake_evaluators());
    SearchRequest request = request_of(position, DEPTH);
    for (const int count : {1, 3, 1000}) {
      search.new_game();
      request.multipv = count;
      const SearchLog log = search_and_log(search, request);
      const int expected = std::min(count, static_cast<int>(values.size()));
      const std::vector<SearchInfo> lines = last_lines(log, expected);
      for (size_t k = 0; k < lines.size(); ++k) CHECK_EQ(lines[k].value, values[k].score);
    }
  }
}

TEST(last_point_of_the_board_is_a_draw) {
  const GamePosition position = drawn(Rule::FREESTYLE, WHITE,
                                      {"XXOXX",  //
                                       "OOXOO",  //
                                       "XX.XX",  //
                                       "OOXOO",  //
                                       "XXOXX"});
  AlphaBeta search = classical_search(5, Rule::FREESTYLE);
  const SearchLog log = search_and_log(search, request_of(position, 8));
  CHECK_EQ(log.answer.move, make_point(2, 2));
  CHECK_EQ(log.answer.info.value, DRAW);
  CHECK_EQ(log.answer.ponder, NO_POINT);
}

TEST(last_move_before_the_limit_is_a_five_or_a_draw) {
  Rng rng(10);
  int fives = 0;
  for (int i = 0; i < 200; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, 9, rule);
    PatternBoard patterns(9, rule);
    patterns.assign(position.cells);
    const bool five = patterns.count(position.side, Threat::FIVE) > 0;
    AlphaBeta search = classical_search(9, rule);
    SearchRequest request = request_of(position, 4);
    request.moves_left = 1;
    const SearchLog log = search_and_log(search, request);
    check_answer(position, log);
    CHECK_EQ(log.answer.info.value, five ? mate_in(1) : DRAW);
    fives += five;
  }
  CHECK(fives > 20);
}

TEST(side_without_a_legal_point_passes) {
  // All empty points would give black six in a row.
  const GamePosition position = drawn(Rule::RENJU, BLACK,
                                      {"XXX.XXX",  //
                                       "OOXOOOO",  //
                                       "OOOOXOO",  //
                                       "XXX.XXX",  //
                                       "OXOOOOO",  //
                                       "OOOXOOO",  //
                                       "OOOOOXO"});
  for (const int multipv : {1, 3}) {
    AlphaBeta search = classical_search(7, Rule::RENJU, multipv);
    SearchRequest request = request_of(position, 5);
    request.multipv = multipv;
    const SearchLog log = search_and_log(search, request);
    CHECK_EQ(log.answer.move, NO_POINT);
    CHECK_EQ(log.answer.ponder, NO_POINT);
    CHECK(log.infos.empty());
  }
  GamePosition white = position;
  white.side = WHITE;
  AlphaBeta search = classical_search(7, Rule::RENJU);
  check_answer(white, search_and_log(search, request_of(white, 5)));
}

TEST(several_threads_play_legally) {
  Rng rng(11);
  for (int i = 0; i < 10; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, 15, rule);
    AlphaBeta search = classical_search(15, rule, 4);
    const SearchLog by_depth = search_and_log(search, request_of(position, 5));
    check_answer(position, by_depth);
    const SearchLog by_nodes = search_and_log(search, request_of(position, 0, 4001));
    check_answer(position, by_nodes);
    CHECK(by_nodes.answer.info.stats.nodes <= 4 * 1001);
  }
}
