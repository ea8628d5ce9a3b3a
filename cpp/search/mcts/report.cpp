// SPDX-License-Identifier: MIT
#include "search/mcts/report.h"

#include <algorithm>
#include <cmath>

#include "base/tunable.h"
#include "search/mcts/prior.h"

namespace tengen::mcts {

namespace {

TUNABLE(MCTS_MIN_VISITS, 10, 0, 100, 5,
        "per cent of the largest visit count that the lower bound of a move needs");

/// Offset of proven moves from all others.
constexpr double PROVEN_OFFSET = 1e12;

NodeStats stats_of(Tree& tree, Index index) {
  Node& node = tree.node(index);
  const SpinGuard guard(node.lock);
  // One virtual playout with a random result: a few equal results do not count as certain.
  return {node.proven_result, node.visits, (node.square_sum + 1.0) / (node.counted_visits() + 1.0)};
}

std::vector<Edge> edges_of(Tree& tree, Index index) {
  Node& node = tree.node(index);
  const SpinGuard guard(node.lock);
  std::vector<Edge> edges;
  tree.for_each_edge(node, [&](const Edge& edge) { edges.push_back(edge); });
  return edges;
}

/// Proven result of the position after a move.
ProvenResult proof_after(Tree& tree, const Edge& edge) {
  if (edge.child == NO_NODE)
    return edge.proven == ProvenState::WON ? ProvenResult::loss(0) : ProvenResult();
  return stats_of(tree, edge.child).proven_result;
}

RankedMove ranked(Tree& tree, const Edge& edge) {
  RankedMove move{edge.move, edge.visits, eval_from_result(edge.q), 0, edge.child};
  const ProvenResult after = proof_after(tree, edge);
  if (after.is_loss()) {
    move.value = mate_in(after.plies() + 1);
    move.rank_score = PROVEN_OFFSET - after.plies();
  } else if (after.is_win()) {
    move.value = mated_in(after.plies() + 1);
    move.rank_score = -PROVEN_OFFSET + after.plies();
  } else if (after.is_draw()) {
    move.value = DRAW;
  }
  return move;
}

}  // namespace

double lower_bound(const Edge& edge, const NodeStats& child, double errors) {
  const double variance = std::max(child.square - static_cast<double>(edge.q) * edge.q, 0.0);
  return edge.q - errors * std::sqrt(variance / (child.visits + 1.0));
}

std::vector<RankedMove> ranked_moves(Tree& tree, Index root, const MctsSettings& settings,
                                     const GumbelRoot* gumbel) {
  const std::vector<Edge> edges = edges_of(tree, root);
  u32 max_visits = 0;
  for (const Edge& edge : edges) max_visits = std::max(max_visits, edge.visits);
  std::vector<RankedMove> moves;
  for (const Edge& edge : edges) {
    RankedMove move = ranked(tree, edge);
    const bool is_proven = is_mate(move.value);
    const bool few = u64{edge.visits} * 100 < u64{max_visits} * static_cast<u64>(MCTS_MIN_VISITS);
    if (!is_proven && gumbel)
      move.rank_score =
          gumbel->score(edge, max_visits) - (gumbel->is_kept(edge.move) ? 0 : PROVEN_OFFSET / 2);
    else if (!is_proven && (settings.lcb == 0 || few || edge.child == NO_NODE))
      move.rank_score = -PROVEN_OFFSET / 2 + edge.visits / 1e4;  // after all moves with a bound
    else if (!is_proven)
      move.rank_score = lower_bound(edge, stats_of(tree, edge.child), settings.lcb);
    moves.push_back(move);
  }
  std::stable_sort(moves.begin(), moves.end(), [](const RankedMove& a, const RankedMove& b) {
    return a.rank_score != b.rank_score ? a.rank_score > b.rank_score : a.visits > b.visits;
  });
  return moves;
}

Line line_of(Tree& tree, const RankedMove& first) {
  Line line{{first.move}};
  for (Index at = first.child; at != NO_NODE;) {
    line.is_drawn = stats_of(tree, at).proven_result.is_draw();
    const std::vector<Edge> edges = edges_of(tree, at);
    const Edge* best = nullptr;
    double best_score = 0;
    for (const Edge& edge : edges) {
      const RankedMove move = ranked(tree, edge);
      const double rank_score =
          is_mate(move.value) ? move.rank_score : static_cast<double>(edge.visits);
      if ((edge.visits == 0 && !is_mate(move.value)) || (best && rank_score <= best_score))
        continue;
      best = &edge;
      best_score = rank_score;
    }
    if (best == nullptr) break;
    line.moves.push_back(best->move);
    at = best->child;
  }
  return line;
}

}  // namespace tengen::mcts
