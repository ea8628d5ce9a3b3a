// SPDX-License-Identifier: MIT
// `_core.Net`: a net that several engines can share.
#pragma once

#include <memory>

#include "mixnet/net.h"

namespace tengen::bind {

class BoundNet {
 public:
  explicit BoundNet(std::shared_ptr<const mixnet::Net> net) : net_(std::move(net)) {}

  const std::shared_ptr<const mixnet::Net>& net() const { return net_; }

 private:
  std::shared_ptr<const mixnet::Net> net_;
};

}  // namespace tengen::bind
