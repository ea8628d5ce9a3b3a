// SPDX-License-Identifier: MIT
// Nodes, edges (visited moves) and unvisited moves. All are 64-byte blocks of one pool: a node is
// one block, edges come three per block, unvisited moves fifteen per block. No locking here; tree.h
// and worker.h lock.
#pragma once

#include <algorithm>

#include "game/point.h"

namespace tengen::mcts {

/// Number of a block in the pool; 0 is none.
using Index = u32;
inline constexpr Index NO_BLOCK = 0, NO_NODE = NO_BLOCK;

/// Priors are in units of 1 / PRIOR_ONE.
inline constexpr int PRIOR_ONE = 65535;

/// Proven result of a position for the side to move.
///
///     0            none
///     n > 0        won in n plies
///     n < 0        lost in -n - 1 plies: an opponent's five on the board is -1
///     DRAWN
class ProvenResult {
 public:
  constexpr ProvenResult() = default;
  static constexpr ProvenResult win(int plies) { return ProvenResult(static_cast<i16>(plies)); }
  static constexpr ProvenResult loss(int plies) {
    return ProvenResult(static_cast<i16>(-plies - 1));
  }
  static constexpr ProvenResult draw() { return ProvenResult(DRAWN); }

  constexpr bool is_known() const { return raw_ != 0; }
  constexpr bool is_win() const { return raw_ > 0 && raw_ != DRAWN; }
  constexpr bool is_loss() const { return raw_ < 0; }
  constexpr bool is_draw() const { return raw_ == DRAWN; }
  /// Plies to the five of a win or a loss.
  constexpr int plies() const { return raw_ < 0 ? -raw_ - 1 : raw_; }
  /// 1, 0 or -1 for the side to move. Requires is_known().
  constexpr float result() const { return is_win() ? 1.0F : is_loss() ? -1.0F : 0.0F; }

  constexpr bool operator==(const ProvenResult&) const = default;

 private:
  static constexpr i16 DRAWN = 0x7FFF;

  explicit constexpr ProvenResult(i16 raw) : raw_(raw) {}

  i16 raw_ = 0;
};

/// Expansion stage of a node.
enum class Stage : u8 {
  NEW,        ///< a thread evaluates it
  EVALUATED,  ///< evaluated, without moves
  EXPANDING,  ///< a thread generates its moves
  EXPANDED,
};

/// Proven state of a move.
enum class ProvenState : u16 {
  UNPROVEN,
  LOST,  ///< the opponent wins: not searched again, excluded from averages
  DRAWN,
  WON,  ///< the node is won, except for roots that search all moves
};

/// A visited move. Values are from the mover's point of view.
struct Edge {
  Index child;
  u32 visits;
  float q;    ///< mean result as of the last visit by this edge
  u16 prior;  ///< P(s, a) in 1 / PRIOR_ONE
  Point move;
  u16 in_flight;  ///< playouts in progress
  ProvenState proven;
};

struct alignas(64) Node {
  u64 key;
  double value_sum;  ///< own value plus visits * q of all edges that are not lost
  u32 edge_visits;   ///< sum over those edges
  u32 visits;        ///< playouts that reached the node, from any parent
  float square_sum;  ///< sum of squared results of the last counted_visits() visits
  float value;       ///< static evaluation for the side to move
  Index next;        ///< in the hash chain
  Index unvisited;   ///< block of the next unvisited move
  Index edges;       ///< first block
  u16 move_count;    ///< visited and unvisited
  u16 edge_count;
  u16 visited_prior;  ///< sum of the priors of visited moves that are not lost
  u16 next_prior;     ///< of the next unvisited move
  Point next_move;
  u16 in_flight;   ///< of all edges
  u16 generation;  ///< Tree::mark_generation_ when it was added or last marked
  ProvenResult proven_result;
  u8 value_weight;  ///< of its own value: 0 if it has none because its reply is forced
  Stage stage;
  u8 lock;
  u8 is_detached_root;  ///< a root that is not in the hash table

  /// A float cannot accumulate the squares of millions of results. Beyond this count older ones
  /// decay.
  static constexpr u32 MAX_COUNTED = 1U << 18;
  u32 counted_visits() const { return std::min(visits, MAX_COUNTED); }
  void add_visit(double square) {
    if (visits >= MAX_COUNTED) square_sum -= square_sum / MAX_COUNTED;
    square_sum += static_cast<float>(square);
    ++visits;
  }

  /// Mean result for the side to move.
  double mean() const {
    const double count = value_weight + static_cast<double>(edge_visits);
    return count > 0 ? value_sum / count : value;
  }
};

inline constexpr int EDGES_PER_BLOCK = 3;
struct alignas(64) EdgeBlock {
  Edge edges[EDGES_PER_BLOCK];
  Index next;
};

/// A move and its prior.
struct MovePrior {
  Point move;
  u16 prior;
};

inline constexpr int MOVES_PER_BLOCK = 15;
struct alignas(64) MovePriorBlock {
  MovePrior moves[MOVES_PER_BLOCK];
  Index next;
};

static_assert(sizeof(Node) == 64 && sizeof(EdgeBlock) == 64 && sizeof(MovePriorBlock) == 64);

}  // namespace tengen::mcts
