// SPDX-License-Identifier: MIT
// Players: waiting for nets, nets that are missing or damaged, levels, pondering, stops.
#include <algorithm>
#include <chrono>
#include <thread>

#include "check.h"
#include "engine/player.h"
#include "test_nets.h"

using namespace tengen;

namespace {

Bundle bundle_with(const TestNets& nets) {
  return {std::make_shared<FolderSource>(TENGEN_TABLES), nets.folder()};
}

/// The move of an empty board.
PlayRequest request(const Limit& limit) { return {Board(15), Rule::FREESTYLE, limit}; }

/// A player whose net is outside the core, and loads until the test sets it.
struct SlowPlayer {
  SlowPlayer() : nets(ONE, {"one"}), net(std::make_shared<ExternalNet>()) {
    nets.write("slow.onnx", "");
    PlayOptions options;
    options.net = (nets.path() / "slow.onnx").string();
    options.core.memory = size_t{8} << 20;
    player = std::make_unique<Player>(options, bundle_with(nets),
                                      [this](const NetPair&, Rule, int size) {
                                        ++loads;
                                        return size == 15 ? net : std::make_shared<ExternalNet>();
                                      });
  }

  void load() const {
    net->set({[](int, std::span<const float>, NetOutput& output) {
      for (auto& value : output.value) value = {0, 0, 0};
      for (float& logit : output.policy) logit = 0;
    }});
  }
  /// The result of the search that runs.
  PlayedMove result() const {
    while (true)
      if (auto event = player->next(0.05))
        if (auto* const played = std::get_if<PlayedMove>(&*event)) return *played;
  }

  TestNets nets;
  std::shared_ptr<ExternalNet> net;  ///< for 15x15; those of other sizes never load
  int loads = 0;
  std::unique_ptr<Player> player;
};

}  // namespace

TEST(players_wait_for_their_net_and_report_it) {
  const TestNets nets(ONE, {"one"});
  Player player(PlayOptions(), bundle_with(nets));
  std::string evaluator;
  const PlayedMove played = player.play(
      request({.depth = 2}), [&](const SearchLine& line) { evaluator = line.evaluator.text(); });
  CHECK(played.move != NO_POINT);
  CHECK_EQ(evaluator, std::string("mixnet (net one)"));
  CHECK_EQ(played.line->evaluator.text(), evaluator);
}

TEST(players_without_their_default_net_play_classical) {
  const TestNets nets(ONE, {"one"});
  std::string net = lively();
  net[net.size() - 5] = static_cast<char>(net[net.size() - 5] ^ 16);  // the checksum is wrong
  nets.write("one.net", net);
  const auto ignore = [](const SearchLine&) {};
  Player player(PlayOptions(), bundle_with(nets));
  const auto text = [&] {
    return player.play(request({.depth = 2}), ignore).line->evaluator.text();
  };
  CHECK(contains(text(), "classical (one cannot be loaded: damaged"));
  nets.write("one.net", lively());
  CHECK(contains(text(), "classical (one cannot be loaded: damaged"));  // until the next game
  player.new_game();
  CHECK_EQ(text(), std::string("mixnet (net one)"));
  PlayOptions named;
  named.net = (nets.path() / "one.net").string();
  nets.write("one.net", net);
  Player other(named, bundle_with(nets));
  for (int n = 0; n < 2; ++n)
    CHECK(contains(error_of([&] { other.play(request({.depth = 2}), ignore); }), "damaged"));
}

TEST(players_reject_onnx_files_without_a_loader) {
  const TestNets nets(ONE, {"one"});
  nets.write("net.onnx", "rubbish");
  PlayOptions options;
  options.net = (nets.path() / "net.onnx").string();
  Player player(options, bundle_with(nets));
  CHECK(contains(error_of([&] { player.play(request({.depth = 2}), [](const SearchLine&) {}); }),
                 "tengen gomocup"));
}

TEST(players_repeat_the_moves_of_a_level) {
  const TestNets nets("", {});
  Board board(15);
  for (const auto& [x, y] : {std::pair(7, 7), std::pair(8, 8), std::pair(9, 6), std::pair(6, 6)})
    board.play(make_point(x, y));
  const auto moves = [&](int level) {
    std::vector<Point> found;
    for (u64 seed = 0; seed < 12; ++seed) {
      PlayOptions options;
      options.level = level;
      options.core.seed = seed;
      options.core.memory = size_t{8} << 20;
      Player player(options, bundle_with(nets));
      found.push_back(player.play({board, Rule::FREESTYLE}, [](const SearchLine&) {}).move);
    }
    return found;
  };
  const std::vector<Point> first = moves(2);
  CHECK(std::count(first.begin(), first.end(), first[0]) < 12);
  CHECK(moves(2) == first);
}

TEST(players_continue_pondering_on_the_expected_reply) {
  const TestNets nets("", {});
  PlayOptions options;
  options.core.memory = size_t{8} << 20;
  Player player(options, bundle_with(nets));
  Board board(15);
  board.play(make_point(7, 7));
  const auto ignore = [](const SearchLine&) {};
  player.start({.board = board, .rule = Rule::FREESTYLE, .purpose = SearchPurpose::PONDER});
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const PlayedMove hit = player.play({board, Rule::FREESTYLE, {.time = 0.01}}, ignore);
  CHECK(hit.line && hit.line->seconds < 0.2);
  CHECK(hit.line->info.nanoseconds > 150'000'000);  // the search is older than the command
  player.start({.board = board, .rule = Rule::FREESTYLE, .purpose = SearchPurpose::PONDER});
  board.play(make_point(8, 8));
  CHECK(player.play({board, Rule::FREESTYLE, {.nodes = 100}}, ignore).line->info.stats.nodes <
        1000);
}

TEST(players_stop_before_and_during_a_search) {
  const TestNets nets("", {});
  Player player(PlayOptions(), bundle_with(nets));
  player.stop();
  CHECK(player.play(request({}), [](const SearchLine&) {}).move != NO_POINT);
  player.clear_stop();
  const PlayedMove played = player.play(request({}), [&](const SearchLine& line) {
    if (line.info.depth >= 3) player.stop();
  });
  CHECK(played.move != NO_POINT);
}

TEST(searches_wait_for_their_net) {
  const SlowPlayer slow;
  CHECK(!slow.player->prepare(Rule::FREESTYLE, 15)->is_ready());
  slow.player->start(request({.nodes = 20}));
  CHECK(!slow.player->next(0.05));
  CHECK(slow.player->is_searching());
  slow.load();
  CHECK_EQ(slow.result().line->evaluator.text(), std::string("onnx (net slow.onnx)"));
  CHECK(!slow.player->is_searching());
  CHECK(slow.player->prepare(Rule::FREESTYLE, 15)->is_ready());
}

TEST(searches_without_time_for_their_net_play_classical) {
  const SlowPlayer slow;
  const std::string late = "classical (slow is still loading)";
  for (const bool in_background : {false, true}) {
    const PlayRequest quick = request({.time = 0.03});
    if (in_background) slow.player->start(quick);
    const PlayedMove played =
        in_background ? slow.result() : slow.player->play(quick, [](const SearchLine&) {});
    CHECK_EQ(played.line->evaluator.text(), late);
  }
  slow.player->start(request({}));
  slow.player->stop();  // the wait, and the search
  CHECK_EQ(slow.result().line->evaluator.text(), late);
  slow.player->start(request({}));
  slow.player->end_search();
  CHECK(!slow.player->is_searching());
}

TEST(pondering_does_not_become_a_search_before_its_net_is_loaded) {
  const SlowPlayer slow;
  PlayRequest ponder = request({});
  ponder.purpose = SearchPurpose::PONDER;
  slow.player->start(ponder);
  CHECK(!slow.player->ponder_hit(request({.time = 0.01})));
  slow.load();
  slow.player->end_search();
  slow.player->start(ponder);
  CHECK(!slow.player->ponder_hit(request({.nodes = 10})));
  CHECK(slow.player->ponder_hit(request({.time = 0.01})));
  CHECK_EQ(slow.result().line->evaluator.text(), std::string("onnx (net slow.onnx)"));
}

TEST(nets_outside_the_core_fail_with_their_reason) {
  const SlowPlayer slow;
  slow.player->start(request({.depth = 2}));
  slow.net->fail(BadNet("no net at all", "slow.onnx"));
  CHECK_EQ(error_of([&] { slow.result(); }), std::string("slow.onnx: no net at all"));
  CHECK(!slow.player->is_searching());
  CHECK_EQ(error_of([&] { slow.player->start(request({.depth = 2})); }),
           std::string("slow.onnx: no net at all"));
}

TEST(nets_stay_loaded_for_those_who_wait_for_them) {
  const SlowPlayer slow;
  slow.player->start(request({.nodes = 20}));
  const auto other = slow.player->prepare(Rule::FREESTYLE, 20);
  const auto held = slow.player->prepare(Rule::FREESTYLE, 15);
  CHECK_EQ(slow.loads, 3);
  slow.player->prepare(Rule::FREESTYLE, 20);
  slow.load();
  CHECK_EQ(slow.result().line->evaluator.text(), std::string("onnx (net slow.onnx)"));
  CHECK(held->is_ready() && !other->is_ready());
  CHECK(!slow.player->root_policy(request({}), held).empty());
  CHECK_EQ(slow.loads, 4);
}

TEST(ponder_hits_need_full_strength_and_no_stop) {
  const TestNets nets("", {});
  PlayOptions options;
  options.core.memory = size_t{8} << 20;
  Player player(options, bundle_with(nets));
  const PlayRequest move = request({.time = 0.01});
  PlayRequest ponder = request({});
  ponder.purpose = SearchPurpose::PONDER;
  const auto hits = [&](const auto& between) {
    player.start(ponder);
    between();
    return player.ponder_hit(move);
  };
  CHECK(hits([] {}));
  CHECK(!hits([&] { player.stop(); }));
  CHECK(!hits([&] {
    options.level = 5;
    player.configure(options);
  }));
  options.level = 9;
  player.configure(options);
  CHECK(!hits([] {}));
}

TEST(tables_without_memory_are_told_apart) {
  const TestNets nets("", {});
  PlayOptions options;
  options.core.memory = size_t{1} << 46;
  Player player(options, bundle_with(nets));
  CHECK_EQ(error_of([&] { player.start(request({.depth = 2})); }),
           std::string("not enough memory for tables of 67108864 MiB: use less"));
  CHECK(!player.is_searching());
}
