// SPDX-License-Identifier: MIT
// Nets loaded in the background, once per process and shared by all engines.
#pragma once

#include <functional>
#include <memory>

#include "engine/net_files.h"
#include "mixnet/net_loading.h"

namespace tengen {

/// A net that is loading or loaded. Loading stops when the last owner goes.
class StoredNet {
 public:
  explicit StoredNet(const NetFile& file);

  bool is_ready() const { return !failure_.empty() || loading_->is_done(); }
  /// Share of baking done; stays 0 if the cache has the codebooks.
  double progress() const { return loading_ ? loading_->progress() : 1; }
  /// Waits at most `seconds`; whether it is ready.
  bool wait(double seconds) const { return is_ready() || loading_->wait(seconds); }
  bool has_failed() const;
  /// Requires is_ready(). Throws BadNet.
  std::shared_ptr<const mixnet::Net> net() const;

 private:
  std::string place_;
  std::string failure_;  ///< why loading did not start
  std::unique_ptr<mixnet::NetLoading> loading_;
};

/// The net of a file: loading starts unless the process has it or loads it.
std::shared_ptr<const StoredNet> load_net(const NetFile& file);

}  // namespace tengen
