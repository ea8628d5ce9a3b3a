// SPDX-License-Identifier: MIT
#include "engine/net_store.h"

#include <map>
#include <mutex>
#include <new>
#include <system_error>

#include "engine/cache_folder.h"

namespace tengen {

namespace {

constexpr const char* NO_MEMORY =
    "there is no memory for its codebooks: use a smaller net, or `classical`";

}  // namespace

StoredNet::StoredNet(const NetFile& file) : place_(file.place()) {
  try {
    loading_ = std::make_unique<mixnet::NetLoading>(file.source->read(file.name),
                                                    mixnet::CodebookCache(cache_folder()));
  } catch (const std::bad_alloc&) {
    failure_ = NO_MEMORY;
  } catch (const std::system_error& error) {  // of the file, or no more threads
    failure_ = "cannot be read (" + error.code().message() + ")";
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
  if (!failure_.empty()) throw BadNet(failure_, place_);
  try {
    return loading_->net();
  } catch (const std::bad_alloc&) {
    throw BadNet(NO_MEMORY, place_);
  } catch (const std::exception& error) {
    throw BadNet(error.what(), place_);
  }
}

std::shared_ptr<const StoredNet> load_net(const NetFile& file) {
  static std::mutex lock;
  static std::map<std::string, std::weak_ptr<const StoredNet>> stored;  // by version
  const std::lock_guard guard(lock);
  std::erase_if(stored, [](const auto& entry) { return entry.second.expired(); });
  std::string version;
  try {
    version = file.version();
  } catch (const std::system_error&) {
    return std::make_shared<const StoredNet>(file);  // net() throws
  }
  auto& entry = stored[version];
  std::shared_ptr<const StoredNet> net = entry.lock();
  if (net == nullptr || net->has_failed()) {
    net = std::make_shared<const StoredNet>(file);
    entry = net;
  }
  return net;
}

}  // namespace tengen
