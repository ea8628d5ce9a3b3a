// SPDX-License-Identifier: MIT
// What every search offers and tells: a question, lines found so far, an answer. Relies on
// eval/value.h and watch.h; the engine knows searches through this interface alone.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "eval/value.h"
#include "game/board.h"
#include "search/table.h"
#include "search/watch.h"

namespace tengen {

/// A position of a search and what the evaluator says of it, to learn guesses from.
struct SearchSample {
  std::array<u8, MAX_SIZE * MAX_SIZE> stones{};  ///< row by row: as Stone
  Colour side = BLACK;                           ///< to move
  Value value = 0;                               ///< for that side
};

/// A position and what is wanted of it.
struct SearchRequest {
  Cells cells;
  Colour side = BLACK;
  int moves_left = 0;     ///< the game is drawn after so many more moves; 0: no such limit
  Point last = NO_POINT;  ///< the last move, and the one before it, if known
  Point before_last = NO_POINT;
  int depth = 0;            ///< deepest iteration; 0: no limit
  u64 nodes = 0;            ///< 0: no limit
  u64 nodes_a_check = 128;  ///< as of Limits; 1 where evaluations take milliseconds
  int multipv = 1;          ///< how many lines are wanted
  std::vector<Point> only;  ///< moves to choose from; empty: all legal ones
  /// Where `sample_share` of 1024 positions go that a value is asked of; nullptr: nowhere.
  std::vector<SearchSample>* samples = nullptr;
  int sample_share = 0;
};

/// How a running search is steered from outside. Times are those of Watch::now_in_nanoseconds().
struct SearchControl {
  static constexpr i64 NEVER = std::numeric_limits<i64>::max();

  std::atomic<bool> stop = false;
  std::atomic<i64> deadline = NEVER;  ///< ends at this time, whatever it is doing
  /// A time plan: when the thinking began, and how long it should take (0: up to the deadline).
  std::atomic<i64> began = 0;
  std::atomic<i64> optimum = 0;
};

/// Work done so far, by all threads.
struct SearchWork {
  u64 nodes = 0;         ///< entries into the main search and into VCF quiescence
  u64 vcf_nodes = 0;     ///< those of them that are VCF's
  u64 solver_nodes = 0;  ///< of solvers asked at the root; not among the nodes
  u64 evaluations = 0;
};

/// One line that the search believes in.
struct SearchInfo {
  int depth = 0, selective_depth = 0;
  int multipv = 1;      ///< 1 is the best line
  u32 visits = 0;       ///< playouts that began with the line's move; 0: the search counts none
  Value value = 0;      ///< for the side to move
  bool proven = false;  ///< a mate that a solver has proven
  Bound bound = Bound::EXACT;
  SearchWork work;
  i64 nanoseconds = 0;
  int table_fill = 0;  ///< thousandths
  std::vector<Point> line;
};

/// How far a running search is, between the lines that it tells.
struct SearchProgress {
  SearchWork work;
  int selective_depth = 0;  ///< of the line that is being searched
  i64 nanoseconds = 0;
};

struct SearchAnswer {
  Point move = NO_POINT;    ///< NO_POINT: there is no legal move but a pass
  Point ponder = NO_POINT;  ///< the reply that is expected; NO_POINT: none
  SearchInfo info;          ///< the line of the move
};

class Searcher {
 public:
  using OnInfo = std::function<void(const SearchInfo&)>;

  virtual ~Searcher() = default;

  /// Blocks until the answer is there. `on_info` is called from the calling thread. Requires a
  /// position in which the game is not over.
  virtual SearchAnswer search(const SearchRequest& request, SearchControl& control,
                              const OnInfo& on_info) = 0;
  /// Forgets what was learned from former positions.
  virtual void new_game() = 0;
  /// How far the search is that runs on another thread; nothing before it has begun to count, or if
  /// it tells lines often enough.
  virtual std::optional<SearchProgress> progress() const { return std::nullopt; }
};

}  // namespace tengen
