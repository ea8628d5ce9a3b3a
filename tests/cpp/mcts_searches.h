// SPDX-License-Identifier: MIT
// Tree search helpers: invariants of every tree, visits by position, nearly full boards.
#pragma once

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "search/mcts/mcts.h"
#include "searches.h"

namespace tengen {

/// Nodes that the root leads to, each once, the root first.
inline std::vector<mcts::Index> reached(Mcts& search) {
  std::vector<mcts::Index> found;
  if (search.root() == mcts::NO_NODE) return found;
  std::set<mcts::Index> seen = {search.root()};
  found.push_back(search.root());
  for (size_t i = 0; i < found.size(); ++i)
    search.tree().for_each_edge(search.tree().node(found[i]), [&](const mcts::Edge& edge) {
      if (edge.child != mcts::NO_NODE && seen.insert(edge.child).second)
        found.push_back(edge.child);
    });
  return found;
}

/// By the position's key and the move: how often it was visited.
using Visits = std::map<std::pair<u64, Point>, u32>;

inline Visits visits_of(Mcts& search) {
  Visits visits;
  for (const mcts::Index index : reached(search)) {
    const mcts::Node& node = search.tree().node(index);
    search.tree().for_each_edge(node, [&](const mcts::Edge& edge) {
      if (edge.visits > 0) visits[{node.key, edge.move}] = edge.visits;
    });
  }
  return visits;
}

/// The sums of every node are those of its edges, no playout is in flight, and what is proven
/// follows from what is below.
inline void check_tree(Mcts& search) {
  using namespace mcts;
  for (const Index index : reached(search)) {
    const Node& node = search.tree().node(index);
    CHECK_EQ(node.in_flight, u16{0});
    CHECK_EQ(node.lock, u8{0});
    CHECK(node.stage == Stage::EVALUATED || node.stage == Stage::EXPANDED);
    u64 visits = 0;
    double sum = node.value_weight * static_cast<double>(node.value);
    bool won = false, all_lost = node.edge_count == node.move_count && node.edge_count > 0;
    search.tree().for_each_edge(node, [&](const Edge& edge) {
      CHECK_EQ(edge.in_flight, u16{0});
      visits += edge.visits;
      sum += static_cast<double>(edge.q) * edge.visits;
      const bool has_child = edge.child != mcts::NO_NODE;
      won |= edge.proven == ProvenState::WON ||
             (has_child && search.tree().node(edge.child).proven_result.is_loss());
      all_lost &= edge.proven == ProvenState::LOST;
      if (edge.proven == ProvenState::LOST)
        CHECK(search.tree().node(edge.child).proven_result.is_win());
    });
    CHECK_EQ(u64{node.edge_visits}, visits);
    CHECK(std::abs(node.value_sum - sum) < 1e-6 * (1 + static_cast<double>(visits)));
    if (all_lost) CHECK(node.proven_result.is_loss());
    if (node.proven_result.is_loss() && node.edge_count > 0) CHECK(all_lost);
    if (node.proven_result.is_win() && node.edge_count > 0) CHECK(won);
  }
}

inline std::vector<Point> legal_moves(const GamePosition& position) {
  PatternBoard patterns(position.size, position.rule);
  patterns.assign(position.cells);
  std::vector<Point> moves;
  for (const Point p : board_points(position.size))
    if (patterns.is_empty(p) && patterns.is_legal(position.side, p)) moves.push_back(p);
  return moves;
}

/// A position without a five in which so many points are empty.
inline GamePosition nearly_full(Rng& rng, int size, Rule rule, int empty) {
  for (;;) {
    GamePosition made = position_of(size, rule, {});
    PatternBoard patterns(size, rule);
    std::vector<Point> points;
    for (const Point p : board_points(size)) points.push_back(p);
    for (size_t i = points.size(); i > 1; --i)
      std::swap(points[i - 1], points[rng.below(static_cast<u32>(i))]);
    while (static_cast<int>(points.size()) > empty) {
      // Of some points the first where neither side makes a five.
      const auto place = std::find_if(points.rbegin(), points.rend(), [&](Point p) {
        return patterns.threat(made.side, p) != Threat::FIVE && patterns.is_legal(made.side, p);
      });
      if (place == points.rend()) break;
      const Point p = *place;
      points.erase(std::next(place).base());
      patterns.play(p, made.side);
      made.cells[p] = made.side;
      made.side = opponent(made.side);
    }
    if (static_cast<int>(points.size()) == empty) return made;
  }
}

}  // namespace tengen
