// SPDX-License-Identifier: MIT
// TestNets of folders and of the executable, and the choice of evaluator and search.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/json.h"
#include "check.h"
#include "engine/evaluator_loader.h"
#include "test_nets.h"

using namespace tengen;
namespace fs = std::filesystem;

namespace {

constexpr u64 CODEBOOKS = u64{397'488} * 2 * 2 * 32;  ///< bytes, of the net of the tests

EvaluatorChoice chosen(const NetFolder& nets, Rule rule = Rule::FREESTYLE,
                       const std::string& net = "", int net_memory = 0) {
  PlayOptions options;
  options.net = net;
  options.net_memory = net_memory;
  return choose_evaluator(options, rule, 15, nets);
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

TEST(json_is_written) {
  const Json json = Json::Object{{"list", Json::Array{1, -2.5, true, Json(), "a\"\\\n"}},
                                 {"empty", Json::Array{}},
                                 {"object", Json::Object{}}};
  const std::string text = R"({"empty":[],"list":[1,-2.5,true,null,"a\"\\\u000a"],"object":{}})";
  CHECK_EQ(json.dump(), text);
  CHECK_EQ(Json::parse(text).dump(), text);
  const std::pair<double, const char*> numbers[] = {{0, "0"},
                                                    {-0.0, "0"},
                                                    {0.00004, "0"},
                                                    {-0.00004, "0"},
                                                    {0.0001, "0.0001"},
                                                    {-0.5, "-0.5"},
                                                    {1.99999, "2"},
                                                    {12.034, "12.034"},
                                                    {1e15, "1000000000000000"},
                                                    {-3e15, "-3000000000000000"},
                                                    {1e300, "9000000000000000000"},
                                                    {std::nan(""), "null"},
                                                    {INFINITY, "null"}};
  for (const auto& [number, expected] : numbers)
    CHECK_EQ(Json(number).dump(), std::string(expected));
}

TEST(nets_of_the_registry_play) {
  const TestNets nets(ONE, {"one"});
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
  const TestNets nets(TWO, {"b", "w"});
  const EvaluatorChoice choice = chosen(nets.folder());
  CHECK_EQ(choice.info.text(), std::string("mixnet (nets b for black, w for white)"));
  CHECK_EQ(choice.info.bytes, 2 * CODEBOOKS);
  const TestNets none("", {});
  const std::string folder = nets.path().string();
  CHECK_EQ((*chosen(none.folder(), Rule::FREESTYLE, folder).nets)[1].name, std::string("w.net"));
  CHECK(contains(error_of([&] { chosen(none.folder(), Rule::RENJU, folder); }),
                 "its registry has no net for renju on 15x15"));
}

TEST(nets_fit_the_memory) {
  const TestNets nets(TWO, {"b", "w"});
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
    const TestNets nets(entry, {"one"});
    CHECK(contains(error_of([&] { chosen(nets.folder()); }), "registry.json: "));
  }
  const TestNets nets(ONE, {"one"});
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
  const TestNets nets(ONE, {"one"});
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

TEST(moves_wait_longer_for_reading_than_for_baking) {
  CHECK_EQ(wait_left(3, 0.5, false), 1.5);
  CHECK_EQ(wait_left(3, 0.5, true), 0.5);
  CHECK(wait_left(0.3, 0.25, false) < 0);
}
