// SPDX-License-Identifier: MIT
// Playouts of one thread: descent to a leaf, evaluation, backup. Workers share the tree; position,
// evaluator and solver are per worker. Threats are resolved before any evaluation: fives, forced
// replies, open fours, VCF.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "search/mcts/gumbel.h"
#include "search/mcts/policy_cache.h"
#include "search/mcts/prior.h"
#include "search/mcts/puct.h"
#include "search/mcts/tree.h"
#include "search/movegen.h"
#include "search/position.h"
#include "search/searcher.h"
#include "solver/vcf.h"

namespace tengen::mcts {

/// State shared by the workers of a search.
struct SharedSearch {
  Tree* tree = nullptr;
  Index root = NO_NODE;
  bool search_all_moves = false;  ///< a proven win does not end the search of the other root moves
  GumbelRoot* gumbel = nullptr;   ///< selects at the root if not nullptr
  Point last = NO_POINT;          ///< the opponent's last move, if known
};

/// Outcome of run_playouts().
struct PlayoutResult {
  int done = 0;             ///< completed playouts
  bool tree_full = false;   ///< memory is full
  bool all_proven = false;  ///< all root moves are proven
};

class Worker {
 public:
  /// `vcf_bytes`: table of the solver; `policy_bytes`: cache of policies.
  Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes,
         size_t policy_bytes);

  void new_game() {
    vcf_.reset();
    policy_cache_.clear();
  }
  /// Prepares a search.
  void prepare(const SearchRequest& request, const MctsSettings& settings, SearchControl& control);
  void set_shared(const SharedSearch& request) { shared_ = request; }

  /// One playout, or a batch of at most `max_playouts`. Does nothing if another thread is
  /// working on the leaf. Throws what the evaluator throws.
  PlayoutResult run_playouts(int max_playouts);

  /// The position of the search. Valid until the first playout after prepare().
  Position& position() { return position_; }
  /// Priors of the moves of the search position. Requires no playout since prepare().
  void compute_priors(std::vector<ScoredMove>& moves, std::vector<MovePrior>& priors);
  /// Evaluation of the search position; counted. Requires no playout since prepare().
  float value();

  /// May be read while workers run.
  u64 evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  u64 solver_nodes() const { return solver_nodes_.load(std::memory_order_relaxed); }
  int selective_depth() const { return selective_depth_.load(std::memory_order_relaxed); }

 private:
  struct Step {
    Index node;
    Edge* edge;
  };
  /// A path down the tree.
  struct Descent {
    std::vector<Step> steps;
    Index leaf = NO_NODE;           ///< NO_NODE: the last move makes a five
    std::vector<ScoredMove> moves;  ///< of a leaf that waits for its evaluation
    size_t batch_index = 0;
  };
  enum class DescentStatus : u8 {
    AT_LEAF,     ///< at a leaf with a value or a proof
    WAITING,     ///< at a leaf that waits for the evaluation of its batch
    COLLIDED,    ///< another thread is working on the node
    TREE_FULL,   ///< no memory for a node or its moves
    ALL_PROVEN,  ///< all moves of the node are proven
    CONTINUE,    ///< not at a leaf yet
  };

  DescentStatus descend(Descent& descent);
  /// One step from a node, which is expanded first if necessary.
  DescentStatus step_from(Descent& descent, Index index, Index& child);
  DescentStatus add_child(Descent& descent, Step step, Index& child);
  DescentStatus select_edge(Descent& descent, Index index, Node& node, Index& child);
  DescentStatus expand(const Descent& descent, Index index);
  DescentStatus inspect_leaf(Descent& descent, Index leaf);
  DescentStatus evaluate_leaf(Descent& descent, Index leaf, ForcedReply forced);
  void score(std::vector<ScoredMove>& moves);
  void generate_scored_moves(ForcedReply forced);
  PlayoutResult run_single();
  PlayoutResult run_batch(int max_playouts);
  void finish_batch(int waiting);
  void back_up(const Descent& descent);
  void abandon(const Descent& descent);
  void propagate_proof(Node& node, Edge& edge, ProvenResult child, bool search_all);
  void prove_from_edges(Node& node);

  /// Plays and undoes moves until position_ is at the first `length` steps.
  void replay_to(const Descent& descent, size_t length);
  ProvenResult prove(ForcedReply forced);
  ProvenResult result_without_moves(ForcedReply forced) const;
  bool has_vcf(int& plies);
  float evaluate();

  Position position_;
  Vcf vcf_;
  PolicyCache policy_cache_;
  std::unique_ptr<StopCondition> stop_condition_;
  MctsSettings settings_;
  Puct puct_{MctsSettings{}};
  std::unique_ptr<Softmax> softmax_;
  double softmax_temperature_ = 0;
  SharedSearch shared_;
  std::vector<Point> path_;  ///< moves from the root to position_
  std::vector<Descent> descents_;
  std::vector<ScoredMove> moves_;
  std::vector<MovePrior> priors_;
  std::atomic<u64> evaluations_ = 0, solver_nodes_ = 0;
  std::atomic<int> selective_depth_ = 0;
};

}  // namespace tengen::mcts
