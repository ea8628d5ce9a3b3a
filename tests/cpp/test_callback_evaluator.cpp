// SPDX-License-Identifier: MIT
// CallbackEvaluator: its inputs, number of calls, conversion of outputs, and errors during a
// search.
#include "eval/callback_evaluator.h"

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "engines.h"
#include "eval/logits.h"

using namespace tengen;

namespace {

/// Answers by the number of stones and by place, and counts its calls.
struct PlainNet {
  std::atomic<int> calls = 0;
  std::atomic<int> largest = 0;  ///< number of positions in a call

  NetCallback ask() {
    return [this](int size, std::span<const float> planes, NetOutput& answer) {
      ++calls;
      const size_t points = static_cast<size_t>(size * size);
      const size_t boards = answer.value.size();
      CHECK_EQ(planes.size(), 2 * points * boards);
      CHECK_EQ(answer.policy.size(), points * boards);
      for (size_t b = 0; b < boards; ++b) {
        float own = 0, others = 0;
        for (size_t i = 0; i < points; ++i) {
          own += planes[2 * b * points + i];
          others += planes[(2 * b + 1) * points + i];
          answer.policy[b * points + i] = static_cast<float>(i) / 8;
        }
        answer.value[b] = {own, others, -50};
      }
      largest = std::max(largest.load(), static_cast<int>(boards));
    };
  }
};

EngineOptions alphabeta_options(int threads = 1) {
  EngineOptions options = small_options(threads);
  options.preset = Preset::ALPHABETA;
  return options;
}

GamePosition some_position() {
  Rng rng(5);
  return quiet_game(rng, 15, Rule::FREESTYLE);
}

}  // namespace

TEST(callback_is_called_once_per_position_and_side) {
  PlainNet net;
  CallbackEvaluator evaluator(15, net.ask());
  PatternBoard patterns(15, Rule::FREESTYLE);
  evaluator.assign(patterns);
  const Point centre = make_point(7, 7), corner = make_point(0, 1);
  std::array<ScoredMove, 2> moves = {ScoredMove{centre, 0}, ScoredMove{corner, 0}};
  evaluator.score_moves(patterns, BLACK, moves);
  CHECK_EQ(moves[0].score, 112 * EVAL_PER_POLICY_LOGIT / 8);
  CHECK_EQ(moves[1].score, 15 * EVAL_PER_POLICY_LOGIT / 8);
  CHECK_EQ(evaluator.value(patterns, BLACK), 0);
  CHECK_EQ(net.calls.load(), 1);

  patterns.play(centre, BLACK);
  evaluator.play(patterns, centre, BLACK);
  CHECK_EQ(evaluator.value(patterns, WHITE), -EVAL_PER_LOGIT);
  CHECK_EQ(evaluator.value(patterns, BLACK), EVAL_PER_LOGIT);
  CHECK_EQ(net.calls.load(), 3);
  patterns.undo();
  evaluator.undo();
  CHECK_EQ(evaluator.value(patterns, BLACK), 0);
  CHECK_EQ(net.calls.load(), 3);
  patterns.play(centre, BLACK);
  evaluator.assign(patterns);
  CHECK_EQ(evaluator.value(patterns, WHITE), -EVAL_PER_LOGIT);
  CHECK_EQ(net.calls.load(), 3);
}

TEST(each_side_to_move_has_its_net) {
  PlainNet black, white;
  CallbackEvaluator evaluator(15, black.ask(), white.ask());
  PatternBoard patterns(15, Rule::FREESTYLE);
  patterns.play(make_point(7, 7), BLACK);
  evaluator.assign(patterns);
  CHECK_EQ(evaluator.value(patterns, WHITE), -EVAL_PER_LOGIT);
  CHECK_EQ(black.calls.load(), 0);
  CHECK_EQ(evaluator.value(patterns, BLACK), EVAL_PER_LOGIT);
  CHECK_EQ(black.calls.load(), 1);
  CHECK_EQ(white.calls.load(), 1);

  BatchedEvaluator& batched = *evaluator.batched();
  for (const bool again : {false, true}) {
    std::vector<size_t> places;
    for (const Colour side : {WHITE, BLACK, WHITE}) places.push_back(batched.add(patterns, side));
    batched.run();
    batched.run();  // changes nothing
    CHECK_EQ(batched.value_at(places[0]), -EVAL_PER_LOGIT);
    CHECK_EQ(batched.value_at(places[1]), EVAL_PER_LOGIT);
    CHECK_EQ(batched.value_at(places[2]), -EVAL_PER_LOGIT);
    CHECK_EQ(black.calls.load(), again ? 3 : 2);
    CHECK_EQ(white.calls.load(), again ? 3 : 2);
    CHECK_EQ(black.largest.load(), 1);
    CHECK_EQ(white.largest.load(), 2);
    std::array<ScoredMove, 1> moves = {ScoredMove{make_point(1, 1), 0}};
    batched.score_moves_at(places[2], moves);
    CHECK_EQ(moves[0].score, 16 * EVAL_PER_POLICY_LOGIT / 8);
  }
}

TEST(non_finite_outputs_end_the_search_with_an_error) {
  constexpr float NONE = std::numeric_limits<float>::quiet_NaN();
  for (const bool in_value : {true, false}) {
    Engine engine(alphabeta_options());
    engine.set_evaluation(CallbackNet{[&](int, std::span<const float>, NetOutput& answer) {
      answer.value[0] = {in_value ? NONE : 0, 0, 0};
      for (float& logit : answer.policy) logit = in_value ? 0 : NONE;
    }});
    engine.go(go_request(some_position(), 3));
    const std::vector<EngineEvent> events = events_of(engine);
    CHECK(events.back().kind == EngineEvent::Kind::FAILED);
    try {
      std::rethrow_exception(events.back().failure);
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()).find("not a number") != std::string::npos);
    }
  }
}

TEST(throwing_callback_ends_only_its_search) {
  PlainNet net;
  for (const int threads : {1, 3})
    for (const int good_calls : {0, 1, 40}) {
      Engine engine(alphabeta_options(threads));
      std::atomic<int> left = good_calls;
      engine.set_evaluation(
          CallbackNet{[&](int size, std::span<const float> planes, NetOutput& to) {
            if (left-- <= 0) throw std::runtime_error("the net is gone");
            net.ask()(size, planes, to);
          }});
      const GamePosition position = some_position();
      engine.go(go_request(position, 6));
      CHECK(events_of(engine).back().kind == EngineEvent::Kind::FAILED);
      left = std::numeric_limits<int>::max();
      engine.go(go_request(position, 2));
      check_events(position, engine, events_of(engine));
    }
}

TEST(net_of_another_board_size_is_rejected) {
  PlainNet net;
  Engine engine(alphabeta_options());
  engine.set_evaluation(CallbackNet{net.ask(), u32{1} << 15});
  Rng rng(3);
  const GamePosition position = middle_game(rng, 9, Rule::RENJU);
  try {
    engine.go(go_request(position, 2));
    CHECK(false);
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    CHECK(message.find("renju") != std::string::npos && message.find("9") != std::string::npos);
  }
  CHECK_EQ(net.calls.load(), 0);
}

TEST(slow_net_does_not_delay_a_stop) {
  Engine engine(alphabeta_options());
  PlainNet net;
  engine.set_evaluation(CallbackNet{[&](int size, std::span<const float> planes, NetOutput& to) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    net.ask()(size, planes, to);
  }});
  const GamePosition position = some_position();
  engine.go(go_request(position, 0));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const int before = net.calls;
  engine.stop();
  check_events(position, engine, events_of(engine));
  // Not 128 of them, as between two looks at the clock of a quick search.
  CHECK(net.calls - before <= 8);
}
