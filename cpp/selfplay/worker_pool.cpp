// SPDX-License-Identifier: MIT
#include "selfplay/worker_pool.h"

#include <algorithm>
#include <system_error>

namespace tengen::selfplay {

namespace {

constexpr int MAX_THREADS = 256;
/// Chunk size: small, as one index may take as long as a hundred others.
constexpr size_t LENGTH = 8;

}  // namespace

WorkerPool::WorkerPool(int threads) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  const int requested = std::clamp(threads > 0 ? threads : cores, 1, MAX_THREADS);
  try {
    for (int worker = 1; worker < requested; ++worker)
      threads_.emplace_back([this, worker] { wait_for_work(worker); });
  } catch (const std::system_error&) {
    // No more threads available: use those that started.
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard guard(lock_);
    closing_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::wait_for_work(int worker) {
  u64 last_round = 0;
  for (;;) {
    {
      std::unique_lock guard(lock_);
      begin_.wait(guard, [&] { return closing_ || round_ != last_round; });
      if (closing_) return;
      last_round = round_;
    }
    process_chunks(worker);
    const std::lock_guard guard(lock_);
    if (--busy_ == 0) end_.notify_one();
  }
}

void WorkerPool::process_chunks(int worker) {
  try {
    for (size_t first = next_.fetch_add(LENGTH); first < count_; first = next_.fetch_add(LENGTH))
      (*work_)(worker, first, std::min(count_, first + LENGTH));
  } catch (...) {
    next_ = count_;
    const std::lock_guard guard(lock_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void WorkerPool::run(size_t count, const Work& work) {
  {
    const std::lock_guard guard(lock_);
    work_ = &work;
    count_ = count;
    next_ = 0;
    failure_ = nullptr;
    busy_ = static_cast<int>(threads_.size());
    ++round_;
  }
  begin_.notify_all();
  process_chunks(0);
  std::unique_lock guard(lock_);
  end_.wait(guard, [&] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace tengen::selfplay
