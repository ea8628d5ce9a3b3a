// SPDX-License-Identifier: MIT
// Nets of folders and of the executable, the choice of evaluator and search, options as texts, and
// a player whose nets are missing or damaged.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/json.h"
#include "check.h"
#include "engine/player.h"

using namespace tengen;
namespace fs = std::filesystem;

namespace {

constexpr u64 CODEBOOKS = u64{397'488} * 2 * 2 * 32;  ///< bytes, of the net of the tests

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string lively() {
  return read_file(fs::path(TENGEN_TEST_DATA) / "golden" / "mixnet" / "lively.net");
}

/// A folder with a registry and copies of a net for freestyle.
class Nets {
 public:
  explicit Nets(const std::string& entries, std::initializer_list<const char*> names)
      : path_(fs::temp_directory_path() /
              ("tengen-nets-" + std::to_string(std::random_device()()))) {
    fs::create_directory(path_);
    write("registry.json", R"({"format": 1, "nets": [)" + entries + "]}");
    for (const char* name : names) write(std::string(name) + ".net", lively());
  }
  ~Nets() { fs::remove_all(path_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  const fs::path& path() const { return path_; }
  NetFolder folder() const { return NetFolder(std::make_shared<FolderSource>(path_), true); }

 private:
  fs::path path_;
};

const std::string ONE = R"({"rule": "freestyle", "from": 5, "to": 22, "net": "one"})";
const std::string TWO = R"({"rule": "freestyle", "from": 5, "to": 22, "black": "b", "white": "w"})";

EvaluatorChoice chosen(const NetFolder& nets, Rule rule = Rule::FREESTYLE,
                       const std::string& net = "", int net_memory = 0) {
  PlayOptions options;
  options.net = net;
  options.net_memory = net_memory;
  return choose_evaluator(options, rule, 15, nets);
}

Bundle bundle_with(const Nets& nets) {
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
                                      [this](const NetPair&, Rule, int) { return net; });
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

  Nets nets;
  std::shared_ptr<ExternalNet> net;
  std::unique_ptr<Player> player;
};

/// The message of what a call throws.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string set(std::string_view name, std::string_view text) {
  PlayOptions options;
  return error_of([&] { set_play_option(options, name, text); });
}


}  // namespace

TEST(json_is_read) {
  const Json json =
      Json::parse(R"( {"a": [1, -2.5e1, "x\"\n\u0041"], "b": {}, "c": null, "d": true} )");
  CHECK_EQ(json.find("a")->array()->size(), 3u);
  CHECK_EQ(*(*json.find("a")->array())[1].number(), -25.0);
  CHECK_EQ(*(*json.find("a")->array())[2].text(), std::string("x\"\nA"));
  CHECK(json.find("b")->object()->empty());
  CHECK(json.find("c")->text() == nullptr);
  CHECK(json.find("e") == nullptr && json.find("a")->find("x") == nullptr);
  const std::string deep(100'000, '[');
  for (const std::string& bad :
       {std::string(), std::string("{"), std::string("[1,]"), std::string("[1 2]"),
        std::string("{\"a\"}"), std::string("\"\\u00\""), std::string("\"\\x\""),
        std::string("nul"), std::string("1 2"), std::string("--1"), std::string("\"a\nb\""), deep,
        deep + "\""})
    CHECK_EQ(error_of([&] { Json::parse(bad); }), std::string("not valid JSON"));
}

TEST(nets_of_the_registry_play) {
  const Nets nets(ONE, {"one"});
  const EvaluatorChoice choice = chosen(nets.folder());
  CHECK_EQ(choice.info.text(), std::string("mixnet (net one)"));
  CHECK_EQ(choice.info.bytes, CODEBOOKS);
  CHECK(choice.is_default);
  CHECK(chosen(nets.folder(), Rule::FREESTYLE, "classical").kind == EvaluatorKind::CLASSICAL);
  EvaluatorChoice named = chosen(nets.folder(), Rule::FREESTYLE, "one");
  CHECK(!named.is_default);
  named.is_default = true;
  CHECK(named == choice);
  const std::string path = (nets.path() / "one.net").string();
  CHECK_EQ(chosen(nets.folder(), Rule::FREESTYLE, path).info.about, std::string("net one"));
  CHECK_EQ(chosen(nets.folder(), Rule::RENJU).info.text(),
           std::string("classical (no bundled net for renju 15x15)"));
  for (const std::string& net : {std::string("one"), path})
    CHECK(contains(error_of([&] { chosen(nets.folder(), Rule::RENJU, net); }),
                   "this net is not for renju 15x15: it is for freestyle"));
  for (const char* net : {"two", "no/such/file.net", "nothing.onnx"})
    CHECK(contains(error_of([&] { chosen(nets.folder(), Rule::FREESTYLE, net); }),
                   "and the bundled nets are one"));
}

TEST(nets_per_colour_and_folders) {
  const Nets nets(TWO, {"b", "w"});
  const EvaluatorChoice choice = chosen(nets.folder());
  CHECK_EQ(choice.info.text(), std::string("mixnet (nets b for black, w for white)"));
  CHECK_EQ(choice.info.bytes, 2 * CODEBOOKS);
  const Nets none("", {});
  const std::string folder = nets.path().string();
  CHECK_EQ((*chosen(none.folder(), Rule::FREESTYLE, folder).nets)[1].name, std::string("w.net"));
  CHECK(contains(error_of([&] { chosen(none.folder(), Rule::RENJU, folder); }),
                 "its registry has no net for renju on 15x15"));
}

TEST(nets_fit_the_memory) {
  const Nets nets(TWO, {"b", "w"});
  const auto text = [&](int memory) {
    return chosen(nets.folder(), Rule::FREESTYLE, "", memory).info.text();
  };
  CHECK_EQ(text(98), std::string("mixnet (nets b for black, w for white)"));
  CHECK_EQ(text(60), std::string("mixnet (net b; b and w: 98 MiB of memory needed, 60 allowed)"));
  CHECK_EQ(text(48), std::string("classical (b and w: 98 MiB of memory needed, 48 allowed)"));
}

TEST(damaged_registries_and_nets_are_named) {
  for (const char* entry :
       {R"({"rule": "gomoku", "from": 5, "to": 22, "net": "one"})",
        R"({"rule": "freestyle", "from": 4, "to": 22, "net": "one"})",
        R"({"rule": "freestyle", "from": 5.5, "to": 22, "net": "one"})",
        R"({"rule": "freestyle", "from": 5, "to": 22, "black": "one"})",
        R"({"rule": "freestyle", "from": 5, "to": 22, "net": "../one"})", "7", "{"}) {
    const Nets nets(entry, {"one"});
    CHECK(contains(error_of([&] { chosen(nets.folder()); }), "registry.json: "));
  }
  const Nets nets(ONE, {"one"});
  nets.write("one.net", "rubbish");
  CHECK(contains(error_of([&] { chosen(nets.folder()); }), "not a net file"));
  nets.write("one.net", lively().substr(0, 5000));
  CHECK(contains(error_of([&] { chosen(nets.folder()); }), "cut off"));
  fs::remove(nets.path() / "one.net");
  CHECK(contains(error_of([&] { chosen(nets.folder()); }), "names one.net, which is missing"));
  fs::remove(nets.path() / "registry.json");
  CHECK(contains(error_of([&] { chosen(nets.folder()); }), "registry.json cannot be read"));
}

TEST(nets_inside_the_executable) {
  const std::string net = lively();
  const std::string registry = R"({"format": 1, "nets": [)" + ONE + "]}";
  const NetFolder folder(std::make_shared<EmbeddedSource>(std::vector<EmbeddedSource::File>{
                             {"registry.json", registry}, {"one.net", net}}),
                         true);
  CHECK_EQ(chosen(folder).info.text(), std::string("mixnet (net one)"));
  CHECK_EQ(folder.all().size(), 1u);
  CHECK(load_net((*chosen(folder).nets)[0])->wait(60));
}

TEST(auto_search_is_mcts_for_quick_moves_with_a_net) {
  const Nets nets(ONE, {"one"});
  const EvaluatorChoice net = chosen(nets.folder()), plain = net.classical("");
  PlayOptions options;
  CHECK(choose_search(options, net, {.time = 1}) == SearchKind::MCTS);
  CHECK(choose_search(options, net, {.clock = 20}) == SearchKind::MCTS);
  CHECK(choose_search(options, net, {.time = 10, .clock = 5}) == SearchKind::MCTS);
  CHECK(choose_search(options, net, {.time = 1.1}) == SearchKind::ALPHABETA);
  CHECK(choose_search(options, net, {.clock = 5, .increment = 2}) == SearchKind::ALPHABETA);
  CHECK(choose_search(options, net, {.time = 0.1, .depth = 4}) == SearchKind::ALPHABETA);
  CHECK(choose_search(options, net, {.time = 1, .nodes = 9}) == SearchKind::ALPHABETA);
  CHECK(choose_search(options, net, {}) == SearchKind::ALPHABETA);
  CHECK(choose_search(options, plain, {.time = 1}) == SearchKind::ALPHABETA);
  options.core.threads = 2;
  CHECK(choose_search(options, net, {.time = 1}) == SearchKind::ALPHABETA);
  options.search = SearchKind::MCTS;
  CHECK(choose_search(options, plain, {}) == SearchKind::MCTS);
}

TEST(options_are_set_by_text) {
  PlayOptions options;
  set_play_option(options, "threads", "4");
  set_play_option(options, "memory", "16");
  set_play_option(options, "null-move", "off");
  set_play_option(options, "search", "mcts");
  set_play_option(options, "net", "classical");
  set_play_option(options, "c", "1.25");
  CHECK_EQ(options.core.threads, 4);
  CHECK_EQ(options.core.memory, size_t{16} << 20);
  CHECK(!options.core.search.null_move);
  CHECK(options.search == SearchKind::MCTS);
  CHECK_EQ(options.core.mcts.c, 1.25);
  set_play_option(options, "search", "auto");
  CHECK(!options.search);
  for (const char* text : {"0", "257", "1.5", "x", "", "1e99", "nan"})
    CHECK(contains(set("threads", text), "use a whole number from 1 to 256"));
  CHECK(contains(set("c", "-1"), "use a number from"));
  CHECK(contains(set("null_move", "maybe"), "use on or off"));
  CHECK(contains(set("preset", "best"), "use alphabeta, classical"));
  CHECK(contains(set("thread", "1"), "options are preset, net"));
  for (const OptionSpec& spec : option_specs()) {
    CHECK(!spec.help.empty());
    CHECK_EQ(set(spec.name, spec.initial), std::string("nothing"));
  }
}

TEST(players_wait_for_their_net_and_report_it) {
  const Nets nets(ONE, {"one"});
  Player player(PlayOptions(), bundle_with(nets));
  std::string evaluator;
  const PlayedMove played = player.play(
      request({.depth = 2}), [&](const SearchLine& line) { evaluator = line.evaluator.text(); });
  CHECK(played.move != NO_POINT);
  CHECK_EQ(evaluator, std::string("mixnet (net one)"));
  CHECK_EQ(played.line->evaluator.text(), evaluator);
}

TEST(players_without_their_default_net_play_classical) {
  const Nets nets(ONE, {"one"});
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
    CHECK(
        contains(error_of([&] { other.play(request({.depth = 2}), ignore); }),
                 "damaged"));
}

TEST(players_reject_onnx_files_without_a_loader) {
  const Nets nets(ONE, {"one"});
  nets.write("net.onnx", "rubbish");
  PlayOptions options;
  options.net = (nets.path() / "net.onnx").string();
  Player player(options, bundle_with(nets));
  CHECK(contains(error_of([&] {
                   player.play(request({.depth = 2}), [](const SearchLine&) {});
                 }),
                 "tengen gomocup"));
}

TEST(players_repeat_the_moves_of_a_level) {
  const Nets nets("", {});
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
  const Nets nets("", {});
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
  const Nets nets("", {});
  Player player(PlayOptions(), bundle_with(nets));
  player.stop();
  CHECK(player.play(request({}), [](const SearchLine&) {}).move != NO_POINT);
  player.clear_stop();
  const PlayedMove played =
      player.play(request({}), [&](const SearchLine& line) {
        if (line.info.depth >= 3) player.stop();
      });
  CHECK(played.move != NO_POINT);
}

TEST(searches_wait_for_their_net) {
  const SlowPlayer slow;
  CHECK(!slow.player->prepare(Rule::FREESTYLE, 15));
  slow.player->start(request({.nodes = 20}));
  CHECK(!slow.player->next(0.05));
  CHECK(slow.player->is_searching());
  slow.load();
  CHECK_EQ(slow.result().line->evaluator.text(), std::string("onnx (net slow.onnx)"));
  CHECK(!slow.player->is_searching());
  CHECK(slow.player->prepare(Rule::FREESTYLE, 15));
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

TEST(moves_wait_longer_for_reading_than_for_baking) {
  CHECK_EQ(wait_left(3, 0.5, false), 1.5);
  CHECK_EQ(wait_left(3, 0.5, true), 0.5);
  CHECK(wait_left(0.3, 0.25, false) < 0);
}
