// SPDX-License-Identifier: MIT
#include "app/server.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>

#include "os/os.h"

namespace tengen::app {

using namespace protocol;

namespace {

constexpr size_t CHUNK = 1 << 16;      ///< bytes per read
constexpr size_t MAX_WRITE = 1 << 12;  ///< bytes per write
constexpr size_t MAX_LINES = 1 << 17;  ///< that wait to be written
// Seconds at most:
constexpr double END_TIMEOUT = 0.5;     ///< from END to the move of the running search
constexpr double INPUT_TIMEOUT = 3;     ///< from the end of the input to the same
constexpr double EXIT_TIMEOUT = 0.08;   ///< for the manager to read the last answers
constexpr double END_OF_SEARCH = 0.05;  ///< for the engine's thread to end

std::chrono::duration<double> seconds(double count) { return std::chrono::duration<double>(count); }

/// Lines to write, in order. A thread that may block writes them itself, which saves the time of
/// waking another; the reader never does, as it has to see END.
class Output {
 public:
  explicit Output(int file) : file_(file), thread_([this] { write_all(); }) { thread_.detach(); }

  void put(const std::string& line) {
    const std::lock_guard guard(lock_);
    lines_.push_back(line + "\n");
  }

  /// Writes what was put, unless another thread does.
  void flush() {
    std::unique_lock guard(lock_);
    drain(guard);
  }
  /// Lets another thread write what was put.
  void flush_later() { changed_.notify_all(); }

  /// Waits for all lines to be written, as long as somebody reads some within `patience` seconds.
  void finish(double patience) {
    std::unique_lock guard(lock_);
    changed_.notify_all();
    u64 before = 0;
    do {
      before = written_;
      changed_.wait_for(guard, seconds(patience),
                        [this] { return lines_.empty() && !is_writing_; });
    } while (!(lines_.empty() && !is_writing_) && written_ != before);
  }

  /// Waits until a manager that sends but does not read has read some: memory is bounded.
  void wait_for_room() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return lines_.size() < MAX_LINES; });
  }

 private:
  void write_all() {
    std::unique_lock guard(lock_);
    while (true) {
      changed_.wait(guard, [this] { return !lines_.empty() && !is_writing_; });
      drain(guard);
    }
  }

  void drain(std::unique_lock<std::mutex>& guard) {
    if (is_writing_) return;
    is_writing_ = true;
    while (!lines_.empty()) {
      std::string text;
      for (; !lines_.empty(); lines_.pop_front()) text += lines_.front();
      changed_.notify_all();  // there is room
      guard.unlock();
      write(text);
      guard.lock();
    }
    is_writing_ = false;
    changed_.notify_all();
  }

  void write(std::string_view text) {
    while (!text.empty()) {
      const auto count = os::write_some(file_, text.data(), std::min(text.size(), MAX_WRITE));
      if (count <= 0) std::_Exit(0);  // nobody reads: an end like any other
      text.remove_prefix(static_cast<size_t>(count));
      written_ += static_cast<u64>(count);
    }
  }

  int file_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  bool is_writing_ = false;
  std::atomic<u64> written_ = 0;  ///< bytes
  std::thread thread_;
};

class Server {
 public:
  Server(SessionConfig config, PlayOptions options, Bundle bundle, LoadExternal load_external,
         int input, int output)
      : session_(std::move(config)),
        input_(input),
        output_(*new Output(output)),
        engine_(std::move(options), std::move(bundle), std::move(load_external),
                [this](const SearchEvent& event) { report(event); }) {}

  /// Reads to the end. Does not return: threads may wait for ever.
  [[noreturn]] void run() {
    LineSplitter lines;
    std::string chunk(CHUNK, '\0');
    while (true) {
      const auto count = os::read_some(input_, chunk.data(), chunk.size());
      if (count <= 0) break;
      for (const std::string& line : lines.feed({chunk.data(), static_cast<size_t>(count)}))
        if (!handle(line)) quit(END_TIMEOUT);
    }
    if (const auto line = lines.end(); line && !handle(*line)) quit(END_TIMEOUT);
    {
      const std::lock_guard guard(lock_);
      perform(session_.close(), StopCondition::now_in_nanoseconds());
    }
    quit(INPUT_TIMEOUT);
  }

 private:
  /// On the reading thread. False: it was END.
  bool handle(const std::string& line) {
    const i64 when = StopCondition::now_in_nanoseconds();
    bool is_closing = false;
    output_.wait_for_room();
    {
      const std::lock_guard guard(lock_);
      perform(session_.handle(line), when);
      is_closing = session_.is_closing();
    }
    output_.flush_later();
    return !is_closing;
  }

  /// On the engine's thread.
  void report(const SearchEvent& event) {
    {
      const std::lock_guard guard(lock_);
      perform(session_.search_event(event), StopCondition::now_in_nanoseconds());
    }
    output_.flush();
    changed_.notify_all();
  }

  /// Requires the lock.
  void perform(const Actions& actions, i64 when) {
    for (const Action& action : actions) {
      if (const auto* line = std::get_if<SendLine>(&action)) output_.put(line->line);
      if (const auto* search = std::get_if<StartSearch>(&action)) engine_.search(*search, when);
      if (const auto* game = std::get_if<StartGame>(&action)) engine_.start_game(*game);
      if (const auto* request = std::get_if<PrepareEvaluator>(&action)) engine_.prepare(*request);
      if (const auto* request = std::get_if<StartPondering>(&action)) engine_.ponder(*request);
      if (std::holds_alternative<StopSearch>(action)) engine_.stop();
      if (std::holds_alternative<Quit>(action)) {
        is_over_ = true;
        return;
      }
    }
  }

  /// After close(): waits at most `timeout` seconds for the move of a search, writes all answers,
  /// and ends the process.
  [[noreturn]] void quit(double timeout) {
    {
      std::unique_lock guard(lock_);
      changed_.wait_for(guard, seconds(timeout), [this] { return is_over_.load(); });
    }
    output_.finish(EXIT_TIMEOUT);
    engine_.close(END_OF_SEARCH);
    std::_Exit(0);  // managers wait for the end: the system gives back what is left
  }

  std::mutex lock_;  ///< guards the session, and the order of what its actions do
  std::condition_variable changed_;
  Session session_;
  int input_;
  Output& output_;  ///< never destroyed: its thread waits to the end of the process
  std::atomic<bool> is_over_ = false;
  EngineThread engine_;
};

}  // namespace

void serve(PlayOptions options, Bundle bundle, LoadExternal load_external,
           const std::string& version, int input, int output) {
  os::prepare_pipes();
  SessionConfig config;
  config.about = "name=\"Tengen\", version=\"" + version + "\", author=\"The Tengen authors\"";
  config.settings.thread_num = options.core.threads;
  config.settings.pondering = options.ponder;
  config.limits = {static_cast<int>(std::max(1u, std::thread::hardware_concurrency())),
                   static_cast<int>(options.core.memory >> 20), os::machine_memory()};
  config.seed = std::random_device()() & 0xFFFF;
  config.evaluator = [options, nets = bundle.nets](Rule rule, int size, int net_memory) {
    PlayOptions asked = options;
    if (net_memory > 0) asked.net_memory = net_memory;
    return choose_evaluator(asked, rule, size, nets).info;
  };
  Server(std::move(config), std::move(options), std::move(bundle), std::move(load_external), input,
         output)
      .run();
}

}  // namespace tengen::app
