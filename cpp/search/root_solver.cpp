// SPDX-License-Identifier: MIT
#include "search/root_solver.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(ROOT_VCF_NODES, 2000, 0, 100000, 500, "plays of VCF at the root, before the search");
TUNABLE(ROOT_VCF_RATE, 100, 0, 1000, 20, "more of them for each millisecond up to the deadline");

/// The longer there is to think, the more may be spent on a quick way out. `nodes` 0: no limit.
u64 root_vcf_nodes(const SearchRequest& request, const SearchControl& control) {
  u64 nodes = ROOT_VCF_NODES;
  const i64 deadline = control.deadline.load(std::memory_order_relaxed);
  if (deadline != SearchControl::NEVER) {
    const i64 left = std::clamp<i64>(deadline - Watch::now_in_nanoseconds(), 0, 10'000'000'000);
    nodes += static_cast<u64>(left / 1'000'000 * ROOT_VCF_RATE);
  }
  return request.nodes ? std::min(nodes, request.nodes / 10 + 1) : nodes;
}

}  // namespace

bool RootSolver::solve(Position& root, const SearchRequest& request, SearchControl& control,
                       bool by_fours, SearchAnswer& answer) {
  SearchInfo& info = answer.info;
  const i64 began = Watch::now_in_nanoseconds();
  nodes_ = 0;
  if (root.threats().has_five(request.side)) {
    info.line = {root.threats().five_point(request.side)};
    info.value = mate_in(1);
  } else if (by_fours) {
    Watch watch({}, control.stop, control.deadline);
    const Finding found =
        vcf_.search(root.threats(), request.side, root_vcf_nodes(request, control), watch);
    nodes_ = watch.nodes();
    if (found != Finding::WIN) return false;
    WinTree::Reader moves(vcf_.tree()), plies(vcf_.tree());
    info.line = longest_line(moves);
    info.value = mate_in(longest_win(plies));
  } else {
    return false;
  }
  info.proven = true;
  info.depth = info.selective_depth = static_cast<int>(info.line.size());
  info.work.solver_nodes = nodes_;
  info.nanoseconds = Watch::now_in_nanoseconds() - began;
  answer.move = info.line[0];
  if (info.line.size() > 1) answer.ponder = info.line[1];
  return true;
}

}  // namespace tengen
