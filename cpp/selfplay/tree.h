// SPDX-License-Identifier: MIT
// The small tree of one game: some hundreds of playouts, one thread, thrown away after each move.
// Moves of a node are sorted by prior, and those not tried are all thought to be worth the same, so
// that the tried ones are always the first ones and a choice looks at no others. Thousands of such
// trees are kept at once; the engine's own (search/mcts) has locks, a table and a pool for millions
// of nodes. Relies on settings.h and looker.h.
#pragma once

#include <span>
#include <vector>

#include "selfplay/looker.h"
#include "selfplay/settings.h"

namespace tengen::selfplay {

inline constexpr u32 NO_NODE = 0xFFFFFFFF;
inline constexpr u32 ROOT = 0;

/// Result of a position for the side to move: win - loss, and the chance of a draw.
struct Result {
  float score = 0;
  float draw = 0;

  Result for_opponent() const { return {-score, draw}; }
};

/// A move. Values are those of the side that plays it.
struct Edge {
  float prior;  ///< probability
  float score;  ///< sum over the visits
  float draws;  ///< the same
  u32 child = NO_NODE;
  u16 visits = 0;
  Point move = NO_POINT;
  Known known = Known::NOTHING;

  /// Average; what is certain, if something is. Requires a visit or something certain.
  float mean() const {
    return known == Known::NOTHING ? score / static_cast<float>(visits) : result_of(known);
  }
};

struct Node {
  u32 first_edge = 0;
  u16 edge_count = 0;
  u16 tried = 0;       ///< edges that have been visited are the first ones, but for a Gumbel root
  u16 visits = 0;      ///< of its edges
  u16 lost = 0;        ///< edges that lose
  float value = 0;     ///< the net's, for the side to move
  float draw = 0;      ///< the net's chance of it
  u32 twin = NO_NODE;  ///< the same position in the tree of the move before
  Known known = Known::NOTHING;
  Known looked = Known::NOTHING;  ///< what was known before any playout went on from here
  bool has_value = false;         ///< not where a reply is forced: nobody was asked
  bool is_whole = false;          ///< no move of the position was left out
};

/// A move to put into a node.
struct Choice {
  Point move;
  float prior;
};

struct Step {
  u32 node, edge;
};

class Tree {
 public:
  /// So many moves of a node are kept, the likeliest ones; of nodes that may be a root, all.
  static constexpr size_t MOST_MOVES = 32;

  explicit Tree(const Settings& settings);

  /// An empty tree; the first add_node() is the root.
  void clear() {
    nodes_.clear();
    edges_.clear();
  }
  u32 add_node() {
    nodes_.emplace_back();
    return static_cast<u32>(nodes_.size() - 1);
  }
  /// Gives a node its moves, which are sorted here; the root keeps their order. Priors add up to 1.
  /// `keeps_all`: even if there are very many.
  void set_moves(u32 node, std::span<Choice> choices, bool keeps_all);
  /// Gives a new node what a node of another tree, of the same position, was told by threats and by
  /// the net.
  void copy(u32 node, const Tree& other, u32 from);
  /// The node that a move leads to; NO_NODE if there is none, or no node to begin with.
  u32 child_by(u32 node, Point move) const;

  Node& node(u32 i) { return nodes_[i]; }
  const Node& node(u32 i) const { return nodes_[i]; }
  Edge& edge(u32 i) { return edges_[i]; }
  std::span<Edge> edges(const Node& node) {
    return {edges_.data() + node.first_edge, node.edge_count};
  }
  std::span<const Edge> edges(const Node& node) const {
    return {edges_.data() + node.first_edge, node.edge_count};
  }

  /// The edge to go down by. Requires a node with moves, of which not all lose.
  u32 pick(u32 node);
  /// Takes a result back up the steps, and what is certain with it: `known` of the last position,
  /// for the side to move there.
  void back_up(std::span<const Step> steps, Result result, Known known);

  /// Average of the tried moves weighed by priors, with the net's value: what a move that was not
  /// tried is thought to be worth. `tried` may hold others, too.
  static float mixed_value(const Node& node, std::span<const Edge> tried);
  /// Logits that a move's value is worth, where the most visited one has so many visits.
  float logits(float score, int most_visits) const {
    return (visits_base_ + static_cast<float>(most_visits)) * scale_ * (score + 1) / 2;
  }
  static int most_visits(std::span<const Edge> edges);

 private:
  u32 pick_improved(const Node& node);
  u32 pick_puct(const Node& node);
  void settle(Node& node, Edge& edge, Known child);

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<float> weights_;  ///< of a choice that is being made
  bool gumbel_;
  float visits_base_, scale_, c_, fpu_;
};

}  // namespace tengen::selfplay
