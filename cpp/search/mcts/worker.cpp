// SPDX-License-Identifier: MIT
// Descent from the root to a leaf: selects and expands nodes, and proves leaves by their threats or
// else evaluates them.
#include "search/mcts/worker.h"

#include <algorithm>
#include <utility>

#include "base/tunable.h"
#include "eval/logits.h"

namespace tengen::mcts {

namespace {

TUNABLE(MCTS_VCF_NODES, 32, 0, 2000, 16, "maximum VCF nodes at a leaf");

}  // namespace

Worker::Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes,
               size_t policy_bytes)
    : position_(size, rule, std::move(evaluator)),
      vcf_(vcf_bytes),
      policy_cache_(position_.has_net() && !position_.batched() ? policy_bytes : 0) {}

void Worker::prepare(const SearchRequest& request, const MctsSettings& settings,
                     SearchControl& control) {
  position_.assign(request.cells, request.side, request.moves_left);
  path_.clear();
  settings_ = settings;
  puct_ = Puct(settings);
  const double temperature =
      (position_.has_net() ? EVAL_PER_POLICY_LOGIT : EVAL_PER_LOGIT) * settings.temperature;
  if (!softmax_ || temperature != softmax_temperature_)
    softmax_ = std::make_unique<Softmax>(temperature);
  softmax_temperature_ = temperature;
  stop_condition_ = std::make_unique<StopCondition>(Limits{}, control.stop, control.deadline);
  evaluations_ = solver_nodes_ = 0;
  selective_depth_ = 0;
}

void Worker::compute_priors(std::vector<ScoredMove>& moves, std::vector<MovePrior>& priors) {
  score(moves);
  softmax_->apply(moves, priors);
}

void Worker::score(std::vector<ScoredMove>& moves) {
  if (moves.size() > 1) position_.score_moves(moves);
}

float Worker::value() { return evaluate(); }

float Worker::evaluate() {
  evaluations_.store(evaluations() + 1, std::memory_order_relaxed);
  return result_from_eval(position_.value());
}

void Worker::replay_to(const Descent& descent, size_t length) {
  size_t shared_length = 0;
  while (shared_length < path_.size() && shared_length < length &&
         path_[shared_length] == descent.steps[shared_length].edge->move)
    ++shared_length;
  while (path_.size() > shared_length) {
    position_.undo(path_.back());
    path_.pop_back();
  }
  for (size_t i = shared_length; i < length; ++i) {
    const Point move = descent.steps[i].edge->move;
    position_.play(move);
    path_.push_back(move);
  }
}

bool Worker::has_vcf(int& plies) {
  const Colour side = position_.side();
  if (!settings_.vcf || MCTS_VCF_NODES == 0 || !position_.threats().can_make_four(side))
    return false;
  if (!position_.patterns().has_followup_four(side)) return false;
  const u64 before = stop_condition_->nodes();
  const SolveStatus status =
      vcf_.search(position_.threats(), side, MCTS_VCF_NODES, *stop_condition_);
  solver_nodes_.store(solver_nodes() + stop_condition_->nodes() - before,
                      std::memory_order_relaxed);
  if (status != SolveStatus::WIN) return false;
  VcfTree::Reader reader(vcf_.tree());
  plies = win_length(reader);
  return true;
}

/// Result that threats prove for the side to move, which cannot make a five. If no five must be
/// stopped, an open four wins, and so does a VCF. A threat that no legal move stops loses.
ProvenResult Worker::prove(ForcedReply forced) {
  const int plies_left = position_.threats().moves_left();
  if (forced == ForcedReply::BLOCK_FOUR) {
    const Point last = path_.empty() ? NO_POINT : path_.back();
    const bool has_defence =
        !position_.threats().defences(opponent(position_.side()), last).empty();
    return has_defence ? ProvenResult() : result_without_moves(forced);
  }
  if (plies_left >= 3 && position_.patterns().count(position_.side(), Threat::OPEN_FOUR) > 0)
    return ProvenResult::win(3);
  int plies = 0;
  if (has_vcf(plies)) return ProvenResult::win(plies);
  if (forced == ForcedReply::BLOCK_OPEN_THREE) {
    moves_.clear();
    generate_moves(position_, forced, NO_POINT, moves_);
    if (moves_.empty()) return result_without_moves(forced);
  }
  return {};
}

/// Result if no legal move stops the threat: a loss, unless the move limit ends the game first. If
/// there is no threat, only a pass is left, which counts as a draw.
ProvenResult Worker::result_without_moves(ForcedReply forced) const {
  const int plies_left = position_.threats().moves_left();
  if (forced == ForcedReply::BLOCK_FOUR && plies_left >= 2) return ProvenResult::loss(2);
  if (forced == ForcedReply::BLOCK_OPEN_THREE && plies_left >= 4) return ProvenResult::loss(4);
  return ProvenResult::draw();
}

Worker::DescentStatus Worker::descend(Descent& descent) {
  descent.steps.clear();
  descent.leaf = NO_NODE;
  Index index = shared_.root;
  for (;;) {
    Index child = NO_NODE;
    const DescentStatus status = step_from(descent, index, child);
    if (status != DescentStatus::CONTINUE) {
      const int depth = static_cast<int>(descent.steps.size());
      if (depth > selective_depth()) selective_depth_.store(depth, std::memory_order_relaxed);
      return status;
    }
    index = child;
  }
}

Worker::DescentStatus Worker::step_from(Descent& descent, Index index, Index& child) {
  Node& node = shared_.tree->node(index);
  bool must_expand = false;
  {
    const SpinGuard guard(node.lock);
    if (node.proven_result.is_known()) {
      descent.leaf = index;
      return DescentStatus::AT_LEAF;
    }
    if (node.stage == Stage::EXPANDED) {
      const DescentStatus status = select_edge(descent, index, node, child);
      if (status != DescentStatus::CONTINUE || child != NO_NODE) return status;
    } else if (node.stage == Stage::EVALUATED) {
      node.stage = Stage::EXPANDING;
      must_expand = true;
    } else {
      return DescentStatus::COLLIDED;
    }
  }
  if (!must_expand) return add_child(descent, descent.steps.back(), child);
  child = index;  // continue at the same node, now expanded
  return expand(descent, index);
}

/// Selects the edge to follow, and appends it to the path. Requires the node's lock.
Worker::DescentStatus Worker::select_edge(Descent& descent, Index index, Node& node, Index& child) {
  Tree& tree = *shared_.tree;
  Edge* edge = index == shared_.root && shared_.gumbel ? shared_.gumbel->pick(tree, node)
                                                       : puct_.pick(tree, node);
  if (edge == nullptr) {
    if (node.edge_count == node.move_count) return DescentStatus::ALL_PROVEN;
    edge = tree.add_edge(node);
    if (edge == nullptr) return DescentStatus::TREE_FULL;
  }
  ++edge->in_flight;
  ++node.in_flight;
  descent.steps.push_back({index, edge});
  child = edge->child;
  if (child != NO_NODE) __builtin_prefetch(&tree.node(child));
  return DescentStatus::CONTINUE;
}

/// Finds or adds the child node of the last edge of the path, which has none yet.
Worker::DescentStatus Worker::add_child(Descent& descent, Step step, Index& child) {
  Tree& tree = *shared_.tree;
  const size_t depth = descent.steps.size();
  Node& parent = tree.node(step.node);
  // A move of a detached root may make a five, which has no node. All other nodes with such a move
  // are proven wins, and a descent ends there.
  if (parent.is_detached_root) {
    replay_to(descent, depth - 1);
    if (position_.patterns().threat(position_.side(), step.edge->move) == Threat::FIVE)
      return DescentStatus::AT_LEAF;
  }
  replay_to(descent, depth);
  const Tree::FindResult entry = tree.find_or_add(position_.key());
  if (entry.node == NO_NODE) return DescentStatus::TREE_FULL;
  {
    const SpinGuard guard(parent.lock);
    step.edge->child = entry.node;
  }
  child = entry.node;
  return entry.is_new ? inspect_leaf(descent, entry.node) : DescentStatus::CONTINUE;
}

/// First visit of a position: proves or evaluates it. position_ is there.
Worker::DescentStatus Worker::inspect_leaf(Descent& descent, Index leaf) {
  Node& node = shared_.tree->node(leaf);
  descent.leaf = leaf;
  ProvenResult proven_result;
  ForcedReply forced = ForcedReply::NONE;
  if (position_.is_drawn()) {
    proven_result = ProvenResult::draw();
  } else if (position_.threats().can_make_five(position_.side())) {
    proven_result = ProvenResult::win(1);
  } else {
    forced = forced_reply(position_);
    proven_result = prove(forced);
  }
  if (!proven_result.is_known()) return evaluate_leaf(descent, leaf, forced);
  const SpinGuard guard(node.lock);
  node.proven_result = proven_result;
  node.value = proven_result.result();
  node.stage = Stage::EVALUATED;
  return DescentStatus::AT_LEAF;
}

Worker::DescentStatus Worker::evaluate_leaf(Descent& descent, Index leaf, ForcedReply forced) {
  Node& node = shared_.tree->node(leaf);
  if (forced == ForcedReply::BLOCK_FOUR) {  // nets cannot evaluate it: descend to the forced reply
    {
      const SpinGuard guard(node.lock);
      node.stage = Stage::EXPANDING;
    }
    return expand(descent, leaf);
  }
  if (BatchedEvaluator* const batched = position_.batched(); batched && settings_.batch > 1) {
    descent.moves.clear();
    generate_moves(position_, forced, NO_POINT, descent.moves);
    descent.batch_index = batched->add(position_.patterns(), position_.side());
    return DescentStatus::WAITING;
  }
  const float value = evaluate();
  if (policy_cache_.enabled()) {
    generate_scored_moves(forced);
    policy_cache_.insert(position_.key(), moves_);
  }
  const SpinGuard guard(node.lock);
  node.value = value;
  node.value_sum = value;
  node.value_weight = 1;
  node.stage = Stage::EVALUATED;
  return DescentStatus::AT_LEAF;
}

/// Generates and scores the moves of the position.
void Worker::generate_scored_moves(ForcedReply forced) {
  moves_.clear();
  generate_moves(position_, forced, path_.empty() ? shared_.last : path_.back(), moves_);
  score(moves_);
}

/// Gives a node its moves with priors. This happens at its second visit, as many nodes have only
/// one.
Worker::DescentStatus Worker::expand(const Descent& descent, Index index) {
  Node& node = shared_.tree->node(index);
  ForcedReply forced = ForcedReply::NONE;
  if (!policy_cache_.take(node.key, moves_)) {
    replay_to(descent, descent.steps.size());
    forced = forced_reply(position_);
    generate_scored_moves(forced);
  }
  softmax_->apply(moves_, priors_);
  const SpinGuard guard(node.lock);
  if (priors_.empty()) node.proven_result = result_without_moves(forced);
  const bool has_memory = shared_.tree->set_moves(node, priors_);
  node.stage = has_memory ? Stage::EXPANDED : Stage::EVALUATED;
  return has_memory ? DescentStatus::CONTINUE : DescentStatus::TREE_FULL;
}

}  // namespace tengen::mcts
