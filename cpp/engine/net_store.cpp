// SPDX-License-Identifier: MIT
#include "engine/net_store.h"

#include <chrono>
#include <map>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/cache_folder.h"

namespace tengen {

namespace {

constexpr const char* NO_MEMORY =
    "there is no memory for its codebooks: use a smaller net, or `classical`";

struct Store {
  std::mutex lock;
  std::map<std::string, std::weak_ptr<StoredNet>> nets;  ///< by version
  std::vector<std::weak_ptr<StoredNet>> unshared;

  std::vector<std::shared_ptr<StoredNet>> all() const {
    std::vector<std::shared_ptr<StoredNet>> found;
    for (const auto& [version, net] : nets)
      if (auto held = net.lock()) found.push_back(std::move(held));
    for (const auto& net : unshared)
      if (auto held = net.lock()) found.push_back(std::move(held));
    return found;
  }
};

Store& store() {
  static Store made;
  return made;
}

}  // namespace

// --- nets of the core ---

StoredNet::StoredNet(const NetFile& file, int threads) : file_(file), threads_(threads) { start(); }

void StoredNet::start() {
  const char* what = "cannot be read";
  try {
    std::string bytes = file_.source->read(file_.name);
    what = "cannot be loaded";
    std::error_code error;  // without an absolute path, the one as it is
    const std::filesystem::path cache = cache_folder();
    const std::filesystem::path absolute = std::filesystem::absolute(cache, error);
    loading_ = std::make_unique<mixnet::NetLoading>(
        std::move(bytes), mixnet::CodebookCache(error || cache.empty() ? cache : absolute),
        threads_);
  } catch (const std::bad_alloc&) {
    failure_ = NO_MEMORY;
  } catch (const std::system_error& error) {
    failure_ = std::string(what) + " (" + error.code().message() + ")";
  } catch (const std::exception& error) {
    failure_ = std::string(what) + " (" + error.what() + ")";
  }
}

bool StoredNet::has_failed() const {
  if (!is_ready()) return false;
  try {
    net();
  } catch (const BadNet&) {
    return true;
  }
  return false;
}

std::shared_ptr<const mixnet::Net> StoredNet::net() const {
  if (!failure_.empty()) throw BadNet(failure_, file_.place());
  try {
    return {shared_from_this(), loading_->net().get()};
  } catch (const std::bad_alloc&) {
    throw BadNet(NO_MEMORY, file_.place());
  } catch (const std::exception& error) {
    throw BadNet(error.what(), file_.place());
  }
}

mixnet::CacheReport StoredNet::report() const {
  return loading_ ? loading_->report() : mixnet::CacheReport{};
}

void StoredNet::stop() {
  if (loading_) loading_->stop();
}

void StoredNet::restart() {
  if (is_ready()) return;
  // Not deleted: its thread does not exist here, and threads that waited for it are still counted
  // by its condition variable.
  (void)loading_.release();
  start();
}

std::shared_ptr<StoredNet> load_net(const NetFile& file) {
  auto& [lock, nets, unshared] = store();
  const std::lock_guard guard(lock);
  std::erase_if(nets, [](const auto& entry) { return entry.second.expired(); });
  std::string version;
  try {
    version = file.version();
  } catch (const std::system_error&) {
    return std::make_shared<StoredNet>(file);  // net() throws
  }
  auto& entry = nets[version];
  std::shared_ptr<StoredNet> net = entry.lock();
  if (net == nullptr || net->has_failed()) {
    net = std::make_shared<StoredNet>(file);
    entry = net;
  }
  return net;
}

std::shared_ptr<StoredNet> load_own_net(const NetFile& file, int threads) {
  auto net = std::make_shared<StoredNet>(file, threads);
  auto& [lock, nets, unshared] = store();
  const std::lock_guard guard(lock);
  std::erase_if(unshared, [](const auto& other) { return other.expired(); });
  unshared.push_back(net);
  return net;
}

void stop_net_loads() {
  std::vector<std::shared_ptr<StoredNet>> nets;
  {
    const std::lock_guard guard(store().lock);
    nets = store().all();
  }
  for (const auto& net : nets) net->stop();
}

void before_fork() {
  store().lock.lock();
  net_files_lock().lock();
}

void after_fork(bool is_child) {
  net_files_lock().unlock();
  if (is_child)
    for (const auto& net : store().all()) net->restart();
  store().lock.unlock();
}

// --- nets outside the core ---

bool ExternalNet::is_ready() const {
  const std::lock_guard guard(lock_);
  return is_ready_;
}

bool ExternalNet::wait(double seconds) const {
  std::unique_lock guard(lock_);
  return ended_.wait_for(guard, std::chrono::duration<double>(seconds),
                         [this] { return is_ready_; });
}

const CallbackNet& ExternalNet::net() const {
  if (failure_) std::rethrow_exception(failure_);
  return net_;
}

void ExternalNet::set(CallbackNet net) {
  const std::lock_guard guard(lock_);
  net_ = std::move(net);
  is_ready_ = true;
  ended_.notify_all();
}

void ExternalNet::fail(const BadNet& reason) {
  const std::lock_guard guard(lock_);
  failure_ = std::make_exception_ptr(reason);
  is_ready_ = true;
  ended_.notify_all();
}

}  // namespace tengen
