// SPDX-License-Identifier: MIT
#include "app/server.h"

#include <atomic>
#include <chrono>
#include <string>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace tengen::app {

using namespace protocol;

namespace {

constexpr size_t CHUNK = 1 << 16;        ///< bytes per read
constexpr size_t MAX_WAITING = 1 << 14;  ///< lines and events
// Seconds from END to the exit of the process: for a search to end, and for the manager to read an
// answer. Requests before END, or before the end of the input, are still answered: on a busy
// machine, or while nets are loaded, that may take PENDING_TIMEOUT.
constexpr double END_OF_SEARCH = 0.05;
constexpr double EXIT_TIMEOUT = 0.08;
constexpr double PENDING_TIMEOUT = 3;

i64 now() { return StopCondition::now_in_nanoseconds(); }
double seconds_since(i64 time) { return static_cast<double>(now() - time) * 1e-9; }

#ifdef _WIN32
auto read_some(int file, char* bytes, size_t most) {
  return _read(file, bytes, static_cast<unsigned>(most));
}
auto write_some(int file, const char* bytes, size_t count) {
  return _write(file, bytes, static_cast<unsigned>(count));
}
#else
auto read_some(int file, char* bytes, size_t most) { return ::read(file, bytes, most); }
auto write_some(int file, const char* bytes, size_t count) { return ::write(file, bytes, count); }
#endif

/// The input has ended.
struct Closed {};

struct Item {
  std::variant<std::string, SearchEvent, Closed> content;
  i64 when;
};

/// Lines and events in the order of their arrival.
class Inbox {
 public:
  void put(decltype(Item::content) content) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return items_.size() < MAX_WAITING || over_; });
    items_.push_back({std::move(content), now()});
    changed_.notify_all();
  }

  Item take() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return !items_.empty(); });
    Item item = std::move(items_.front());
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  /// Nobody takes items any more.
  void close() {
    const std::lock_guard guard(lock_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool over_ = false;
};

class Server {
 public:
  Server(SessionConfig config, PlayOptions options, Bundle bundle, LoadExternal load_external,
         int input, int output)
      : session_(std::move(config)),
        input_(input),
        output_(output),
        engine_(std::move(options), std::move(bundle), std::move(load_external),
                [this](SearchEvent event) { inbox_.put(std::move(event)); }) {}

  void run() {
    std::thread reader([this] { listen(); });
    while (handle(inbox_.take())) continue;
    const bool ended = engine_.close(END_OF_SEARCH);
    inbox_.close();
    over_ = true;
    if (!ended) std::_Exit(0);
    reader.detach();  // it may wait for input for ever
  }

 private:
  /// Whether to continue.
  bool handle(const Item& item) {
    Actions actions;
    if (const auto* line = std::get_if<std::string>(&item.content))
      actions = session_.handle(*line);
    else if (const auto* event = std::get_if<SearchEvent>(&item.content))
      actions = session_.search_event(*event);
    else
      actions = session_.input_closed();
    for (const Action& action : actions) {
      if (std::holds_alternative<Quit>(action)) return false;
      if (!perform(action, item.when)) return false;
    }
    progress_ = now();
    return true;
  }

  /// False if nobody reads the output.
  bool perform(const Action& action, i64 when) {
    if (const auto* line = std::get_if<SendLine>(&action)) return say(line->line + "\n");
    if (const auto* search = std::get_if<StartSearch>(&action)) engine_.search(*search, when);
    if (const auto* game = std::get_if<StartGame>(&action)) engine_.start_game(*game);
    if (const auto* request = std::get_if<PrepareEvaluator>(&action)) engine_.prepare(*request);
    if (const auto* request = std::get_if<StartPondering>(&action)) engine_.ponder(*request);
    if (std::holds_alternative<StopSearch>(action)) engine_.stop();
    return true;
  }

  bool say(std::string_view text) {
    progress_ = now();
    is_writing_ = true;
    while (!text.empty()) {
      const auto count = write_some(output_, text.data(), text.size());
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    is_writing_ = false;
    return true;
  }

  // --- on the reading thread ---

  void listen() {
    LineSplitter lines;
    std::string chunk(CHUNK, '\0');
    while (true) {
      const auto count = read_some(input_, chunk.data(), chunk.size());
      if (count <= 0) break;
      for (std::string& line : lines.feed({chunk.data(), static_cast<size_t>(count)})) {
        const bool is_end = upper_case(first_word(line).first) == "END";
        inbox_.put(std::move(line));
        if (is_end) return watch(EXIT_TIMEOUT);
      }
    }
    if (auto line = lines.end()) inbox_.put(std::move(*line));
    inbox_.put(Closed{});
    watch(PENDING_TIMEOUT);
  }

  /// Ends the process if it does not end by itself: if one answer takes longer than
  /// PENDING_TIMEOUT, or if nobody reads an answer for `read_timeout` seconds.
  void watch(double read_timeout) {
    const i64 start = now();
    while (!over_) {
      std::this_thread::sleep_for(std::chrono::duration<double>(EXIT_TIMEOUT / 4));
      const double allowed = is_writing_ ? read_timeout : PENDING_TIMEOUT;
      if (seconds_since(std::max(start, progress_.load())) > allowed) std::_Exit(0);
    }
  }

  Session session_;
  Inbox inbox_;
  int input_, output_;
  std::atomic<i64> progress_ = 0;  ///< time of the last handled item or answer
  std::atomic<bool> is_writing_ = false, over_ = false;
  EngineThread engine_;
};

}  // namespace

void serve(SessionConfig config, PlayOptions options, Bundle bundle, LoadExternal load_external,
           int input, int output) {
  Server(std::move(config), std::move(options), std::move(bundle), std::move(load_external), input,
         output)
      .run();
}

}  // namespace tengen::app
