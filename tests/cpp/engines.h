// SPDX-License-Identifier: MIT
// Engine helpers: small options, requests, collected events.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "searches.h"

namespace tengen {

/// Long enough for anything here; only an error waits so long.
inline constexpr double TIMEOUT = 60;

inline EngineOptions small_options(int threads = 1) {
  EngineOptions options;
  options.threads = threads;
  options.memory = SMALL_MEMORY;
  return options;
}

/// A net of random weights, for every rule and size.
inline mixnet::Nets lively_nets() {
  static const auto net = [] {
    std::ifstream file(TENGEN_TEST_DATA "/golden/mixnet/lively.net", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    mixnet::Weights weights = mixnet::read_weights(bytes);
    weights.rules = 0xFFFF;
    weights.sizes = ~u32{0};
    return std::make_shared<const mixnet::Net>(weights);
  }();
  return {net, net};
}

/// An engine that knows all rules.
class ReadyEngine : public Engine {
 public:
  explicit ReadyEngine(const EngineOptions& options = small_options()) : Engine(options) {
    for (int r = 0; r < RULE_NB; ++r)
      load_tables(static_cast<Rule>(r), table_file(static_cast<Rule>(r)));
    set_evaluation(lively_nets());
  }
};

inline void set_threads(Engine& engine, int threads) {
  EngineOptions options = engine.options();
  options.threads = threads;
  engine.set_options(options);
}

inline GoRequest go_request(const GamePosition& position, int depth, u64 nodes = 0) {
  GoRequest request;
  request.size = position.size;
  request.rule = position.rule;
  request.search = request_of(position, depth, nodes);
  return request;
}

/// The events up to the end; the last one is the answer.
inline std::vector<EngineEvent> events_of(Engine& engine) {
  std::vector<EngineEvent> events;
  while (std::optional<EngineEvent> event = engine.next_event(TIMEOUT))
    events.push_back(std::move(*event));
  return events;
}

/// Exactly one answer, at the end; it is legal, and nothing is left behind.
inline void check_events(const GamePosition& position, Engine& engine,
                         const std::vector<EngineEvent>& events) {
  CHECK(!events.empty());
  if (events.empty()) return;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    CHECK(events[i].kind == EngineEvent::Kind::INFO);
    CHECK(is_playable(position, events[i].info.pv));
  }
  const EngineEvent& last = events.back();
  CHECK(last.kind == EngineEvent::Kind::DONE);
  CHECK(last.failure == nullptr);
  CHECK(is_playable(position, {last.move}));
  CHECK(!last.info.pv.empty() && last.info.pv[0] == last.move);
  CHECK(!engine.is_running());
  CHECK(!engine.next_event(TIMEOUT));
}

}  // namespace tengen
