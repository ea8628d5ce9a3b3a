// SPDX-License-Identifier: MIT
// Engines used from several threads. Meant for the thread sanitizer; a short version checks that
// every search has one result.
#include <algorithm>
#include <atomic>
#include <thread>

#include "check.h"
#include "engines.h"

using namespace tengen;

namespace {

/// Calls stop() and ponder_hit() from threads of their own until it dies.
class Meddlers {
 public:
  explicit Meddlers(Engine& engine) {
    const auto meddle = [this, &engine](u64 seed) {
      Rng rng(seed);
      while (!over_.load(std::memory_order_relaxed)) {
        switch (rng.below(8)) {
          case 0: engine.stop(); break;
          case 1: engine.ponder_hit(); break;
          case 2: engine.is_running(); break;
          default: std::this_thread::yield();
        }
      }
    };
    for (const u64 seed : {1, 2}) threads_.emplace_back(meddle, seed);
  }
  ~Meddlers() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

TEST(engine_survives_calls_from_other_threads) {
  Rng rng(1);
  for (const int threads : {1, 3}) {
    ReadyEngine engine(small_options(threads));
    const Meddlers meddlers(engine);
    for (int i = 0; i < 60; ++i) {
      const GamePosition position = middle_game(rng, 9, static_cast<Rule>(i % RULE_NB));
      GoRequest request = go_request(position, i % 3 ? 0 : 3);
      request.ponder = i % 2 == 0;
      if (i % 4 == 1) request.time.turn = 0.002;
      engine.go(request);
      check_events(position, engine, events_of(engine));
      if (i % 8 == 0) engine.new_game();
    }
  }
}

TEST(events_go_to_one_of_several_readers) {
  Rng rng(2);
  ReadyEngine engine(small_options(2));
  for (int i = 0; i < 15; ++i) {
    const GamePosition position = quiet_game(rng, 15, static_cast<Rule>(i % RULE_NB));
    engine.go(go_request(position, 4));
    std::atomic<int> answers = 0, lines = 0;
    std::vector<std::thread> readers;
    for (int n = 0; n < 3; ++n)
      readers.emplace_back([&] {
        while (const std::optional<EngineEvent> event = engine.next_event(TIMEOUT))
          ++(event->kind == EngineEvent::Kind::INFO ? lines : answers);
      });
    if (i % 3 == 2) engine.stop();
    for (std::thread& reader : readers) reader.join();
    CHECK_EQ(answers.load(), 1);
    CHECK(i % 3 == 2 || lines.load() > 0);
    CHECK(!engine.is_running());
  }
}

TEST(several_engines_search_concurrently) {
  // Each has one thread, so each must come to what it comes to alone.
  Rng rng(3);
  std::vector<GamePosition> positions;
  for (int i = 0; i < 5; ++i)
    positions.push_back(quiet_game(rng, 15, static_cast<Rule>(i % RULE_NB)));
  std::vector<EngineEvent> alone;
  for (const GamePosition& position : positions) {
    ReadyEngine engine;
    engine.go(go_request(position, 5));
    alone.push_back(events_of(engine).back());
  }
  std::vector<std::unique_ptr<ReadyEngine>> engines;
  for (size_t i = 0; i < positions.size(); ++i) engines.push_back(std::make_unique<ReadyEngine>());
  for (size_t i = 0; i < positions.size(); ++i) engines[i]->go(go_request(positions[i], 5));
  for (size_t i = 0; i < positions.size(); ++i) {
    const std::vector<EngineEvent> events = events_of(*engines[i]);
    check_events(positions[i], *engines[i], events);
    CHECK_EQ(events.back().move, alone[i].move);
    CHECK_EQ(events.back().info.value, alone[i].info.value);
    CHECK_EQ(events.back().info.stats.nodes, alone[i].info.stats.nodes);
  }
}

TEST(multithreaded_engines_search_concurrently) {
  Rng rng(4);
  ReadyEngine one(small_options(4)), two(small_options(4));
  for (int i = 0; i < 6; ++i) {
    const GamePosition first = middle_game(rng, 15, static_cast<Rule>(i % RULE_NB));
    const GamePosition second = middle_game(rng, 20, static_cast<Rule>((i + 1) % RULE_NB));
    GoRequest ponder = go_request(second, 0);
    ponder.ponder = true;
    one.go(go_request(first, 5));
    two.go(ponder);
    check_events(first, one, events_of(one));
    two.stop();
    check_events(second, two, events_of(two));
  }
}

TEST(engine_reports_progress_to_any_thread) {
  Rng rng(77);
  ReadyEngine engine(small_options(2));
  CHECK(!engine.progress());
  for (int i = 0; i < 6; ++i) {
    const GamePosition position = middle_game(rng, 15, Rule::FREESTYLE);
    engine.go(go_request(position, 0, 20'000));
    std::atomic<bool> over = false;
    u64 most = 0;
    std::thread asker([&] {
      while (!over) {
        const std::optional<SearchProgress> now = engine.progress();
        if (now) most = std::max(most, now->stats.nodes);
      }
    });
    const std::vector<EngineEvent> events = events_of(engine);
    over = true;
    asker.join();
    check_events(position, engine, events);
    CHECK(most <= events.back().info.stats.nodes);
    CHECK(!engine.progress());
  }
}
