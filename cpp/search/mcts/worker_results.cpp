// SPDX-License-Identifier: MIT
// Backup: adds the result of a playout to every node on its path.
#include <algorithm>
#include <thread>

#include "search/mcts/worker.h"

namespace tengen::mcts {

PlayoutResult Worker::run_playouts(int max_playouts) {
  const bool batches = position_.batched() != nullptr && settings_.batch > 1;
  return batches ? run_batch(std::min(max_playouts, settings_.batch)) : run_single();
}

PlayoutResult Worker::run_single() {
  descents_.resize(1);
  Descent& descent = descents_[0];
  switch (descend(descent)) {
    case DescentStatus::AT_LEAF: back_up(descent); return {.done = 1};
    case DescentStatus::TREE_FULL: abandon(descent); return {.tree_full = true};
    case DescentStatus::ALL_PROVEN: {
      const bool at_root = descent.steps.empty();
      abandon(descent);
      return {.all_proven = at_root};
    }
    default:
      abandon(descent);
      std::this_thread::yield();  // another thread works on the leaf
      return {};
  }
}

/// Collects leaves until the batch is full or a leaf repeats.
PlayoutResult Worker::run_batch(int max_playouts) {
  if (static_cast<int>(descents_.size()) < max_playouts)
    descents_.resize(static_cast<size_t>(max_playouts));
  PlayoutResult result;
  int waiting = 0;
  for (int tries = 0; tries < max_playouts && waiting < max_playouts; ++tries) {
    Descent& descent = descents_[static_cast<size_t>(waiting)];
    const DescentStatus status = descend(descent);
    if (status == DescentStatus::WAITING) {
      ++waiting;
    } else if (status == DescentStatus::AT_LEAF) {
      back_up(descent);
      ++result.done;
    } else {
      result.tree_full = status == DescentStatus::TREE_FULL;
      result.all_proven = status == DescentStatus::ALL_PROVEN && descent.steps.empty();
      abandon(descent);
      break;
    }
  }
  if (waiting > 0)
    finish_batch(waiting);
  else if (result.done == 0)
    std::this_thread::yield();
  result.done += waiting;
  return result;
}

/// Batched evaluation gives value and policy, so leaves are expanded at once.
void Worker::finish_batch(int waiting) {
  BatchedEvaluator& batched = *position_.batched();
  batched.run();
  evaluations_.store(evaluations() + static_cast<u64>(waiting), std::memory_order_relaxed);
  for (int i = 0; i < waiting; ++i) {
    Descent& descent = descents_[static_cast<size_t>(i)];
    batched.score_moves_at(descent.batch_index, descent.moves);
    softmax_->apply(descent.moves, priors_);
    Node& node = shared_.tree->node(descent.leaf);
    {
      const SpinGuard guard(node.lock);
      node.value = result_from_eval(batched.value_at(descent.batch_index));
      node.value_sum = node.value;
      node.value_weight = 1;
      // Without memory or legal moves, the next visit expands it.
      const bool has_moves = !priors_.empty() && shared_.tree->set_moves(node, priors_);
      node.stage = has_moves ? Stage::EXPANDED : Stage::EVALUATED;
    }
    back_up(descent);
  }
}

void Worker::abandon(const Descent& descent) {
  for (const Step& step : descent.steps) {
    Node& node = shared_.tree->node(step.node);
    const SpinGuard guard(node.lock);
    --step.edge->in_flight;
    --node.in_flight;
  }
}

void Worker::back_up(const Descent& descent) {
  Tree& tree = *shared_.tree;
  ProvenResult proven_result = ProvenResult::loss(0);  // a five was just made if there is no leaf
  double q = -1, square = 1;
  if (descent.leaf != NO_NODE) {
    Node& leaf = tree.node(descent.leaf);
    const SpinGuard guard(leaf.lock);
    proven_result = leaf.proven_result;
    q = proven_result.is_known() ? proven_result.result() : leaf.mean();
    square = q * q;
    leaf.add_visit(square);
  }
  for (size_t i = descent.steps.size(); i-- > 0;) {
    Edge& edge = *descent.steps[i].edge;
    Node& node = tree.node(descent.steps[i].node);
    const SpinGuard guard(node.lock);
    --edge.in_flight;
    --node.in_flight;
    node.add_visit(square);
    if (edge.proven != ProvenState::LOST) {
      const double before = static_cast<double>(edge.q) * edge.visits;
      edge.q = static_cast<float>(-q);
      ++edge.visits;
      ++node.edge_visits;
      node.value_sum += static_cast<double>(edge.q) * edge.visits - before;
    }
    if (proven_result.is_known())
      propagate_proof(node, edge, proven_result,
                      shared_.search_all_moves && descent.steps[i].node == shared_.root);
    proven_result = node.proven_result;
    q = proven_result.is_known() ? proven_result.result() : node.mean();
  }
}

/// The position after the edge is proven. Requires the node's lock.
void Worker::propagate_proof(Node& node, Edge& edge, ProvenResult child, bool search_all) {
  if (child.is_loss() && !search_all) {
    const ProvenResult win = ProvenResult::win(child.plies() + 1);
    if (!node.proven_result.is_win() || node.proven_result.plies() > win.plies())
      node.proven_result = win;
    edge.proven = ProvenState::WON;
    return;
  }
  if (child.is_win() && edge.proven != ProvenState::LOST) {
    node.value_sum -= static_cast<double>(edge.q) * edge.visits;
    node.edge_visits -= edge.visits;
    node.visited_prior = static_cast<u16>(std::max(node.visited_prior - edge.prior, 0));
    edge.visits = 0;
    edge.q = -1;
  }
  edge.proven = child.is_win()    ? ProvenState::LOST
                : child.is_loss() ? ProvenState::WON
                                  : ProvenState::DRAWN;
  if (!node.proven_result.is_known() && node.edge_count == node.move_count) prove_from_edges(node);
}

/// Proves a node whose edges are all proven. Requires its lock; locks of children are taken after
/// it.
void Worker::prove_from_edges(Node& node) {
  Tree& tree = *shared_.tree;
  bool open = false, drawn = false;
  int longest = 0, shortest = MAX_PLY;
  tree.for_each_edge(node, [&](const Edge& edge) {
    open |= edge.proven == ProvenState::UNPROVEN;
    drawn |= edge.proven == ProvenState::DRAWN;
    if (edge.proven == ProvenState::UNPROVEN || edge.proven == ProvenState::DRAWN) return;
    int plies = 0;  // a five has no node
    if (edge.child != NO_NODE) {
      Node& child = tree.node(edge.child);
      const SpinGuard guard(child.lock);
      plies = child.proven_result.plies();
    }
    if (edge.proven == ProvenState::WON)
      shortest = std::min(shortest, plies + 1);
    else
      longest = std::max(longest, plies + 1);
  });
  if (open) return;
  node.proven_result = shortest < MAX_PLY ? ProvenResult::win(shortest)
                       : drawn            ? ProvenResult::draw()
                                          : ProvenResult::loss(longest);
}

}  // namespace tengen::mcts
