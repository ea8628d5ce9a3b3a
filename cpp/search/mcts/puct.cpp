// SPDX-License-Identifier: MIT
// Compiled without fused multiply-add, and logarithms are rounded to fewer bits than libraries
// differ in: a search is the same on every machine.
#include "search/mcts/puct.h"

#include <algorithm>
#include <cmath>

#include "base/tunable.h"

namespace tengen::mcts {

namespace {

TUNABLE(MCTS_STDEV_PRIOR, 40, 5, 100, 5,
        "per cent: prior of the standard deviation of results below a node");
TUNABLE(MCTS_STDEV_PRIOR_WEIGHT, 2, 1, 20, 1, "weight of that prior in playouts");

}  // namespace

double Puct::exploration(u64 visits) const {
  const auto count = static_cast<double>(visits);
  const double growth = static_cast<float>(std::log(1 + count / settings_.c_base));
  const double factor = settings_.c + settings_.c_log * growth;
  if (settings_.tau == 0.5) return factor * std::sqrt(count);
  if (visits == 0) return 0;
  return factor * static_cast<double>(static_cast<float>(std::pow(count, settings_.tau)));
}

double Puct::utility_stdev_factor(const Node& node) const {
  if (settings_.utility_stdev_scale == 0) return 1;
  const double prior = MCTS_STDEV_PRIOR / 100.0, weight = MCTS_STDEV_PRIOR_WEIGHT;
  const double square = node.mean() * node.mean();
  const double squares = node.square_sum + weight * (prior * prior + square);
  const double variance = std::max(squares / (node.counted_visits() + weight) - square, 0.0);
  return std::max(1 + settings_.utility_stdev_scale * (std::sqrt(variance) / prior - 1), 0.0);
}

double Puct::first_play(const Node& node) const {
  return node.mean() -
         settings_.fpu * std::sqrt(static_cast<double>(node.visited_prior) / PRIOR_ONE);
}

Edge* Puct::pick(Tree& tree, const Node& node) const {
  const double explore =
      exploration(u64{node.edge_visits} + node.in_flight) * utility_stdev_factor(node) / PRIOR_ONE;
  const double unvisited = first_play(node);
  double best = -1e9;
  Edge* best_edge = nullptr;
  tree.for_each_edge(node, [&](Edge& edge) {
    if (edge.proven == ProvenState::LOST || edge.proven == ProvenState::WON) return;
    const double count = static_cast<double>(edge.visits) + edge.in_flight;
    double q = edge.visits == 0 ? unvisited : edge.q;
    // Virtual loss: playouts in progress count as lost.
    if (edge.in_flight > 0)
      q = (static_cast<double>(edge.q) * edge.visits - edge.in_flight) / count;
    const double score = q + explore * edge.prior / (1 + count);
    if (score <= best) return;
    best = score;
    best_edge = &edge;
  });
  if (node.edge_count < node.move_count && unvisited + explore * node.next_prior > best)
    return nullptr;
  return best_edge;
}

}  // namespace tengen::mcts
