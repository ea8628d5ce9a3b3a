// SPDX-License-Identifier: MIT
// Requests of a page: views, moves, analyses, errors.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "page/page_engine.h"

using namespace tengen;
using page::PageEngine;

namespace {

struct Page {
  Page() : engine(options(), bundle_in(TENGEN_TABLES)) {}

  static PlayOptions options() {
    PlayOptions options;
    options.core.preset = Preset::CLASSICAL;
    options.core.memory = size_t{4} << 20;
    return options;
  }

  std::vector<Json> ask(const std::string& request) {
    std::vector<Json> events;
    engine.handle(request, [&](std::string_view event) { events.push_back(Json::parse(event)); });
    return events;
  }
  /// The only event.
  Json answer(const std::string& request) {
    std::vector<Json> events = ask(request);
    CHECK_EQ(events.size(), 1u);
    return events.back();
  }
  /// Code and text of an error.
  std::string error(const std::string& request) {
    const Json event = answer(request);
    if (text(event, "type") != "error") return "no error";
    return text(event, "code") + ": " + text(event, "text");
  }

  static std::string text(const Json& json, std::string_view key) {
    const Json* const found = json.find(key);
    return found != nullptr && found->text() != nullptr ? *found->text() : "none";
  }
  static double number(const Json& json, std::string_view key) {
    const Json* const found = json.find(key);
    return found != nullptr && found->number() != nullptr ? *found->number() : -1e9;
  }
  static const Json::Array& list(const Json& json, std::string_view key) {
    return *json.find(key)->array();
  }

  PageEngine engine;
};

/// A request of the kind, of a position with these members.
std::string request(const std::string& type, const std::string& position,
                    const std::string& others = "") {
  return R"({"type":")" + type + R"(","id":7,"position":{)" + position + "}" + others + "}";
}

constexpr const char* FOUR = R"("moves":["h8","a1","i8","a2","j8","a3","k8","a15"])";

}  // namespace

TEST(page_views_show_stones_forbidden_points_and_outcomes) {
  Page page;
  const std::string renju =
      R"("rule":"renju","setup":{"black":["g8","i8","h7","h9"],"white":["a1","c1","e1","g1"]})";
  const Json event = page.answer(request("view", renju));
  CHECK_EQ(Page::text(event, "type"), std::string("views"));
  CHECK_EQ(Page::number(event, "id"), 7.0);
  CHECK_EQ(Page::list(event, "views").size(), 1u);
  const Json& view = Page::list(event, "views")[0];
  CHECK_EQ(Page::text(view, "turn"), std::string("black"));
  CHECK_EQ(Page::text(view, "stones").size(), 225u);
  CHECK_EQ(Page::text(view, "stones")[0], 'w');
  CHECK_EQ(Page::text(view, "stones")[7 * 15 + 6], 'b');
  CHECK(view.find("last")->is_null() && view.find("outcome")->is_null());
  CHECK_EQ(view.find("forbidden")->dump(),
           std::string(R"([{"point":"h8","reason":"double_three"}])"));

  const std::string won = R"("size":9,"moves":["a1","a2","b1","b2","c1","c2","d1","d2","e1"])";
  const Json game = page.answer(request("view", won, R"(,"whole_line":true)"));
  CHECK_EQ(Page::list(game, "views").size(), 10u);
  for (size_t ply = 0; ply < 10; ++ply)
    CHECK_EQ(Page::number(Page::list(game, "views")[ply], "ply"), static_cast<double>(ply));
  CHECK_EQ(Page::list(game, "views")[9].find("outcome")->dump(),
           std::string(R"({"lines":[["a1","b1","c1","d1","e1"]],"reason":"five",)"
                       R"("winner":"black"})"));
  CHECK_EQ(Page::text(Page::list(game, "views")[9], "last"), std::string("e1"));
}

TEST(page_views_continue_after_passes) {
  Page page;
  const Json event = page.answer(request("view", R"("moves":["h8","pass"])"));
  const Json& view = Page::list(event, "views")[0];
  CHECK_EQ(Page::text(view, "last"), std::string("h8"));
  CHECK_EQ(Page::text(view, "turn"), std::string("black"));
  const Json end = page.answer(request("view", R"("moves":["pass","pass"])"));
  CHECK_EQ(Page::list(end, "views")[0].find("outcome")->dump(),
           std::string(R"({"lines":[],"reason":"passes","winner":null})"));
}

TEST(page_moves_at_a_level_and_within_a_time) {
  Page page;
  for (const char* limit : {R"(,"level":3)", R"(,"seconds":0.05)", R"(,"clock":{"left":1})"}) {
    const Json event = page.answer(request("move", FOUR, limit));
    CHECK_EQ(Page::text(event, "type"), std::string("move"));
    const std::string move = Page::text(event, "move");
    CHECK(move == "g8" || move == "l8");  // the five
    CHECK_EQ(Page::number(*event.find("line"), "win_rate"), 1.0);
    CHECK_EQ(Page::number(*event.find("line"), "mate"), 1.0);
  }
}

TEST(page_analyses_are_streams_of_black_values) {
  Page page;
  const std::string white = R"("moves":["a1","h8","a2","i8","a3","j8","a15","k8","o15"])";
  const std::vector<Json> events =
      page.ask(request("analyse", white, R"(,"lines":2,"seconds":0.3)"));
  CHECK(events.size() >= 2);
  const Json &first = events.front(), &last = events.back();
  CHECK_EQ(Page::text(first, "state"), std::string("running"));
  CHECK_EQ(Page::text(last, "state"), std::string("done"));
  CHECK(!Page::list(first, "policy").empty());
  const Json& best = Page::list(last, "lines")[0];
  CHECK_EQ(Page::number(best, "rank"), 1.0);
  CHECK_EQ(Page::number(best, "mate"), -1.0);
  CHECK_EQ(Page::number(best, "win_rate"), 0.0);
  CHECK(Page::number(last, "nodes") > 0);
  CHECK(Page::text(last, "evaluation").starts_with("classical"));
}

TEST(page_lines_that_move_up_leave_no_gap) {
  page::Analysis analysis(Json(1), BLACK, {});
  const auto add = [&](int rank, const char* move) {
    SearchLine line;
    line.info.multipv = rank;
    line.info.pv = {make_point(move[0] - 'a', 0)};
    analysis.add(line);
  };
  const auto moves = [&] {
    std::string found;
    const Json event = analysis.event(false, std::nullopt);
    for (const Json& line : Page::list(event, "lines"))
      found += *(*line.find("moves")->array())[0].text() + " ";
    return found;
  };
  add(1, "a1"), add(2, "b1"), add(3, "c1");
  CHECK_EQ(moves(), std::string("a1 b1 c1 "));
  add(2, "c1");
  CHECK_EQ(moves(), std::string("a1 c1 b1 "));
  add(1, "b1");
  CHECK_EQ(moves(), std::string("b1 c1 a1 "));
}

TEST(page_analyses_consider_only_some_moves) {
  Page page;
  const std::vector<Json> events = page.ask(request(
      "analyse", FOUR, R"(,"only":["g8","l8","b2"],"exclude":["l8"],"lines":3,"seconds":0.2)"));
  for (const Json& line : Page::list(events.back(), "lines")) {
    const std::string move = *(*line.find("moves")->array())[0].text();
    CHECK(move == "g8" || move == "b2");
  }
  CHECK_EQ(page.error(request("analyse", FOUR, R"(,"only":["g8"],"exclude":["g8"])")),
           std::string("blocked: every move is excluded"));
  CHECK_EQ(page.error(request("analyse", FOUR, R"(,"only":["h8"])")),
           std::string("invalid: h8 is not legal"));
}

TEST(page_analyses_can_be_stopped_and_watched) {
  Page page;
  std::string last;
  const auto start = std::chrono::steady_clock::now();
  std::thread work([&] {
    page.engine.handle(request("analyse", R"("moves":["h8","i9"])", R"(,"seconds":600)"),
                       [&](std::string_view event) { last = event; });
  });
  std::string seen;
  const auto depth = [&] { return seen.empty() ? 0 : Page::number(Json::parse(seen), "depth"); };
  while (depth() < 3 && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
    page.engine.report([&](std::string_view event) { seen = event; });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(depth() >= 3);
  page.engine.stop();
  work.join();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(300));
  CHECK(last.find("\"state\":\"done\"") != std::string::npos);
  seen.clear();
  page.engine.report([&](std::string_view event) { seen = event; });
  CHECK(seen.empty());
  CHECK_EQ(Page::text(page.answer(request("move", FOUR)), "type"), std::string("move"));
}

TEST(page_requests_that_are_wrong) {
  Page page;
  const std::pair<std::string, const char*> wrong[] = {
      {"", "invalid: not valid JSON"},
      {"[]", "message: there is no such request"},
      {R"({"type":"dance"})", "message: there is no such request"},
      {R"({"type":"view"})", "invalid: position: it is missing"},
      {R"({"type":"view","position":3})", "invalid: position: expected an object"},
      {request("view", R"("rule":"chess")"), "invalid: rule: there is no such rule"},
      {request("view", R"("size":23)"), "invalid: size: out of range"},
      {request("view", R"("size":9.5)"), "invalid: size: expected a whole number"},
      {request("view", R"("moves":"h8")"), "invalid: moves: expected a list of points"},
      {request("view", R"("moves":["h8","h8"])"), "invalid: h8 is occupied by black"},
      {request("view", R"("moves":["p1"])"), "invalid: no point 'p1'"},
      {request("view", R"("moves":["a01"])"), "invalid: no point 'a01'"},
      {request("view", R"("moves":["a999999999999"])"), "invalid: no point 'a999999999999'"},
      {request("view", R"("setup":{"black":["a1"],"white":["a1"]})"), "invalid: two stones on a1"},
      {request("view", R"("setup":{"turn":"red"})"), "invalid: turn: expected black or white"},
      {request("move", R"("moves":["pass","pass"])"),
       "over: the game is over: there is nothing to search"},
      {request("view", R"("setup":5)"), "invalid: setup: expected an object"},
      {request("view", "", R"(,"whole_line":1)"), "invalid: whole_line: expected true or false"},
      {request("move", "", R"(,"clock":{})"),
       "invalid: clock: expected an object with the seconds left"},
      {request("swap2", R"("moves":["h8","pass","h9"])"),
       "invalid: a swap2 opening starts from an empty board and has no passes"},
      {request("swap2", R"("setup":{"black":["h8"]})"),
       "invalid: a swap2 opening starts from an empty board and has no passes"},
      {R"({"type":"view","id":"a","position":{}})", "invalid: id: expected a number"},
      {R"({"type":"view","id":1e300,"position":{}})", "invalid: id: out of range"},
      {std::string(100'000, ' '), "invalid: the request is too long"},
      {request("move", "", R"(,"level":11)"), "invalid: level: out of range"},
      {request("analyse", "", R"(,"seconds":"1")"), "invalid: seconds: expected a number"},
  };
  for (const auto& [text, expected] : wrong) CHECK_EQ(page.error(text), std::string(expected));
  const Json event = page.answer(request("view", R"("size":1)"));
  CHECK_EQ(Page::number(event, "id"), 7.0);
}

namespace {

/// An open three of black, who is to move.
constexpr const char* THREE = R"("moves":["h8","a1","i8","a3","j8","a5"])";

}  // namespace

TEST(page_solves_and_shows_proofs) {
  Page page;
  const std::vector<Json> events =
      page.ask(request("solve", THREE, R"(,"goal":"vcf","seconds":10)"));
  CHECK_EQ(events.size(), 2u);
  CHECK_EQ(Page::text(events[0], "state"), std::string("running"));
  CHECK_EQ(Page::text(events[1], "state"), std::string("win"));
  CHECK_EQ(Page::text(events[1], "attacker"), std::string("black"));
  CHECK_EQ(Page::number(events[1], "depth"), 2.0);
  CHECK_EQ(Page::list(events[1], "line").size(), 3u);

  std::string moves;
  const auto step = [&] {
    return page.answer(R"({"type":"proof_step","id":7,"moves":[)" + moves + "]}");
  };
  const Json root = step();
  const std::string attack = Page::text(root, "attack");
  CHECK_EQ(attack, *Page::list(events[1], "line")[0].text());
  CHECK(Page::list(root, "replies").empty() && root.find("threat")->is_null());
  moves = "\"" + attack + "\"";
  const Json after = step();
  CHECK(after.find("attack")->is_null());
  CHECK(!after.find("threat")->is_null() || !Page::list(after, "replies").empty());
  // Any reply that is not listed: the threat is carried out.
  moves += R"(,"o15")";
  const Json five = step();
  moves += ",\"" + Page::text(five, "attack") + "\"";
  CHECK_EQ(step().find("over")->dump(), std::string("true"));

  CHECK(page.error(R"({"type":"proof_step","id":7,"moves":["o1"]})").starts_with("invalid: "));
  CHECK(page.error(R"({"type":"proof_step","id":8,"moves":[]})").starts_with("proof: "));
  CHECK_EQ(page.error(request("solve", THREE)), std::string("invalid: goal: expected vcf or vct"));
  const std::vector<Json> white =
      page.ask(request("solve", THREE, R"(,"goal":"vcf","side":"white")"));
  CHECK_EQ(Page::text(white.back(), "state"), std::string("no_win"));
  CHECK_EQ(Page::text(white.back(), "attacker"), std::string("white"));
}

TEST(page_chooses_in_swap2_openings) {
  Page page;
  const Json opening = page.answer(request("swap2", "", R"(,"number":3)"));
  CHECK_EQ(Page::list(opening, "stones").size(), 3u);
  const Json choice =
      page.answer(request("swap2", R"("moves":["h8","a1","i8"])", R"(,"seconds":0.1)"));
  CHECK(Page::list(choice, "stones").empty());  // black is far better
  CHECK(page.error(request("swap2", R"("moves":["h8"])")).starts_with("invalid: a swap2"));
}

TEST(page_reviews_games) {
  Page page;
  // White leaves an open three, then a four.
  const std::string game = R"("moves":["h8","a1","i8","a3","j8","a5","k8","a7","l8"])";
  const std::vector<Json> events = page.ask(request("review", game, R"(,"effort":1)"));
  const Json& last = events.back();
  CHECK_EQ(Page::text(events.front(), "state"), std::string("running"));
  CHECK_EQ(Page::text(last, "state"), std::string("done"));
  CHECK_EQ(Page::number(last, "done"), Page::number(last, "total"));
  CHECK_EQ(Page::list(last, "moves").size(), 9u);
  const Json& five = Page::list(last, "moves")[8];
  CHECK_EQ(Page::number(five, "loss"), 0.0);
  CHECK_EQ(Page::number(five, "win_rate"), 1.0);
  CHECK(Page::number(last, "turning_point") > 0);
  CHECK(Page::number(last, "accuracy_black") > Page::number(last, "accuracy_white"));
  CHECK(page.error(request("review", "")).starts_with("length: "));
}

TEST(page_reviews_can_be_stopped) {
  Page page;
  const std::string game = R"("moves":["h8","a1","i8","a3"])";
  std::string last;
  page.engine.handle(request("review", game, R"(,"effort":10)"), [&](std::string_view event) {
    last = event;
    page.engine.stop();
  });
  CHECK(last.find("\"state\":\"stopped\"") != std::string::npos);
}

TEST(page_searches_call_their_hook) {
  const std::string open = R"("rule":"renju","moves":["h8","h9","j10","g7"])";
  const std::string game = R"("moves":["h8","a1","i8","a3"])";
  for (const std::string& asked :
       {request("analyse", open, R"(,"seconds":60)"), request("move", open, R"(,"seconds":60)"),
        request("solve", open, R"(,"goal":"vct","seconds":30)"),
        request("review", game, R"(,"effort":10)")}) {
    Page page;
    int calls = 0;
    std::vector<std::string> reports;
    page.engine.set_hook([&] {
      page.engine.report([&](std::string_view event) { reports.emplace_back(event); });
      if (++calls == 3) page.engine.stop();
    });
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Json> events = page.ask(asked);
    CHECK(Page::text(events.back(), "type") != "error");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK_EQ(reports.empty(), asked.find("analyse") == std::string::npos);
  }
}

TEST(page_attempts_are_right_wrong_or_solved) {
  Page page;
  const auto verdict = [&](const std::string& moves, const std::string& goal) {
    const Json event =
        page.answer(request("attempt", R"("moves":)" + moves, R"(,"goal":")" + goal + "\""));
    CHECK_EQ(Page::text(event, "type"), std::string("attempt_result"));
    return Page::text(event, "verdict") + " " + Page::text(event, "reason") + " " +
           Page::text(event, "point") + " " + Page::text(event, "reply");
  };
  // An open four has two fives: the reply stops one of them.
  const std::string open_four = verdict(R"(["h8","a1","i8","a3","j8","a5","k8"])", "vcf");
  CHECK(open_four == "right  none g8" || open_four == "right  none l8");
  CHECK_EQ(verdict(R"(["h8","a1","i8","a3","j8","a5","k8","a7","l8"])", "vcf"),
           std::string("solved  none none"));
  CHECK_EQ(verdict(R"(["h8","a1","i8","a3","j8","a5","b10"])", "vcf"),
           std::string("wrong no_threat none none"));
  // White also has a four.
  CHECK_EQ(verdict(R"(["h8","a1","i8","b1","j8","c1","o15","d1","k8"])", "vcf"),
           std::string("wrong five e1 none"));
  // A closed four alone leads nowhere: g8 is the defence.
  CHECK_EQ(verdict(R"(["h8","l8","i8","a3","j8","a5","k8"])", "vcf"),
           std::string("wrong defence g8 none"));
  const Json none = page.answer(request("attempt", R"("moves":[])", R"(,"goal":"vcf")"));
  CHECK_EQ(Page::text(none, "code"), std::string("invalid"));
}
