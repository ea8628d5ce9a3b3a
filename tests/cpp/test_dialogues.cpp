// SPDX-License-Identifier: MIT
// The dialogues of tests/dialogues with a session whose searches the dialogue controls; README.md
// there describes the notation. Python runs those marked [pipes] with the executable.
#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "check.h"
#include "game/rules.h"
#include "protocol/session.h"

using namespace tengen;
using namespace tengen::protocol;

namespace {

struct Line {
  char sign;
  std::string text;
};

struct Dialogue {
  std::string title;  ///< with file and line
  std::vector<Line> lines;
};

/// The wrong line of a dialogue.
struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool condition, const std::string& text) {
  if (!condition) throw Wrong(text);
}

std::vector<Dialogue> read_dialogues(const std::filesystem::path& path) {
  std::vector<Dialogue> dialogues;
  std::ifstream file(path);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string place = path.filename().string() + ":" + std::to_string(number);
    if (line.starts_with("== "))
      dialogues.push_back({place + " " + line.substr(3), {}});
    else if (!line.empty() && std::string_view("><~?").find(line[0]) != std::string_view::npos)
      dialogues.back().lines.push_back({line[0], line.size() > 2 ? line.substr(2) : ""});
    else
      CHECK(trimmed(line).empty() || line[0] == '#');
  }
  return dialogues;
}

/// The legal moves, those nearest to the centre first.
std::vector<Point> nearest_points(const GamePosition& position) {
  std::vector<Point> points = legal_points(position.board(), position.rule());
  const int last = position.size() - 1;
  std::sort(points.begin(), points.end(), [last](Point a, Point b) {
    const auto rank = [last](Point p) {
      const int x = 2 * x_of(p) - last, y = 2 * y_of(p) - last;
      return std::tuple(x * x + y * y, y_of(p), x_of(p));
    };
    return rank(a) < rank(b);
  });
  return points;
}

/// The stones of a dialogue so far, to check moves of the engine.
class Points {
 public:
  void said(const std::string& line) {
    const auto [word, rest] = first_word(line);
    const std::string verb = upper_case(word);
    const bool is_stone = !verb.empty() && std::isdigit(static_cast<unsigned char>(verb[0]));
    if (verb != "DONE" && verb != "INFO" && !is_stone) before_ = taken_;
    if (verb == "START")
      if (const auto size = parse_number(first_word(rest).first)) size_ = *size;
    if (verb == "START" || verb == "RESTART" || verb == "BOARD" || verb == "SWAP2BOARD")
      taken_.clear();
    static const std::regex POINT(R"((\d+) *, *(\d+))");
    for (std::sregex_iterator it(line.begin(), line.end(), POINT), end; it != end; ++it) {
      const std::pair point(std::stoll((*it)[1]), std::stoll((*it)[2]));
      if (verb == "TAKEBACK")
        taken_.erase(point);
      else if (verb == "TURN" || verb == "PLAY" || is_stone)
        taken_.insert(point);
    }
  }

  void refused() { taken_ = before_; }

  /// The engine answered with this many moves.
  void check(const std::string& text, size_t count) {
    static const std::regex MOVES(R"(\d+,\d+( \d+,\d+)*)");
    require(std::regex_match(text, MOVES), "no move: " + text);
    std::istringstream words(text);
    size_t found = 0;
    for (std::string word; words >> word; ++found) {
      const size_t comma = word.find(',');
      const std::pair point(std::stoll(word), std::stoll(word.substr(comma + 1)));
      require(point.first < size_ && point.second < size_, "off the board: " + text);
      require(taken_.insert(point).second, "occupied: " + text);
    }
    require(found == count, "another number of moves: " + text);
  }

 private:
  i64 size_ = 0;
  std::set<std::pair<long long, long long>> taken_, before_;
};

/// Plays a dialogue with a session. Unless the dialogue holds them, searches end at once with the
/// point nearest to the centre.
class Actor {
 public:
  Actor() : session_(config()) {}

  void act(const Dialogue& dialogue) {
    for (const Line& line : dialogue.lines) {
      try {
        step(line);
      } catch (const std::exception& error) {
        check::fail("dialogue", __LINE__,
                    dialogue.title + ": " + line.sign + " " + line.text + ": " + error.what());
        return;
      }
    }
    try {
      require_silence();
    } catch (const Wrong& error) {
      check::fail("dialogue", __LINE__, dialogue.title + ": " + error.what());
    }
  }

 private:
  static SessionConfig config() {
    SessionConfig config;
    config.about = R"(name="Fake", version="1.5", author="Nobody")";
    config.limits.cores = 8;
    config.seed = 1;
    return config;
  }

  void step(const Line& line) {
    const auto [what, rest] = first_word(line.text);
    const std::string words(rest);
    switch (line.sign) {
      case '>': return say(line.text);
      case '<': return hear(line.text);
      case '~': return direct(std::string(what), words);
      default: return expect(std::string(what), words);
    }
  }

  void say(const std::string& line) {
    require_silence();
    done_.clear();
    points_.said(line);
    perform(session_.handle(line));
  }

  static bool is_remark(const std::string& line) {
    return line.starts_with("MESSAGE") || line.starts_with("DEBUG");
  }

  void hear(const std::string& expected) {
    const bool wants_remark = expected.starts_with("MESSAGE") || expected.starts_with("/MESSAGE") ||
                              expected == "{message}";
    while (!wants_remark && !replies_.empty() && is_remark(replies_.front())) replies_.pop_front();
    require(!replies_.empty(), "no reply");
    const std::string reply = replies_.front();
    replies_.pop_front();
    if (reply.starts_with("ERROR") || reply.starts_with("UNKNOWN")) points_.refused();
    if (expected == "{move}") return points_.check(reply, 1);
    if (expected.starts_with("{moves ")) return points_.check(reply, expected[7] - size_t{'0'});
    std::string pattern;
    if (expected == "{about}") pattern = R"re(name="[^"]+", version="[^"]+", author="[^"]+".*)re";
    if (expected == "{error}") pattern = R"(ERROR \S.*)";
    if (expected == "{unknown}") pattern = R"(UNKNOWN \S.*)";
    if (expected == "{message}") pattern = R"(MESSAGE \S.*)";
    if (expected.starts_with("/")) pattern = expected.substr(1, expected.size() - 2);
    require(pattern.empty() ? reply == expected : std::regex_match(reply, std::regex(pattern)),
            "the reply is " + reply);
  }

  void require_silence() {
    for (const std::string& reply : replies_)
      require(is_remark(reply), "a reply too many: " + reply);
    replies_.clear();
  }

  void perform(const Actions& actions) {
    note(actions);
    if (searching_ && !hold_) {
      send_info(3, 0.01);
      finish("");
    }
  }

  void note(const Actions& actions) {
    for (const Action& action : actions) {
      done_.push_back(action);
      if (const auto* line = std::get_if<SendLine>(&action)) {
        require(line->line.find('\n') == std::string::npos, "two lines in one");
        replies_.push_back(line->line);
      }
      if (const auto* search = std::get_if<StartSearch>(&action)) {
        require(!searching_, "two searches at once");
        searching_ = true;
        last_ = *search;
      }
    }
  }

  // --- what dialogues direct ---

  void direct(const std::string& what, const std::string& rest) {
    if (what == "hold") {
      hold_ = true;
    } else if (what == "value") {
      const bool is_loss = rest[0] == '-';
      const size_t mate = rest.find('M');
      if (mate == std::string::npos)
        value_ = std::stoi(rest);
      else
        value_ = is_loss ? mated_in(std::stoi(rest.substr(mate + 1)))
                         : mate_in(std::stoi(rest.substr(mate + 1)));
    } else if (what == "info") {
      std::istringstream words(rest);
      int depth = 0;
      double seconds = 0;
      words >> depth >> seconds;
      send_info(depth, seconds);
    } else if (what == "done") {
      finish(rest);
    } else if (what == "fail") {
      searching_ = false;
      perform(session_.search_event(SearchFailed{rest}));
    } else if (what == "close") {
      perform(session_.close());
    } else {
      throw Wrong("no such direction");
    }
  }

  /// An info of the search; `value_` is for white.
  void send_info(int depth, double seconds) {
    require(searching_, "no search runs");
    const std::vector<Point> best = nearest_points(last_->position);
    const bool is_white = last_->position.board().side_to_move() == WHITE;
    SearchLine line;
    SearchInfo& info = line.info;
    info.depth = depth;
    info.selective_depth = depth + 2;
    info.value = is_white ? value_ : -value_;
    info.stats.nodes = static_cast<u64>(1000 * depth);
    info.pv.assign(best.begin(), best.begin() + std::min<std::ptrdiff_t>(2, std::ssize(best)));
    line.seconds = seconds;
    line.nps = 250'000;
    found_ = line;
    note(session_.search_event(line));
  }

  void finish(const std::string& move) {
    require(searching_, "no search runs");
    const std::vector<Point> best = nearest_points(last_->position);
    PlayedMove played;
    if (!move.empty()) {
      played.move = move == "pass" ? NO_POINT : parse_point(move, last_->position.size());
    } else if (!best.empty()) {
      played.move = best[0];
      played.ponder = best.size() > 1 ? best[1] : NO_POINT;
      played.line = found_;
    }
    searching_ = false;
    found_.reset();
    perform(session_.search_event(played));
  }

  // --- what dialogues check ---

  template <typename T>
  bool has_done() const {
    return std::any_of(done_.begin(), done_.end(),
                       [](const Action& action) { return std::holds_alternative<T>(action); });
  }

  void expect(const std::string& what, const std::string& rest) {
    const bool yes = rest != "no";
    if (what == "thinking") {
      require(searching_ == yes && session_.is_searching() == yes, "not so");
    } else if (what == "quit") {
      require(has_done<Quit>() == yes, "not so");
    } else if (what == "halted") {
      require(has_done<StopSearch>() == yes, "not so");
    } else if (what == "newgame") {
      require(has_done<StartGame>() == yes, "not so");
    } else {
      require(found(what, rest) == rest, "found " + found(what, rest));
    }
  }

  std::string found(const std::string& what, const std::string& rest) const {
    if (what == "limit") return limit();
    if (what == "options") return options(rest);
    if (what == "board") return board();
    if (what == "stones") return stones();
    if (what == "pondering") return pondered();
    throw Wrong("no such check");
  }

  /// The limit of the last search, as `time=4.88 nodes=7`; others are not set.
  std::string limit() const {
    const Limit& limit = last_.value().limit;
    std::string text;
    const auto add = [&text](const char* name, double number) {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%s%s=%g", text.empty() ? "" : " ", name, number);
      text += buffer;
    };
    if (limit.time) add("time", *limit.time);
    if (limit.clock) add("clock", *limit.clock);
    if (limit.nodes) add("nodes", static_cast<double>(limit.nodes));
    if (limit.depth) add("depth", limit.depth);
    if (limit.increment > 0) add("increment", limit.increment);
    return text;
  }

  /// The options of the last search that the dialogue names.
  std::string options(const std::string& named) const {
    const SessionOptions& options = last_.value().options;
    std::istringstream words(named);
    std::string text;
    for (std::string word; words >> word;) {
      const std::string name = word.substr(0, word.find('='));
      const int value = name == "threads"  ? options.threads
                        : name == "memory" ? options.memory
                        : name == "level"  ? options.level
                                           : options.net_memory;
      text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
    }
    return text;
  }

  std::string board() const {
    const GamePosition& position = session_.position().value();
    return rule_name(position.rule()) + " " + std::to_string(position.stones()) + " " +
           (position.board().side_to_move() == BLACK ? "black" : "white");
  }

  /// The points that are taken, black's before white's.
  std::string stones() const {
    const GamePosition& position = session_.position().value();
    std::vector<Point> black, white;
    for (const Point p : board_points(position.size())) {
      if (position.board().at(p) == BLACK) black.push_back(p);
      if (position.board().at(p) == WHITE) white.push_back(p);
    }
    return std::string(trimmed(format_points(black) + " | " + format_points(white)));
  }

  /// The last move of the board that is pondered.
  std::string pondered() const {
    for (const Action& action : done_)
      if (const auto* ponder = std::get_if<StartPondering>(&action))
        return format_move(ponder->position.board().last_move());
    return "no";
  }

  Session session_;
  Points points_;
  std::deque<std::string> replies_;
  Actions done_;  ///< since the last line of the manager
  std::optional<StartSearch> last_;
  std::optional<SearchLine> found_;
  bool searching_ = false, hold_ = false;
  Value value_ = 20;
};

}  // namespace

TEST(dialogues_are_held) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(TENGEN_TEST_DATA) / "dialogues")) {
    if (file.path().extension() != ".txt") continue;
    for (const Dialogue& dialogue : read_dialogues(file.path())) {
      Actor().act(dialogue);
      ++count;
    }
  }
  CHECK(count > 300);
}
