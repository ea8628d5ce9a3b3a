// SPDX-License-Identifier: MIT
// Parts of the Gomocup protocol, and what dialogues cannot test of the session.
#include <array>
#include <string>
#include <utility>

#include "base/rng.h"
#include "check.h"
#include "protocol/session.h"

using namespace tengen;
using namespace tengen::protocol;

namespace {

constexpr const char* ABOUT = R"(name="Fake", version="1.5", author="Nobody")";
constexpr i64 MEBIBYTE = 1 << 20;

SessionConfig config() {
  SessionConfig config;
  config.about = ABOUT;
  return config;
}

/// The lines of the actions, joined by "; ".
std::string lines(const Actions& actions) {
  std::string text;
  for (const Action& action : actions)
    if (const auto* line = std::get_if<SendLine>(&action))
      text += (text.empty() ? "" : "; ") + line->line;
  return text;
}

Settings settings_of(std::initializer_list<const char*> infos) {
  Settings settings;
  for (const char* info : infos) settings.apply(info);
  return settings;
}

PlayedMove done(Point move, double seconds = 0.01) {
  PlayedMove result;
  result.move = move;
  result.line = SearchLine{};
  result.line->info.pv = {move};
  result.line->seconds = seconds;
  return result;
}

}  // namespace

TEST(protocol_commands_are_parsed) {
  const auto parsed = [](std::string_view line) {
    const std::optional<Command> command = parse_command(line);
    return command ? command->verb + "|" + command->rest : "none";
  };
  CHECK_EQ(parsed("START 15"), std::string("START|15"));
  CHECK_EQ(parsed("  turn\t7,7  "), std::string("TURN|7,7"));
  CHECK_EQ(parsed("INFO folder C:\\a b"), std::string("INFO|folder C:\\a b"));
  CHECK_EQ(parsed("\xEF\xBB\xBFSTART 15"), std::string("START|15"));
  CHECK_EQ(parsed(std::string_view("\0", 1)), std::string("\0|", 2));
  CHECK_EQ(parsed(""), std::string("none"));
  CHECK_EQ(parsed("   "), std::string("none"));
}

TEST(protocol_numbers) {
  CHECK(parse_number("7") == 7);
  CHECK(parse_number("-3") == -3);
  CHECK(parse_number("+4") == 4);
  CHECK(parse_number("007") == 7);
  CHECK(parse_number(std::string(30, '9')) == i64{1} << 62);
  for (const char* text : {"", "+", "-", "--5", "x", "1.0", "1e3", "0x10", "\u0663", "1 2"})
    CHECK(!parse_number(text));
  CHECK(!parse_number(std::string(31, '9')));
}

TEST(protocol_quotes_are_short_and_printable) {
  CHECK_EQ(in_quotes(std::string_view("a\nb\0\xC3\xBC", 6)), std::string("a?b??"));
  CHECK_EQ(in_quotes(std::string(500, 'x')).size(), 60u);
  CHECK_EQ(plain("no \"net\"\nhere"), std::string("no 'net' here"));
}

TEST(protocol_lines_are_bounded) {
  LineSplitter lines;
  const std::string many(10'000'000, 'x');
  CHECK(lines.feed(many).empty());
  const std::vector<std::string> cut = lines.feed(many + "\nSTART 15\n");
  CHECK_EQ(cut.size(), 2u);
  CHECK_EQ(cut[0].size(), MAX_LINE);
  CHECK_EQ(cut[1], std::string("START 15"));
  CHECK(lines.feed("a\r\n\r\n\n b \rc") == (std::vector<std::string>{"a", "b"}));
  CHECK_EQ(*lines.end(), std::string("c"));
  CHECK(!lines.end());
}

TEST(protocol_limits_never_exceed_the_settings) {
  for (int turn = 1; turn < 1'000'000; turn += 1 + turn / 50) {
    const std::string time = std::to_string(turn);
    const Settings settings =
        settings_of({("timeout_turn " + time).c_str(), ("timeout_match " + time).c_str(),
                     ("time_left " + time).c_str()});
    const Limit limit = settings.limit(0);
    CHECK(*limit.time > 0 && *limit.time * 1000 <= turn && *limit.time * 1000 >= turn / 2.0);
    CHECK(*limit.clock >= 0 && *limit.clock * 1000 <= turn);
  }
}

TEST(protocol_large_numbers_are_no_limit_beside_a_time) {
  const auto limit = [](std::initializer_list<const char*> infos) {
    const Limit limit = settings_of(infos).limit(0);
    return std::to_string(limit.depth) + " " + std::to_string(limit.nodes);
  };
  CHECK_EQ(limit({"max_depth 63", "max_node 999999999"}), std::string("63 999999999"));
  CHECK_EQ(limit({"max_depth 64", "max_node 1000000000"}), std::string("0 0"));
  CHECK_EQ(limit({"timeout_turn 2147483647", "max_depth 225", "max_node 2147483647"}),
           std::string("225 2147483647"));
  CHECK_EQ(limit({"timeout_turn 1000000000", "max_depth 99"}), std::string("99 0"));
  CHECK_EQ(limit({"timeout_turn 2147483647", "time_left 60000", "max_depth 225"}),
           std::string("0 0"));
}

TEST(protocol_tables_fit_the_memory_and_the_time) {
  for (i64 mebibytes = 80; mebibytes < 4000; mebibytes += 37) {
    const std::string info = "max_memory " + std::to_string(mebibytes * MEBIBYTE);
    const int tables = settings_of({info.c_str()}).options({1, 128, 0}, 0).memory;
    CHECK(tables >= 4 && 4 * tables <= 3 * (mebibytes - 64));
  }
  const auto memory = [](std::initializer_list<const char*> infos, i64 machine = 0) {
    return settings_of(infos).options({2, 128, machine}, 0).memory;
  };
  const char* const LIMIT = "max_memory 367001600";
  CHECK_EQ(memory({LIMIT}), 214);
  CHECK_EQ(memory({LIMIT, "timeout_turn 20"}), 16);
  CHECK_EQ(memory({LIMIT, "timeout_turn 100"}), 70);
  CHECK_EQ(memory({LIMIT, "timeout_turn 100", "thread_num 2"}), 140);
  CHECK_EQ(memory({LIMIT, "timeout_turn 20", "hash_size 65536"}), 64);
  CHECK_EQ(memory({"hash_size 99999999999999"}, 4096), 3072);
  CHECK_EQ(settings_of({"thread_num 999999"}).options({2, 128, 0}, 0).threads, 8);
}

TEST(protocol_nets_have_their_share_of_the_memory) {
  const auto options = [](i64 mebibytes, i64 net) {
    const std::string info = "max_memory " + std::to_string(mebibytes * MEBIBYTE);
    Settings settings = settings_of({"timeout_turn 60000", info.c_str()});
    const SessionOptions found = settings.options({1, 128, 0}, static_cast<u64>(net * MEBIBYTE));
    return std::to_string(found.memory) + " " + std::to_string(found.net_memory);
  };
  CHECK_EQ(options(0, 97), std::string("128 0"));
  // 64 MiB for the process, 16 at least for the tables; they get three quarters of what is left.
  CHECK_EQ(options(350, 97), std::to_string((350 - 64 - 97) * 3 / 4) + " 270");
  CHECK_EQ(options(177, 97), std::string("12 97"));
  CHECK_EQ(options(176, 49), std::to_string((112 - 49) * 3 / 4) + " 96");
  CHECK_EQ(options(10, 0), std::string("4 1"));
}

TEST(protocol_positions_keep_the_order_of_moves) {
  const Point a = make_point(7, 7), b = make_point(8, 8), c = make_point(6, 6);
  GamePosition position = GamePosition::from_owners(15, Rule::RENJU, {b}, {a, c});
  CHECK(position.board().moves() == (std::vector<Point>{a, b, c}));
  position.use(Rule::CARO);
  CHECK(position.board().moves() == (std::vector<Point>{a, b, c}));
  CHECK(position.rule() == Rule::CARO);
}

TEST(protocol_events_without_a_search_are_ignored) {
  Session session(config());
  session.handle("START 15");
  CHECK(session.search_event(done(make_point(7, 7))).empty());
  CHECK_EQ(session.position()->stones(), 0);
}

TEST(protocol_not_too_many_commands_wait) {
  Session session(config());
  session.handle("START 15");
  session.handle("BEGIN");
  int waiting = 0;
  while (session.handle("ABOUT").empty()) ++waiting;
  CHECK_EQ(waiting, 4096);
  CHECK(lines(session.handle("ABOUT")).starts_with("ERROR too many"));
  CHECK_EQ(session.handle("STOP").size(), 1u);
  CHECK_EQ(session.search_event(done(make_point(7, 7))).size(), 4098u);  // a MESSAGE and the move
}

TEST(protocol_reports_the_evaluator_when_it_changes) {
  SessionConfig made = config();
  made.settings.show_detail = 0;
  const EvaluatorInfo large{"mixnet-m", "net m1", 97}, none{"classical", "no \"net\"\ncomes", 0};
  made.evaluator = [&](Rule rule, int, int) -> EvaluatorInfo {
    if (rule == Rule::CARO) throw std::runtime_error("damaged");
    return rule == Rule::FREESTYLE ? large : none;
  };
  Session session(made);
  CHECK_EQ(lines(session.handle("ABOUT")),
           std::string(ABOUT) + R"re(, evaluation="mixnet-m (net m1)")re");
  session.handle("INFO rule 4");
  CHECK_EQ(lines(session.handle("ABOUT")),
           std::string(ABOUT) + R"re(, evaluation="classical (no 'net' comes)")re");
  session.handle("INFO rule 9");
  CHECK_EQ(lines(session.handle("ABOUT")),
           std::string(ABOUT) + R"re(, evaluation="none (the net cannot be used)")re");
  session.handle("INFO rule 0");
  session.handle("START 15");
  std::string all;
  for (const EvaluatorInfo& one : {none, none, large, large, none}) {
    session.handle("BEGIN");
    PlayedMove result = done(make_point(7, 7));
    result.line->evaluator = one;
    all += lines(session.search_event(result)) + " / ";
    session.handle("RESTART");
  }
  const std::string first = "MESSAGE evaluation: classical (no 'net' comes); 7,7 / ";
  CHECK_EQ(all, first + "7,7 / MESSAGE evaluation: mixnet-m (net m1); 7,7 / 7,7 / " + first);
}

TEST(protocol_evaluators_are_prepared_before_they_are_needed) {
  Session session(config());
  CHECK(session.handle("INFO rule 4").empty());
  session.handle("START 9");
  for (const char* line : {"INFO time_left 1000", "INFO rule 4", "INFO rule 77"})
    CHECK(session.handle(line).empty());
  const Actions prepared = session.handle("INFO rule 0");
  CHECK_EQ(prepared.size(), 1u);
  CHECK(std::holds_alternative<PrepareEvaluator>(prepared[0]));
  CHECK(std::get<PrepareEvaluator>(prepared[0]).position.rule() == Rule::FREESTYLE);
  const Actions smaller = session.handle("INFO max_memory 157286400");
  CHECK_EQ(std::get<PrepareEvaluator>(smaller.at(0)).options.net_memory, 70);
  session.handle("BEGIN");
  CHECK(session.handle("INFO rule 1").empty());  // the search continues; the next one will wait
}

TEST(protocol_only_time_left_resets_the_time_spent) {
  Session session(config());
  for (const char* line :
       {"INFO timeout_match 60000", "INFO timeout_turn 60000", "START 15", "INFO time_left 60000"})
    session.handle(line);
  int y = 0;
  const auto clock = [&](const char* line) {
    const Actions actions = session.handle(line);
    const double left = *std::get<StartSearch>(actions.back()).limit.clock;
    session.search_event(done(make_point(14, y++), 7));
    return left;
  };
  const double whole = clock("BEGIN"), later = clock("TURN 0,0");
  CHECK(whole - 7.5 < later && later < whole - 6.5);
  for (const char* line : {"INFO time_left", "INFO time_left soon", "INFO time_leftover 1", "INFO"})
    session.handle(line);
  CHECK(clock("TURN 0,2") < whole - 13);
  session.handle("INFO time_left 60000");
  CHECK_EQ(clock("TURN 0,4"), whole);
}

TEST(protocol_blacks_forced_pass_is_answered) {
  constexpr int SIZE = 7;
  const Point only = make_point(3, 0);  // the free point: seven in a row
  Session session(config());
  session.handle("START 7");
  session.handle("INFO rule 4");
  session.handle("BOARD");
  std::array<std::vector<Point>, 2> stones;
  for (int y = 0; y < SIZE; ++y)
    for (int x = 0; x < SIZE; ++x) {
      const bool is_white = (x == 0 && y == 6) || (x == 4 && y == 6) || (x == 1 && y == 4);
      const int side = is_white ? 1 : y == 0 ? 0 : (x / 2 + y) % 2;
      if (make_point(x, y) != only) stones[static_cast<size_t>(side)].push_back(make_point(x, y));
    }
  for (size_t side = 0; side < 2; ++side)
    for (const Point p : stones[side])
      session.handle(format_move(p) + "," + std::to_string(side + 1));
  CHECK(std::holds_alternative<StartSearch>(session.handle("DONE").back()));
  const std::string replies = lines(session.search_event(PlayedMove{}));
  CHECK(replies.ends_with("; -1,-1") && replies.find("ERROR") == std::string::npos);
  // White's only move fills the board: a draw.
  CHECK(lines(session.handle("TURN 3,0")).starts_with("ERROR the game is over"));
}

TEST(protocol_takes_a_pass_of_the_opponent) {
  Session session(config());
  for (const char* line : {"START 15", "INFO rule 4", "BEGIN"}) session.handle(line);
  session.search_event(done(make_point(7, 7)));
  CHECK(std::holds_alternative<StartSearch>(session.handle("TURN -1,-1").back()));
  CHECK(session.position()->board().side_to_move() == BLACK);
}

/// Random lines: each answer belongs to the protocol, an ERROR changes nothing, no two searches run
/// at once, and every search has a move to find.
TEST(protocol_random_lines_change_nothing_by_errors) {
  Rng rng(7);
  const auto number = [&](u32 bound) { return std::to_string(rng.below(bound)); };
  const auto point = [&] {
    const u32 bound = rng.below(8) == 0 ? 23 : 6;
    return number(bound) + "," + number(bound);
  };
  const auto random_line = [&]() -> std::string {
    switch (rng.below(16)) {
      case 0: return "START " + std::to_string(4 + rng.below(4));
      case 1: return "RESTART";
      case 2: return "BEGIN";
      case 3: return "BOARD";
      case 4: return "SWAP2BOARD";
      case 5: return "DONE";
      case 6: return "INFO rule " + number(10);
      case 7: return "TAKEBACK " + point();
      case 8: return "PLAY " + point();
      case 9: return point() + "," + number(4);
      case 10: return point();
      case 11: return rng.below(2) == 0 ? "ABOUT" : "STOP";
      case 12: return "TURN " + number(30);
      default: return "TURN " + point();
    }
  };
  const auto state = [](const Session& session) {
    const auto& position = session.position();
    return position ? std::optional(std::pair(position->board().cells(), position->stones()))
                    : std::nullopt;
  };
  Session session(config());
  std::optional<GamePosition> searched;
  int moves = 0;
  const auto perform = [&](const Actions& actions) {
    for (const Action& action : actions)
      if (const auto* search = std::get_if<StartSearch>(&action)) {
        CHECK(!searched && !search->position.is_over());
        searched = search->position;
      }
  };
  const int count = check::reduced(200'000);
  for (int n = 0; n < count; ++n) {
    const auto before = state(session);
    const Actions actions = session.handle(random_line());
    const std::string answer = lines(actions);
    if (actions.size() == 1 && (answer.starts_with("ERROR") || answer.starts_with("UNKNOWN")))
      CHECK(state(session) == before);
    perform(actions);
    while (searched && rng.below(10) < 7) {
      const GamePosition position = *std::exchange(searched, std::nullopt);
      const auto points = legal_points(position.board(), position.rule());
      if (rng.below(50) == 0) {
        perform(session.search_event(SearchFailed{"no memory"}));
      } else {
        const u32 choices = static_cast<u32>(points.size());
        perform(session.search_event(done(choices ? points[rng.below(choices)] : NO_POINT)));
        ++moves;
      }
    }
  }
  CHECK(moves > count / 100);
}
