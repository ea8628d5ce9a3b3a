// SPDX-License-Identifier: MIT
#include "app/engine_thread.h"

#include <chrono>
#include <new>
#include <system_error>
#include <utility>

namespace tengen::app {

using namespace protocol;

namespace {

constexpr int MIN_MEMORY = 4;       ///< MiB
constexpr double READ_TIMEOUT = 2;  ///< seconds that START waits for a net that is being read

double seconds_since(i64 nanoseconds) {
  return static_cast<double>(StopCondition::now_in_nanoseconds() - nanoseconds) * 1e-9;
}

}  // namespace

EngineThread::EngineThread(PlayOptions options, Bundle bundle, LoadExternal load_external,
                           Report report)
    : options_(std::move(options)),
      bundle_(std::move(bundle)),
      load_external_(std::move(load_external)),
      report_(std::move(report)),
      thread_([this] { run(); }) {}

EngineThread::~EngineThread() {
  close(0);
  if (thread_.joinable()) thread_.join();
}

void EngineThread::add(std::function<void()> task) {
  const std::lock_guard guard(lock_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void EngineThread::run() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock guard(lock_);
      changed_.wait(guard, [this] { return closing_ || !tasks_.empty(); });
      if (closing_) break;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
  player_.reset();
  const std::lock_guard guard(lock_);
  ended_ = true;
  changed_.notify_all();
}

bool EngineThread::close(double seconds) {
  stop();
  std::unique_lock guard(lock_);
  closing_ = true;
  changed_.notify_all();
  return changed_.wait_for(guard, std::chrono::duration<double>(seconds),
                           [this] { return ended_; });
}

void EngineThread::stop() {
  const std::lock_guard guard(lock_);
  stopped_ = jobs_;
  if (running_ > 0 && player_ != nullptr) player_->stop();
  tasks_.push_back([this] {
    if (player_ != nullptr) player_->end_search();
  });
  changed_.notify_all();
}

void EngineThread::start_game(const StartGame& game) {
  // After a search, the session continues on this thread.
  if (std::this_thread::get_id() == thread_.get_id()) return do_start_game(game);
  bool is_done = false;
  add([this, &game, &is_done] {
    do_start_game(game);
    const std::lock_guard guard(lock_);
    is_done = true;
    changed_.notify_all();
  });
  std::unique_lock guard(lock_);
  changed_.wait(guard, [&] { return is_done || ended_; });
}

/// Tables and nets are allocated when they are needed, so that memory may run out at any time.
template <typename Work>
auto EngineThread::with_less_memory(const SessionOptions& options, Work work) {
  while (true) {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      if (!make_smaller(options)) throw;
    } catch (const std::system_error&) {  // no more threads
      if (!make_smaller(options)) throw;
    }
  }
}

void EngineThread::do_start_game(const StartGame& game) {
  max_memory_.reset();  // there may be more now
  max_threads_.reset();
  max_net_memory_.reset();
  try {
    with_less_memory(game.options, [&] {
      Player& player = ready(game.options);
      player.clear_stop();
      player.new_game();
      player.make_ready(game.position.rule(), game.position.size(), game.limit, READ_TIMEOUT);
    });
  } catch (const std::exception&) {
    // The first search fails again, and reports it.
  }
}

void EngineThread::prepare(const PrepareEvaluator& request) {
  add([this, request] {
    try {
      ready(request.options).prepare(request.position.rule(), request.position.size());
    } catch (const std::exception&) {
      // As above.
    }
  });
}

void EngineThread::search(const StartSearch& request, i64 since) {
  u64 job = 0;
  {
    const std::lock_guard guard(lock_);
    job = ++jobs_;
  }
  add([this, request, since, job] { do_search(request, since, job); });
}

void EngineThread::ponder(const StartPondering& request) {
  add([this, request] {
    if (player_ == nullptr) return;
    try {
      player_->start({.board = request.position.board(),
                      .rule = request.position.rule(),
                      .purpose = SearchPurpose::PONDER});
    } catch (const std::exception&) {
      // Nobody waits for it.
    }
  });
}

PlayOptions EngineThread::limited(const SessionOptions& options) const {
  PlayOptions result = options_;
  result.core.threads = std::min(options.threads, max_threads_.value_or(options.threads));
  const int memory = std::min(options.memory, max_memory_.value_or(options.memory));
  result.core.memory = static_cast<size_t>(memory) << 20;
  result.level = std::min(options.level, options_.level);
  result.net_memory = options.net_memory > 0 ? options.net_memory : options_.net_memory;
  if (max_net_memory_) result.net_memory = *max_net_memory_;
  return result;
}

Player& EngineThread::ready(const SessionOptions& options) {
  const PlayOptions wanted = limited(options);
  if (player_ == nullptr) {
    auto made = std::make_unique<Player>(wanted, bundle_, load_external_);
    const std::lock_guard guard(lock_);
    player_ = std::move(made);
  } else {
    player_->configure(wanted);
  }
  return *player_;
}

/// Halves the tables for the rest of the game, then the threads, then does without nets, which also
/// frees what a net takes while it loads. False if nothing is left to do.
bool EngineThread::make_smaller(const SessionOptions& options) {
  const PlayOptions had = limited(options);
  const int memory = static_cast<int>(had.core.memory >> 20);
  if (memory > MIN_MEMORY)
    max_memory_ = std::max(MIN_MEMORY, memory / 2);
  else if (had.core.threads > 1)
    max_threads_ = had.core.threads / 2;
  else if (!max_net_memory_)
    max_net_memory_ = 1;
  else
    return false;
  return true;
}

void EngineThread::do_search(const StartSearch& request, i64 since, u64 job) {
  SearchEvent event;
  try {
    event = played(request, since, job);
  } catch (const std::bad_alloc&) {
    event = SearchFailed{"not enough memory for a search: allow more"};
  } catch (const BadNet& error) {
    event = SearchFailed{error.what()};
  } catch (const BadTables& error) {
    event = SearchFailed{error.what()};
  } catch (const std::exception& error) {
    event = SearchFailed{std::string("the engine failed: ") + error.what()};
  }
  {
    const std::lock_guard guard(lock_);
    running_ = 0;
  }
  report_(std::move(event));
}

PlayedMove EngineThread::played(const StartSearch& request, i64 since, u64 job) {
  return with_less_memory(request.options, [&] {
    Player& player = ready(request.options);
    {
      const std::lock_guard guard(lock_);
      running_ = job;
      player.clear_stop();
      if (job <= stopped_) player.stop();
    }
    return player.play({.board = request.position.board(),
                        .rule = request.position.rule(),
                        .limit = request.limit,
                        .waited = seconds_since(since)},
                       [this](const SearchLine& line) { report_(line); });
  });
}

}  // namespace tengen::app
