// SPDX-License-Identifier: MIT
// What a tree is made of: nodes, the moves that were tried there (edges), and those that were not.
// Everything is a block of 64 bytes, a cache line, so that memory is one pool without gaps: nodes
// are a block each, edges come in blocks of three, untried moves in blocks of fifteen. Nothing here
// locks; tree.h and worker.h do. Relies on base and game/point.h.
#pragma once

#include <algorithm>

#include "game/point.h"

namespace tengen::mcts {

/// A block of the pool by its number; 0 is none.
using Index = u32;
inline constexpr Index NO_BLOCK = 0;

/// Probabilities of the policy are counted in steps of 1 / PRIOR_ONE.
inline constexpr int PRIOR_ONE = 65535;

/// What is known for certain of a position, for the side to move.
///
///     0            nothing
///     n > 0        won in n plies
///     n < 0        lost in -n - 1 plies: an opponent's five that stands is -1
///     DRAWN
class Proof {
 public:
  constexpr Proof() = default;
  static constexpr Proof win(int plies) { return Proof(static_cast<i16>(plies)); }
  static constexpr Proof loss(int plies) { return Proof(static_cast<i16>(-plies - 1)); }
  static constexpr Proof draw() { return Proof(DRAWN); }

  constexpr bool is_known() const { return raw_ != 0; }
  constexpr bool is_win() const { return raw_ > 0 && raw_ != DRAWN; }
  constexpr bool is_loss() const { return raw_ < 0; }
  constexpr bool is_draw() const { return raw_ == DRAWN; }
  /// Up to the five, of a win or a loss.
  constexpr int plies() const { return raw_ < 0 ? -raw_ - 1 : raw_; }
  /// Result of a known one, for the side to move: 1, 0 or -1.
  constexpr float result() const { return is_win() ? 1.0F : is_loss() ? -1.0F : 0.0F; }

  constexpr bool operator==(const Proof&) const = default;

 private:
  static constexpr i16 DRAWN = 0x7FFF;

  explicit constexpr Proof(i16 raw) : raw_(raw) {}

  i16 raw_ = 0;
};

/// How far a node has come.
enum class Stage : u8 {
  NEW,        ///< somebody works on its value
  VALUED,     ///< has a value, but no moves
  EXPANDING,  ///< has a value, and somebody works on its moves
  EXPANDED,
};

/// What became of a move.
enum class Fate : u16 {
  OPEN,
  LOST,  ///< the opponent wins by force: never tried again, and no part of the averages
  DRAWN,
  WON,  ///< so is the node, but for roots that look at all moves
};

/// A move that was tried. Values are those of the side that plays it.
struct Edge {
  Index child;
  u32 visits;
  float q;    ///< average result, as of the last visit by this edge
  u16 prior;  ///< P(s, a) in 1 / PRIOR_ONE
  Point move;
  u16 in_flight;  ///< playouts under way
  Fate fate;
};

struct alignas(64) Node {
  u64 key;
  double sum;      ///< own value, and visits times q of all edges that are not lost
  u32 visits;      ///< of those edges together
  u32 playouts;    ///< that came here by any edge
  float squares;   ///< of the results of the last counted() of them
  float value;     ///< own evaluation, for the side to move
  Index next;      ///< in the chain of the table
  Index untried;   ///< block of the next move that was not tried
  Index edges;     ///< first block
  u16 move_count;  ///< tried or not
  u16 tried;       ///< edges
  u16 explored;    ///< sum of the priors of edges that are not lost
  u16 next_prior;  ///< of the next move that was not tried
  Point next_move;
  u16 in_flight;  ///< of all edges
  u16 epoch;      ///< of the last collection that reached it
  Proof proof;
  u8 weight;  ///< of its own value: 0 where there is none, since its reply is forced
  Stage stage;
  u8 lock;
  u8 is_private;  ///< a root outside of the table

  /// A float has no room for the squares of millions of results: adding one more would change
  /// nothing. From so many on the older ones fade.
  static constexpr u32 MOST_COUNTED = 1U << 18;
  u32 counted() const { return std::min(playouts, MOST_COUNTED); }
  void count(double square) {
    if (playouts >= MOST_COUNTED) squares -= squares / MOST_COUNTED;
    squares += static_cast<float>(square);
    ++playouts;
  }

  /// Average result for the side to move.
  double mean() const {
    const double count = weight + static_cast<double>(visits);
    return count > 0 ? sum / count : value;
  }
};

inline constexpr int EDGES_A_BLOCK = 3;
struct alignas(64) EdgeBlock {
  Edge edges[EDGES_A_BLOCK];
  Index next;
};

/// A move and its probability.
struct Choice {
  Point move;
  u16 prior;
};

inline constexpr int CHOICES_A_BLOCK = 15;
struct alignas(64) ChoiceBlock {
  Choice choices[CHOICES_A_BLOCK];
  Index next;
};

static_assert(sizeof(Node) == 64 && sizeof(EdgeBlock) == 64 && sizeof(ChoiceBlock) == 64);

}  // namespace tengen::mcts
