// SPDX-License-Identifier: MIT
// The search tree of one game: a few hundred playouts, one thread, discarded after each move. Moves
// are sorted by prior and unvisited moves share one value, so visited moves are always a prefix.
// Thousands of trees coexist; the engine's tree (search/mcts) has locks, a hash table and a pool
// for millions of nodes.
#pragma once

#include <span>
#include <vector>

#include "selfplay/leaf_inspector.h"
#include "selfplay/settings.h"

namespace tengen::selfplay {

inline constexpr u32 NO_NODE = 0xFFFFFFFF;
inline constexpr u32 ROOT = 0;

/// Result for the side to move: win - loss, and the probability of a draw.
struct Result {
  float score = 0;
  float draw = 0;

  Result for_opponent() const { return {-score, draw}; }
};

/// A move. Values are from the mover's point of view.
struct Edge {
  float prior;  ///< probability
  float score;  ///< sum over the visits
  float draws;  ///< sum over the visits
  u32 child = NO_NODE;
  u16 visits = 0;
  Point move = NO_POINT;
  ProvenState proven = ProvenState::UNPROVEN;

  /// Mean, or the proven result. Requires a visit or a proof.
  float mean() const {
    return proven == ProvenState::UNPROVEN ? score / static_cast<float>(visits) : result_of(proven);
  }
};

struct Node {
  u32 first_edge = 0;
  u16 edge_count = 0;
  u16 visited = 0;              ///< visited edges are a prefix, except at a Gumbel root
  u16 visits = 0;               ///< of its edges
  u16 lost = 0;                 ///< edges that lose
  float value = 0;              ///< net value for the side to move
  float draw = 0;               ///< net probability of a draw
  u32 previous_node = NO_NODE;  ///< the same position in the previous tree
  ProvenState proven = ProvenState::UNPROVEN;
  ProvenState proven_on_entry =
      ProvenState::UNPROVEN;   ///< proven before any playout continued from here
  bool has_value = false;      ///< false for forced replies, which are not evaluated
  bool has_all_moves = false;  ///< no move was dropped
};

/// A move and its prior.
struct MovePrior {
  Point move;
  float prior;
};

struct Step {
  u32 node, edge;
};

class Tree {
 public:
  /// Moves kept per node, the most likely ones; nodes that may become a root keep all.
  static constexpr size_t MAX_MOVES = 32;

  explicit Tree(const Settings& settings);

  /// Clears the tree; the first add_node() is the root.
  void clear() {
    nodes_.clear();
    edges_.clear();
  }
  u32 add_node() {
    nodes_.emplace_back();
    return static_cast<u32>(nodes_.size() - 1);
  }
  /// Sets the moves of a node and sorts them; the root keeps their order. Priors sum to 1.
  /// `keep_all`: no limit on their number.
  void set_moves(u32 node, std::span<MovePrior> moves, bool keep_all);
  /// Copies proof, value and moves from a node of the same position in another tree.
  void copy(u32 node, const Tree& other, u32 from);
  /// The child by a move; NO_NODE if there is none or `node` is NO_NODE.
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

  /// The edge to descend by. Requires a node whose moves do not all lose.
  u32 pick(u32 node);
  /// Backs up a result and `proven`, the proven state of the last position for its side to move.
  void back_up(std::span<const Step> steps, Result result, ProvenState proven);

  /// Prior-weighted mean of the visited moves, mixed with the net value: the value of unvisited
  /// moves. `visited` may contain unvisited edges.
  static float mixed_value(const Node& node, std::span<const Edge> visited);
  /// Logits of a value, given the largest visit count.
  float logits(float score, int max_visits) const {
    return (visits_base_ + static_cast<float>(max_visits)) * scale_ * (score + 1) / 2;
  }
  static int max_visits(std::span<const Edge> edges);

 private:
  u32 pick_improved(const Node& node);
  u32 pick_puct(const Node& node);
  void propagate_proof(Node& node, Edge& edge, ProvenState child);

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<float> weights_;  ///< scratch space of pick()
  bool gumbel_;
  float visits_base_, scale_, c_, fpu_;
};

}  // namespace tengen::selfplay
