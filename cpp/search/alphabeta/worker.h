// SPDX-License-Identifier: MIT
// One searching thread: iterative deepening over a principal variation search. Workers share the
// transposition table and the control; everything else is their own. Relies on position.h, table.h
// and threat/vcf.h; alphabeta.h runs one or several of them.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "search/alphabeta/history.h"
#include "search/alphabeta/margins.h"
#include "search/alphabeta/move_picker.h"
#include "search/alphabeta/net_answers.h"
#include "search/alphabeta/settings.h"
#include "search/position.h"
#include "search/searcher.h"
#include "search/table.h"
#include "search/threat/vcf.h"

namespace tengen {

/// A move at the root, and what is known of it.
struct RootMove {
  Point move = NO_POINT;
  Value value = -INFINITE;     ///< of this iteration; -INFINITE: not better than the best so far
  Value previous = -INFINITE;  ///< of the iteration before
  int selective_depth = 0;
  std::vector<Point> line;  ///< begins with the move
};

class Worker {
 public:
  /// A line of the root moves was searched: its number from 0 on, and what its value is.
  using Report = std::function<void(int line, Bound bound)>;

  Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes);

  /// A search to come: its position and moves. `number` tells threads apart; 0 is the main one.
  void prepare(const SearchRequest& request, const std::vector<Point>& moves,
               const AlphaBetaSettings& settings, Table& table, SearchControl& control, int number);
  /// Searches until told to stop, deeper and deeper. `report` may be empty.
  void run(const Report& report);
  void new_game();

  const std::vector<RootMove>& root_moves() const { return root_moves_; }
  int completed_depth() const { return completed_depth_; }
  int depth() const { return root_depth_; }
  /// May be read while the worker runs, as the next one.
  SearchWork work() const;
  int selective_depth() const { return selective_depth_.load(std::memory_order_relaxed); }

 private:
  enum class Node : u8 { ROOT, PV, ZERO_WINDOW };

  /// What a node keeps for itself and for its children.
  struct Frame {
    int ply = 0;
    Point move = NO_POINT;      ///< the move being searched; NO_POINT also for a pass
    Point excluded = NO_POINT;  ///< left out while the others are tested against it
    bool passed = false;        ///< the children are those of a null move
    Value eval = NO_VALUE;
    Value mended = 0;  ///< what the evaluation added to the guess, here or before, for who moves
    std::array<Point, 2> killers = {NO_POINT, NO_POINT};
    int line_length = 0;
    std::array<Point, MAX_PLY> line;
  };

  /// Facts about a node that its steps share.
  struct Facts {
    Duty duty = Duty::NONE;
    bool improving = false;
    Value eval = NO_VALUE;
    TableEntry entry;
    bool in_table = false;
  };

  /// One depth, all lines. False if it was not finished.
  bool iterate(const Report& report);
  /// The best of the root moves from line_ on, within a window around its former value.
  void search_line(const Report& report);
  bool is_time_to_stop() const;

  template <Node N>
  Value search(Frame* frame, Value alpha, Value beta, int depth, bool cut_node);
  Value search_child(Frame* frame, Value alpha, Value beta, int depth, bool cut_node);
  Value quiesce(Frame* frame, Value alpha, Value beta, Value eval);
  Value search_pass(Frame* frame, Value beta, int depth, const Facts& facts, bool cut_node);
  /// Plies by which the table's move is extended; sets `cut` where many moves beat beta.
  int singular_extension(Frame* frame, Value beta, int depth, bool cut_node, const Facts& facts,
                         Value& cut);
  int reduction(bool pv, int depth, int number, bool cut_node, const Facts& facts, bool threat,
                int behind_best, int history) const;
  Value win_by_fours(Frame* frame, int depth, bool pv);
  Finding search_fours(int depth);
  Value evaluate(bool leaf);
  Value evaluate_for(Frame* frame, Value alpha, Value beta, int depth, bool leaf);
  void learn(Frame* frame, Point best, int depth, const Point* tried, int tried_count);
  void update_line(Frame* frame, Point move);
  void update_root(Frame* frame, Point move, Value value, int number, Value alpha);
  /// The root's move after `number` others of this line; NO_POINT after the last one.
  Point root_move(int number) const;
  bool makes_threat(Point p) const;
  bool is_dispensable(int depth, int number, bool pv, Value alpha, const Facts& facts) const;
  int move_history(const Frame* frame, Point p);
  OrderingHints hints(const Frame* frame, Point table_move);
  Point last_move(const Frame* frame) const { return (frame - 1)->move; }
  Point own_last_move(const Frame* frame) const { return (frame - 2)->move; }
  void sample();
  bool stopped() const { return watch_->stopped(); }
  bool count_node();

  Position position_;
  std::unique_ptr<NetAnswers> net_answers_;  ///< none without a net
  History history_;
  Vcf vcf_;
  std::vector<ScoredMove> move_room_;
  std::vector<Frame> frames_;
  std::vector<RootMove> root_moves_;
  AlphaBetaSettings settings_;
  Margins margins_ = Margins::of_tables();
  Table* table_ = nullptr;
  SearchControl* control_ = nullptr;
  std::unique_ptr<Watch> watch_;
  std::vector<SearchSample>* samples_ = nullptr;  ///< nullptr: none are wanted
  int sample_share_ = 0;
  int number_ = 0;
  int multipv_ = 1, line_ = 0;
  int max_depth_ = MAX_PLY;
  int root_depth_ = 0, completed_depth_ = 0;
  int unchanged_ = 0;  ///< iterations in which the best move has been the same
  // Written by this thread alone, read by others for their reports.
  std::atomic<u64> nodes_ = 0, vcf_nodes_ = 0, evaluations_ = 0;
  std::atomic<int> selective_depth_ = 0;
};

}  // namespace tengen
