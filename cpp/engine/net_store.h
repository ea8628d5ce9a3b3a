// SPDX-License-Identifier: MIT
// Nets loaded in the background, once per process and shared by all engines.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>

#include "engine/make_searcher.h"
#include "engine/net_files.h"
#include "mixnet/net_loading.h"

namespace tengen {

/// A net that loads in the background.
class NetLoad {
 public:
  virtual ~NetLoad() = default;

  /// Whether loading ended, with success or not.
  virtual bool is_ready() const = 0;
  /// Share of baking done; stays 0 if there is nothing to bake.
  virtual double progress() const = 0;
  /// Waits at most `seconds`; whether it is ready.
  virtual bool wait(double seconds) const = 0;
};

/// A Mixnet that is loading or loaded. Loading stops when the last owner goes.
class StoredNet : public NetLoad, public std::enable_shared_from_this<StoredNet> {
 public:
  /// `threads`: for baking; 0: one per core.
  explicit StoredNet(const NetFile& file, int threads = 0);

  bool is_ready() const override { return !failure_.empty() || loading_->is_done(); }
  double progress() const override { return loading_ ? loading_->progress() : 1; }
  bool wait(double seconds) const override { return is_ready() || loading_->wait(seconds); }
  bool has_failed() const;
  /// Owners of the net keep this. Requires is_ready(). Throws BadNet.
  std::shared_ptr<const mixnet::Net> net() const;
  /// Where its codebooks came from. Requires is_ready().
  mixnet::CacheReport report() const;
  /// Stops loading; net() throws then, unless it is ready.
  void stop();
  /// Starts again, in a process that was forked while it was loading.
  void restart();

 private:
  void start();

  NetFile file_;
  int threads_;
  std::string failure_;  ///< why loading did not start
  std::unique_ptr<mixnet::NetLoading> loading_;
};

/// The net of a file: loading starts unless the process has it or loads it.
std::shared_ptr<StoredNet> load_net(const NetFile& file);
/// Loads the file again, unshared.
std::shared_ptr<StoredNet> load_own_net(const NetFile& file, int threads);

/// Ends all loading, before a process ends.
void stop_net_loads();
/// For a process that is forked: nets that are loading do so again in the child.
void before_fork();
void after_fork(bool is_child);

/// A net outside the core, such as an ONNX file, which the caller loads.
class ExternalNet : public NetLoad {
 public:
  bool is_ready() const override;
  double progress() const override { return 0; }
  bool wait(double seconds) const override;
  /// Requires is_ready(). Throws BadNet.
  const CallbackNet& net() const;

  /// Loading ended: with a net, or with what net() throws. Once, from any thread.
  void set(CallbackNet net);
  void fail(const BadNet& reason);

 private:
  mutable std::mutex lock_;
  mutable std::condition_variable ended_;
  bool is_ready_ = false;
  CallbackNet net_;
  std::exception_ptr failure_;
};

}  // namespace tengen
