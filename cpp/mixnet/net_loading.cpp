// SPDX-License-Identifier: MIT
#include "mixnet/net_loading.h"

#include <chrono>
#include <stdexcept>
#include <utility>

#include "mixnet/patterns.h"
#include "os/os.h"

namespace tengen::mixnet {

namespace {

constexpr size_t ROOM_LEFT = size_t{24} << 20;  ///< bytes that a net leaves for everything else

}  // namespace

NetLoading::NetLoading(std::string file, CodebookCache cache, int threads)
    : process_(os::process_id()) {
  if constexpr (os::THREADS_READ_FILES)
    thread_ = std::thread([this, file = std::move(file), cache = std::move(cache), threads] {
      work(file, cache, threads);
    });
  else
    work(file, cache, threads);
}

NetLoading::~NetLoading() { stop(); }

void NetLoading::stop() {
  progress_.stop();
  const std::lock_guard guard(joining_);
  if (!thread_.joinable()) return;
  if (process_ == os::process_id())
    thread_.join();
  else  // after a fork the thread does not exist: joining it would block forever
    new std::thread(std::move(thread_));
}

void NetLoading::work(const std::string& file, const CodebookCache& cache, int threads) {
  try {
    const Weights weights = read_weights(file);
    require_room(codebook_bytes(weights.shape.c) + ROOM_LEFT);
    const BakeOptions options{threads, &progress_, true};
    Codebooks books = cache.get(weights, options, report_);
    net_ = std::make_shared<const Net>(weights, std::move(books));
  } catch (...) {
    failure_ = std::current_exception();
  }
  const std::lock_guard guard(lock_);
  done_.store(true, std::memory_order_release);
  ended_.notify_all();
}

bool NetLoading::wait(double seconds) const {
  std::unique_lock guard(lock_);
  return ended_.wait_for(guard, std::chrono::duration<double>(seconds),
                         [this] { return is_done(); });
}

const std::shared_ptr<const Net>& NetLoading::net() const {
  if (!is_done()) throw std::logic_error("the net is not loaded yet");
  if (failure_) std::rethrow_exception(failure_);
  return net_;
}

}  // namespace tengen::mixnet
