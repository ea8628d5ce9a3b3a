// SPDX-License-Identifier: MIT
// The engine interface: events, options, pondering, time limits.
#include <stdexcept>
#include <thread>

#include "check.h"
#include "engines.h"

using namespace tengen;

namespace {

/// The sentence with which the call is refused; empty if it is not.
template <typename Error, typename Call>
std::string error_message(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Reads events until a line of at least this depth; false if the result comes first.
bool wait_for_depth(Engine& engine, int depth) {
  while (const std::optional<EngineEvent> event = engine.next_event(TIMEOUT)) {
    if (event->kind != EngineEvent::Kind::INFO) return false;
    if (event->info.depth >= depth) return true;
  }
  return false;
}

}  // namespace

TEST(engine_reports_lines_and_then_the_result) {
  Rng rng(1);
  ReadyEngine engine;
  for (int i = 0; i < 20; ++i) {
    const GamePosition position =
        middle_game(rng, random_size(rng), static_cast<Rule>(i % RULE_NB));
    engine.go(go_request(position, 5));
    const std::vector<EngineEvent> events = events_of(engine);
    check_events(position, engine, events);
    CHECK(events.size() >= 2);
    // The result is the last reported line.
    const SearchInfo &reported = events[events.size() - 2].info, &answer = events.back().info;
    CHECK(reported.pv == answer.pv && reported.value == answer.value);
    CHECK_EQ(events.back().ponder, answer.pv.size() > 1 ? answer.pv[1] : NO_POINT);
    int depth = 0;
    for (const EngineEvent& event : events) {
      CHECK(event.info.depth >= depth);
      depth = event.info.depth;
    }
  }
}

TEST(engine_without_a_search_is_silent) {
  ReadyEngine engine;
  CHECK(!engine.is_running());
  CHECK(!engine.next_event(TIMEOUT));
  engine.stop();
  engine.ponder_hit();
  engine.new_game();
  CHECK(!engine.next_event(TIMEOUT));
  // A stop that came before the search does not end it.
  Rng rng(2);
  const GamePosition position = quiet_game(rng, 15, Rule::CARO);
  engine.stop();
  engine.go(go_request(position, 3));
  const std::vector<EngineEvent> events = events_of(engine);
  check_events(position, engine, events);
  CHECK_EQ(events.back().info.depth, 3);
}

TEST(unread_events_are_dropped_by_the_next_search) {
  Rng rng(3);
  ReadyEngine engine;
  const GamePosition first = quiet_game(rng, 15, Rule::RENJU);
  const GamePosition second = quiet_game(rng, 9, Rule::RENJU);
  engine.go(go_request(first, 3));
  while (engine.is_running()) std::this_thread::yield();
  engine.go(go_request(second, 2));
  const std::vector<EngineEvent> events = events_of(engine);
  check_events(second, engine, events);
  for (const EngineEvent& event : events) CHECK(event.info.depth <= 2);
}

TEST(engine_stops_on_request) {
  Rng rng(4);
  ReadyEngine engine;
  for (int i = 0; i < 10; ++i) {
    const GamePosition position = quiet_game(rng, 15, static_cast<Rule>(i % RULE_NB));
    engine.go(go_request(position, 0));
    CHECK(i % 2 == 0 || wait_for_depth(engine, 2));
    std::thread other([&engine] { engine.stop(); });
    check_events(position, engine, events_of(engine));
    other.join();
  }
}

TEST(one_search_at_a_time) {
  Rng rng(5);
  ReadyEngine engine;
  const GamePosition position = quiet_game(rng, 15, Rule::FREESTYLE);
  engine.go(go_request(position, 0));
  const auto refused = [&](auto call) { return !error_message<std::logic_error>(call).empty(); };
  CHECK(refused([&] { engine.go(go_request(position, 1)); }));
  CHECK(refused([&] { set_threads(engine, 2); }));
  CHECK(refused([&] { engine.new_game(); }));
  CHECK(refused([&] { engine.load_tables(Rule::CARO, table_file(Rule::CARO)); }));
  CHECK(engine.is_running());
  CHECK_EQ(engine.options().threads, 1);
  engine.stop();
  check_events(position, engine, events_of(engine));
  set_threads(engine, 2);
  engine.new_game();
  engine.go(go_request(position, 2));
  check_events(position, engine, events_of(engine));
}

TEST(result_waits_for_the_ponder_hit) {
  // Pondering, and done long before: the answer comes with the opponent's move, or with the stop.
  Rng rng(6);
  ReadyEngine engine;
  for (const bool hit : {true, false}) {
    const GamePosition position = quiet_game(rng, 15, Rule::STANDARD);
    GoRequest request = go_request(position, 2);
    request.ponder = true;
    engine.go(request);
    CHECK(wait_for_depth(engine, 2));
    CHECK(!engine.next_event(0.02));
    CHECK(engine.is_running());
    if (hit)
      engine.ponder_hit();
    else
      engine.stop();
    check_events(position, engine, events_of(engine));
    engine.ponder_hit();  // too late: nothing happens
    CHECK(!engine.next_event(TIMEOUT));
  }
}

TEST(time_counts_from_the_ponder_hit) {
  Rng rng(7);
  ReadyEngine engine;
  const GamePosition position = quiet_game(rng, 15, Rule::STANDARD);
  for (const TimeLimits& time : {TimeLimits{0.001, 0, 0}, TimeLimits{0, 0.02, 0}}) {
    for (const bool late : {false, true}) {  // limits of go(), and of the hit
      GoRequest request = go_request(position, 0);
      if (!late) request.time = time;
      request.ponder = true;
      engine.go(request);
      // The search exceeds its limits while the opponent thinks.
      i64 reported = 0;
      while (reported < 40'000'000) {
        const std::optional<EngineEvent> event = engine.next_event(TIMEOUT);
        CHECK(event && event->kind == EngineEvent::Kind::INFO);
        if (!event || event->kind != EngineEvent::Kind::INFO) break;
        reported = event->info.nanoseconds;
      }
      engine.ponder_hit(late ? std::optional(time) : std::nullopt);
      check_events(position, engine, events_of(engine));
    }
  }
}

TEST(stop_ends_pondering) {
  Rng rng(8);
  ReadyEngine engine;
  for (const int threads : {1, 3}) {
    set_threads(engine, threads);
    const GamePosition position = quiet_game(rng, 15, Rule::CARO6);
    GoRequest request = go_request(position, 0);
    request.ponder = true;
    engine.go(request);
    CHECK(wait_for_depth(engine, 2));
    engine.stop();
    check_events(position, engine, events_of(engine));
  }
}

TEST(engine_may_go_at_any_time) {
  Rng rng(9);
  const GamePosition position = quiet_game(rng, 15, Rule::FREESTYLE);
  for (int i = 0; i < 12; ++i) {
    ReadyEngine engine(small_options(1 + i % 3));
    GoRequest request = go_request(position, i % 4 == 3 ? 1 : 0);
    request.ponder = i % 2 == 1;
    engine.go(request);
    if (i % 5 > 1) engine.next_event(TIMEOUT);
    // Destroyed in the middle of a search, of pondering, of waiting for the opponent.
  }
}

TEST(limits_of_time_end_a_search) {
  Rng rng(10);
  ReadyEngine engine;
  const GamePosition position = quiet_game(rng, 15, Rule::FREESTYLE);
  for (const TimeLimits& time : {TimeLimits{0.01, 0, 0}, TimeLimits{0, 0.2, 0},
                                 TimeLimits{0, 0.0001, 0}, TimeLimits{0.02, 10, 0.1}}) {
    GoRequest request = go_request(position, 0);
    request.time = time;
    engine.go(request);
    check_events(position, engine, events_of(engine));
  }
}

TEST(long_time_limits_do_not_overflow) {
  Rng rng(11);
  ReadyEngine engine;
  const GamePosition position = quiet_game(rng, 15, Rule::FREESTYLE);
  for (const double seconds : {1e9, 1e12, 1e300}) {
    for (const TimeLimits& time : {TimeLimits{seconds, 0, 0}, TimeLimits{0, seconds, 0}}) {
      GoRequest request = go_request(position, 4);
      request.time = time;
      engine.go(request);
      const std::vector<EngineEvent> events = events_of(engine);
      check_events(position, engine, events);
      CHECK_EQ(events.back().info.depth, 4);
    }
    // So it is for whoever waits.
    engine.go(go_request(position, 4));
    std::optional<EngineEvent> event = engine.next_event(seconds);
    CHECK(event.has_value());
    CHECK(!events_of(engine).empty());
  }
}

TEST(engine_without_tables_reports_an_error) {
  Rng rng(12);
  Engine engine(small_options());
  const GamePosition position = middle_game(rng, 15, Rule::RENJU);
  const auto go = [&] { engine.go(go_request(position, 2)); };
  CHECK(error_message<std::invalid_argument>(go).find("renju") != std::string::npos);
  CHECK(!engine.is_running());
  CHECK(!error_message<std::invalid_argument>([&] {
           engine.load_tables(Rule::RENJU, table_file(Rule::CARO));
         }).empty());
  CHECK(!error_message<std::invalid_argument>(go).empty());
  engine.load_tables(Rule::RENJU, table_file(Rule::RENJU));
  go();
  check_events(position, engine, events_of(engine));
}

TEST(every_preset_plays) {
  Rng rng(13);
  for (int preset = 0; preset < PRESET_NB; ++preset) {
    EngineOptions options = small_options();
    options.preset = static_cast<Preset>(preset);
    ReadyEngine engine(options);
    for (int i = 0; i < 10; ++i) {
      const int size = random_size(rng);
      const GamePosition position = middle_game(rng, size, static_cast<Rule>(i % RULE_NB));
      GoRequest request = go_request(position, 2);
      request.search.multipv = 1 + i % 3;
      engine.go(request);
      check_events(position, engine, events_of(engine));
    }
  }
}

TEST(side_without_a_legal_point_passes_under_every_preset) {
  const GamePosition position = drawn(Rule::RENJU, BLACK,
                                      {"XXX.XXX",  //
                                       "OOXOOOO",  //
                                       "OOOOXOO",  //
                                       "XXX.XXX",  //
                                       "OXOOOOO",  //
                                       "OOOXOOO",  //
                                       "OOOOOXO"});
  for (int preset = 0; preset < PRESET_NB; ++preset) {
    EngineOptions options = small_options();
    options.preset = static_cast<Preset>(preset);
    ReadyEngine engine(options);
    engine.go(go_request(position, 3));
    const std::vector<EngineEvent> events = events_of(engine);
    CHECK_EQ(events.size(), size_t{1});
    CHECK(events[0].kind == EngineEvent::Kind::DONE);
    CHECK_EQ(events[0].move, NO_POINT);
  }
}

TEST(root_policy_has_the_moves_of_the_search) {
  Rng rng(5);
  for (int preset = 0; preset < 5; ++preset) {
    EngineOptions options = small_options();
    options.preset = static_cast<Preset>(preset);
    ReadyEngine engine(options);
    for (int i = 0; i < 20; ++i) {
      const GamePosition position =
          middle_game(rng, random_size(rng), static_cast<Rule>(i % RULE_NB));
      const std::vector<PolicyMove> moves = engine.root_policy(go_request(position, 1));
      CHECK(!moves.empty());
      double sum = 0, before = 1;
      for (const PolicyMove& move : moves) {
        CHECK(is_playable(position, {move.point}));
        CHECK(move.probability <= before);
        before = move.probability;
        sum += move.probability;
      }
      CHECK(sum > 1 - 1e-9 && sum < 1 + 1e-9);
    }
  }
}
