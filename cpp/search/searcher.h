// SPDX-License-Identifier: MIT
// The interface of all searches: request, control, reported lines, result.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "base/stop_condition.h"
#include "eval/value.h"
#include "game/board.h"
#include "search/transposition_table.h"

namespace tengen {

/// A position of a search with its evaluation: training data of the lazy tables.
struct SearchSample {
  std::array<u8, MAX_SIZE * MAX_SIZE> stones{};  ///< row by row, as Stone
  Colour side = BLACK;                           ///< to move
  Value value = 0;                               ///< for that side
};

/// A position and the limits of its search.
struct SearchRequest {
  Cells cells;
  Colour side = BLACK;
  int moves_left = 0;     ///< the game is drawn after that many more moves; 0: no limit
  Point last = NO_POINT;  ///< the last move, and the one before it, if known
  Point before_last = NO_POINT;
  int depth = 0;                    ///< deepest iteration; 0: no limit
  u64 nodes = 0;                    ///< 0: no limit
  u64 nodes_per_check = 128;        ///< see Limits; 1 for evaluators that take milliseconds
  int multipv = 1;                  ///< number of lines to search
  std::vector<Point> search_moves;  ///< root moves to search; empty: all legal moves
  /// Receives `samples_per_1024` of every 1024 evaluated positions; nullptr: none.
  std::vector<SearchSample>* samples = nullptr;
  int samples_per_1024 = 0;
};

/// Control of a running search. Times are those of StopCondition::now_in_nanoseconds().
struct SearchControl {
  static constexpr i64 NEVER = std::numeric_limits<i64>::max();

  std::atomic<bool> stop = false;
  std::atomic<i64> deadline = NEVER;  ///< hard limit
  /// Time plan: start of thinking and planned duration (0: up to the deadline).
  std::atomic<i64> start_time = 0;
  std::atomic<i64> optimum = 0;
  /// Set by the search: the root has a single move, so a clock that starts later may end at once.
  std::atomic<bool> single_move = false;
  /// See StopCondition; for hosts without threads. Set while no search runs; may be empty.
  StopCondition::Hook hook;
};

/// Statistics of all threads so far.
struct SearchStats {
  u64 nodes = 0;         ///< nodes of the main search and of VCF quiescence
  u64 vcf_nodes = 0;     ///< VCF part of `nodes`
  u64 solver_nodes = 0;  ///< nodes of solvers called at the root; not part of `nodes`
  u64 evaluations = 0;
};

/// One principal variation.
struct SearchInfo {
  int depth = 0, selective_depth = 0;
  int multipv = 1;      ///< rank of the line; 1 is the best
  u32 visits = 0;       ///< playouts that started with the first move; 0: not counted
  Value value = 0;      ///< for the side to move
  bool proven = false;  ///< a mate proven by a solver
  Bound bound = Bound::EXACT;
  SearchStats stats;
  i64 nanoseconds = 0;
  int hashfull = 0;  ///< per mille
  std::vector<Point> pv;
};

/// Progress of a running search between two reported lines.
struct SearchProgress {
  SearchStats stats;
  int selective_depth = 0;  ///< of the current line
  i64 nanoseconds = 0;
};

struct SearchResult {
  Point move = NO_POINT;    ///< NO_POINT: pass, there is no legal move
  Point ponder = NO_POINT;  ///< expected reply; NO_POINT: none
  SearchInfo info;          ///< the line of the move
};

class Searcher {
 public:
  using OnInfo = std::function<void(const SearchInfo&)>;

  virtual ~Searcher() = default;

  /// Blocks until the search ends. `on_info` is called from the calling thread. Requires that the
  /// game is not over.
  virtual SearchResult search(const SearchRequest& request, SearchControl& control,
                              const OnInfo& on_info) = 0;
  /// Clears tables and statistics of earlier positions.
  virtual void new_game() = 0;
  /// Progress of a search running on another thread; nullopt before it starts, or if the search
  /// reports lines often enough.
  virtual std::optional<SearchProgress> progress() const { return std::nullopt; }
};

}  // namespace tengen
