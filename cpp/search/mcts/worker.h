// SPDX-License-Identifier: MIT
// One thread's playouts: down the tree to a leaf, a value for it, and back up. Workers share the
// tree; position, evaluator and solver are their own. Before any evaluation, what threats decide is
// decided: fives, forced replies, open fours, wins by fours. Relies on tree.h, puct.h, duty.h and
// threat/vcf.h; mcts.h runs one or several of them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "search/duty.h"
#include "search/mcts/gumbel.h"
#include "search/mcts/policy_cache.h"
#include "search/mcts/prior.h"
#include "search/mcts/puct.h"
#include "search/mcts/tree.h"
#include "search/position.h"
#include "search/searcher.h"
#include "search/threat/vcf.h"

namespace tengen::mcts {

/// What the workers of a search have in common.
struct Question {
  Tree* tree = nullptr;
  Index root = NO_BLOCK;
  bool looks_at_all = false;     ///< whether a win ends the search of its move alone
  GumbelRoot* gumbel = nullptr;  ///< chooses at the root, if there is one
  Point last = NO_POINT;         ///< the opponent's last move, if known
};

/// What came of an attempt at one or some playouts.
struct Attempt {
  int done = 0;               ///< playouts that were backed up
  bool no_room = false;       ///< the tree is full
  bool nothing_open = false;  ///< every move of the root is settled
};

class Worker {
 public:
  /// `vcf_bytes` are for the solver, `policy_bytes` for policies that wait.
  Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes,
         size_t policy_bytes);

  void new_game() {
    vcf_.reset();
    policies_.clear();
  }
  /// A search to come: its position.
  void assign(const SearchRequest& request, const MctsSettings& settings, SearchControl& control);
  void set_question(const Question& question) { question_ = question; }

  /// One playout, or a batch of at most `most`. Nothing is done if another thread is just working
  /// on the leaf. Throws what the evaluator throws.
  Attempt attempt(int most);

  /// That of the search, as long as no playout was made since assign().
  Position& position() { return position_; }
  /// Gives the moves of the search's position their probabilities; requires that no playout was
  /// made since assign().
  void weigh(std::vector<ScoredMove>& moves, std::vector<Choice>& choices);
  /// The value of the search's position; counts as an evaluation. The same requirement.
  float value();

  /// May be read while others run.
  u64 evaluations() const { return evaluations_.load(std::memory_order_relaxed); }
  u64 solver_nodes() const { return solver_nodes_.load(std::memory_order_relaxed); }
  int deepest() const { return deepest_.load(std::memory_order_relaxed); }

 private:
  struct Step {
    Index node;
    Edge* edge;
  };
  /// A way down the tree.
  struct Descent {
    std::vector<Step> steps;
    Index leaf = NO_BLOCK;          ///< NO_BLOCK: the last move made a five
    std::vector<ScoredMove> moves;  ///< of a leaf that waits for its value
    size_t place = 0;               ///< of its question in the batch
  };
  enum class Arrival : u8 { AT_LEAF, WAITING, COLLIDED, NO_ROOM, NOTHING_OPEN, ON_THE_WAY };

  Arrival descend(Descent& descent);
  /// The next step from a node, which may be given its moves first.
  Arrival step_from(Descent& descent, Index at, Index& child);
  Arrival step_to_new(Descent& descent, Step step, Index& child);
  Arrival choose(Descent& descent, Index at, Node& node, Index& child);
  Arrival expand(const Descent& descent, Index at);
  Arrival look_at(Descent& descent, Index leaf);
  Arrival value_leaf(Descent& descent, Index leaf, Duty duty);
  void score(std::vector<ScoredMove>& moves);
  void find_moves(Duty duty);
  Attempt attempt_one();
  Attempt attempt_batch(int most);
  void finish_batch(int waiting);
  void back_up(const Descent& descent);
  void give_up(const Descent& descent);
  void settle(Node& node, Edge& edge, Proof child, bool look_on);
  void close(Node& node);

  /// Plays and undoes until the position is that after the first `length` steps.
  void bring(const Descent& descent, size_t length);
  Proof prove(Duty duty);
  Proof without_moves(Duty duty) const;
  bool wins_by_fours(int& plies);
  float evaluate();

  Position position_;
  Vcf vcf_;
  PolicyCache policies_;
  std::unique_ptr<Watch> watch_;
  MctsSettings settings_;
  Puct puct_{MctsSettings{}};
  std::unique_ptr<Softmax> softmax_;
  double softmax_points_ = 0;
  Question question_;
  std::vector<Point> line_;  ///< from the root's position to that of position_
  std::vector<Descent> descents_;
  std::vector<ScoredMove> moves_;
  std::vector<Choice> choices_;
  std::atomic<u64> evaluations_ = 0, solver_nodes_ = 0;
  std::atomic<int> deepest_ = 0;
};

}  // namespace tengen::mcts
