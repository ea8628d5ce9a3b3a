// SPDX-License-Identifier: MIT
// One search thread: iterative deepening with principal variation search. Workers share the
// transposition table and the control; everything else is per worker.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "search/alphabeta/eval_cache.h"
#include "search/alphabeta/history.h"
#include "search/alphabeta/move_picker.h"
#include "search/alphabeta/search_params.h"
#include "search/alphabeta/settings.h"
#include "search/position.h"
#include "search/searcher.h"
#include "search/transposition_table.h"
#include "solver/vcf.h"

namespace tengen {

/// A root move and its results.
struct RootMove {
  Point move = NO_POINT;
  Value value = -INFINITE;     ///< of this iteration; -INFINITE: did not beat the best
  Value previous = -INFINITE;  ///< of the previous iteration
  int selective_depth = 0;
  std::vector<Point> pv;  ///< starts with the move
};

class Worker {
 public:
  /// Called after a root line was searched: its index and the bound of its value.
  using Report = std::function<void(int line, Bound bound)>;

  Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes);

  /// Prepares a search. `number`: index of the thread; 0 is the main thread.
  void prepare(const SearchRequest& request, const std::vector<Point>& moves,
               const AlphaBetaSettings& settings, TranspositionTable& table, SearchControl& control,
               int number);
  /// Iterative deepening until a limit ends it. `report` may be empty.
  void run(const Report& report);
  void new_game();

  const std::vector<RootMove>& root_moves() const { return root_moves_; }
  int completed_depth() const { return completed_depth_; }
  int depth() const { return root_depth_; }
  /// Like selective_depth(), may be read while the worker runs.
  SearchStats stats() const;
  int selective_depth() const { return selective_depth_.load(std::memory_order_relaxed); }

 private:
  enum class NodeType : u8 { ROOT, PV, NON_PV };

  /// Search stack entry of one ply.
  struct Frame {
    int ply = 0;
    Point move = NO_POINT;      ///< the move being searched; NO_POINT for a pass
    Point excluded = NO_POINT;  ///< excluded from this search (singular extension)
    bool passed = false;        ///< the children follow a null move
    Value eval = NO_VALUE;
    /// Net value minus lazy value, for the side to move; of an earlier ply if not known here.
    Value lazy_error = 0;
    std::array<Point, 2> killers = {NO_POINT, NO_POINT};
    int pv_length = 0;
    std::array<Point, MAX_PLY> pv;
  };

  /// State of a node that its steps share.
  struct NodeState {
    ForcedReply forced = ForcedReply::NONE;
    bool improving = false;
    Value eval = NO_VALUE;
    TTEntry entry;
    bool tt_hit = false;
  };

  /// One iteration over all lines. False if it was interrupted.
  bool iterate(const Report& report);
  /// Searches the root moves from pv_index_ on with an aspiration window.
  void search_line(const Report& report);
  bool is_time_to_stop() const;

  template <NodeType N>
  Value search(Frame* frame, Value alpha, Value beta, int depth, bool cut_node);
  Value search_child(Frame* frame, Value alpha, Value beta, int depth, bool cut_node);
  Value quiesce(Frame* frame, Value alpha, Value beta, Value eval);
  Value search_null_move(Frame* frame, Value beta, int depth, const NodeState& node, bool cut_node);
  /// Extension of the TT move in plies. Sets `multicut_value` if other moves beat beta too, so that
  /// the node can be cut off (multi-cut).
  int singular_extension(Frame* frame, Value beta, int depth, bool cut_node, const NodeState& node,
                         Value& multicut_value);
  int reduction(bool pv, int depth, int move_count, bool cut_node, const NodeState& node,
                bool threat, int score_below_best, int history) const;
  Value vcf_value(Frame* frame, int depth, bool pv);
  SolveStatus search_vcf(int depth);
  Value evaluate(bool likely_leaf);
  Value evaluate_lazily(Frame* frame, Value alpha, Value beta, int depth, bool likely_leaf);
  void update_histories(Frame* frame, Point best, int depth, const Point* searched,
                        int searched_count);
  void update_pv(Frame* frame, Point move);
  void update_root(Frame* frame, Point move, Value value, int move_count, Value alpha);
  /// The root move with this index among those of the current line; NO_POINT after the last.
  Point root_move(int index) const;
  bool makes_threat(Point p) const;
  bool can_prune(int depth, int move_count, bool pv, Value alpha, const NodeState& node) const;
  int move_history(const Frame* frame, Point p);
  OrderingHints hints(const Frame* frame, Point tt_move);
  Point last_move(const Frame* frame) const { return (frame - 1)->move; }
  Point own_last_move(const Frame* frame) const { return (frame - 2)->move; }
  void record_sample();
  bool stopped() const { return stop_condition_->stopped(); }
  bool count_node();

  Position position_;
  std::unique_ptr<EvalCache> eval_cache_;  ///< nullptr without a net
  History history_;
  Vcf vcf_;
  std::vector<ScoredMove> move_stack_;
  std::vector<Frame> frames_;
  std::vector<RootMove> root_moves_;
  AlphaBetaSettings settings_;
  SearchParams params_ = SearchParams::for_classical();
  TranspositionTable* tt_ = nullptr;
  SearchControl* control_ = nullptr;
  std::unique_ptr<StopCondition> stop_condition_;
  std::vector<SearchSample>* samples_ = nullptr;  ///< nullptr: no sampling
  int samples_per_1024_ = 0;
  int number_ = 0;
  int multipv_ = 1;
  int pv_index_ = 0;  ///< current line of MultiPV
  int max_depth_ = MAX_PLY;
  int root_depth_ = 0, completed_depth_ = 0;
  int unchanged_ = 0;  ///< consecutive iterations with the same best move
  // Written by this thread, read by others.
  std::atomic<u64> nodes_ = 0, vcf_nodes_ = 0, evaluations_ = 0;
  std::atomic<int> selective_depth_ = 0;
};

}  // namespace tengen
