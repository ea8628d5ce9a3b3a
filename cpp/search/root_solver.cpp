// SPDX-License-Identifier: MIT
#include "search/root_solver.h"

#include <algorithm>

#include "base/tunable.h"

namespace tengen {

namespace {

TUNABLE(ROOT_VCF_NODES, 2000, 0, 100000, 500, "VCF nodes at the root before the search");
TUNABLE(ROOT_VCF_RATE, 100, 0, 1000, 20, "more root VCF nodes per millisecond of time");
TUNABLE(ROOT_VCF_SECONDS, 10, 1, 100, 2, "maximum seconds that count for that");
TUNABLE(ROOT_VCF_NODES_DIVISOR, 10, 2, 100, 2, "1/n of a node limit may go to the root VCF");

/// Nodes grow with the available time. `request.nodes` 0: no limit.
u64 root_vcf_nodes(const SearchRequest& request, const SearchControl& control) {
  u64 nodes = ROOT_VCF_NODES;
  const i64 deadline = control.deadline.load(std::memory_order_relaxed);
  if (deadline != SearchControl::NEVER) {
    const i64 time_left = std::clamp<i64>(deadline - StopCondition::now_in_nanoseconds(), 0,
                                          i64{ROOT_VCF_SECONDS} * 1'000'000'000);
    nodes += static_cast<u64>(time_left / 1'000'000 * ROOT_VCF_RATE);
  }
  return request.nodes
             ? std::min(nodes, request.nodes / static_cast<u64>(ROOT_VCF_NODES_DIVISOR) + 1)
             : nodes;
}

}  // namespace

bool RootSolver::solve(Position& root, const SearchRequest& request, SearchControl& control,
                       bool use_vcf, SearchResult& result) {
  SearchInfo& info = result.info;
  const i64 start_time = StopCondition::now_in_nanoseconds();
  nodes_ = 0;
  if (root.threats().can_make_five(request.side)) {
    info.pv = {root.threats().five_point(request.side)};
    info.value = mate_in(1);
  } else if (use_vcf) {
    StopCondition stop_condition({}, control.stop, control.deadline, control.hook);
    const SolveStatus status =
        vcf_.search(root.threats(), request.side, root_vcf_nodes(request, control), stop_condition);
    nodes_ = stop_condition.nodes();
    if (status != SolveStatus::WIN) return false;
    VcfTree::Reader moves(vcf_.tree()), plies(vcf_.tree());
    info.pv = longest_variation(moves);
    info.value = mate_in(win_length(plies));
  } else {
    return false;
  }
  info.proven = true;
  info.depth = info.selective_depth = static_cast<int>(info.pv.size());
  info.stats.solver_nodes = nodes_;
  info.nanoseconds = StopCondition::now_in_nanoseconds() - start_time;
  result.move = info.pv[0];
  if (info.pv.size() > 1) result.ponder = info.pv[1];
  return true;
}

}  // namespace tengen
