// SPDX-License-Identifier: MIT
// The way up: what a playout found is added to every node that it came through.
#include <algorithm>
#include <thread>

#include "search/mcts/worker.h"

namespace tengen::mcts {

Attempt Worker::attempt(int most) {
  const bool batches = position_.batched() != nullptr && settings_.batch > 1;
  return batches ? attempt_batch(std::min(most, settings_.batch)) : attempt_one();
}

Attempt Worker::attempt_one() {
  descents_.resize(1);
  Descent& descent = descents_[0];
  switch (descend(descent)) {
    case Arrival::AT_LEAF: back_up(descent); return {.done = 1};
    case Arrival::NO_ROOM: give_up(descent); return {.no_room = true};
    case Arrival::NOTHING_OPEN: {
      const bool at_root = descent.steps.empty();
      give_up(descent);
      return {.nothing_open = at_root};
    }
    default:
      give_up(descent);
      std::this_thread::yield();  // another thread works on the leaf
      return {};
  }
}

/// Leaves are gathered until there are enough, or the next one is among them already.
Attempt Worker::attempt_batch(int most) {
  if (static_cast<int>(descents_.size()) < most) descents_.resize(static_cast<size_t>(most));
  Attempt attempt;
  int waiting = 0;
  for (int tries = 0; tries < most && waiting < most; ++tries) {
    Descent& descent = descents_[static_cast<size_t>(waiting)];
    const Arrival arrival = descend(descent);
    if (arrival == Arrival::WAITING) {
      ++waiting;
    } else if (arrival == Arrival::AT_LEAF) {
      back_up(descent);
      ++attempt.done;
    } else {
      attempt.no_room = arrival == Arrival::NO_ROOM;
      attempt.nothing_open = arrival == Arrival::NOTHING_OPEN && descent.steps.empty();
      give_up(descent);
      break;
    }
  }
  if (waiting > 0)
    finish_batch(waiting);
  else if (attempt.done == 0)
    std::this_thread::yield();
  attempt.done += waiting;
  return attempt;
}

/// Such an evaluation gives value and policy in one, so that a leaf has its moves at once.
void Worker::finish_batch(int waiting) {
  BatchedEvaluator& batched = *position_.batched();
  batched.run();
  evaluations_.store(evaluations() + static_cast<u64>(waiting), std::memory_order_relaxed);
  for (int i = 0; i < waiting; ++i) {
    Descent& descent = descents_[static_cast<size_t>(i)];
    batched.score_moves_at(descent.place, descent.moves);
    softmax_->apply(descent.moves, choices_);
    Node& node = question_.tree->node(descent.leaf);
    {
      const SpinGuard guard(node.lock);
      node.value = result_of(batched.value_at(descent.place));
      node.sum = node.value;
      node.weight = 1;
      // Without room, or without a legal move, it is left to the next visit.
      const bool has_moves = !choices_.empty() && question_.tree->set_moves(node, choices_);
      node.stage = has_moves ? Stage::EXPANDED : Stage::VALUED;
    }
    back_up(descent);
  }
}

void Worker::give_up(const Descent& descent) {
  for (const Step& step : descent.steps) {
    Node& node = question_.tree->node(step.node);
    const SpinGuard guard(node.lock);
    --step.edge->in_flight;
    --node.in_flight;
  }
}

void Worker::back_up(const Descent& descent) {
  Tree& tree = *question_.tree;
  Proof proof = Proof::loss(0);  // by the five that was just made, if there is no leaf
  double q = -1, square = 1;
  if (descent.leaf != NO_BLOCK) {
    Node& leaf = tree.node(descent.leaf);
    const SpinGuard guard(leaf.lock);
    proof = leaf.proof;
    q = proof.is_known() ? proof.result() : leaf.mean();
    square = q * q;
    leaf.count(square);
  }
  for (size_t i = descent.steps.size(); i-- > 0;) {
    Edge& edge = *descent.steps[i].edge;
    Node& node = tree.node(descent.steps[i].node);
    const SpinGuard guard(node.lock);
    --edge.in_flight;
    --node.in_flight;
    node.count(square);
    if (edge.fate != Fate::LOST) {
      const double before = static_cast<double>(edge.q) * edge.visits;
      edge.q = static_cast<float>(-q);
      ++edge.visits;
      ++node.visits;
      node.sum += static_cast<double>(edge.q) * edge.visits - before;
    }
    if (proof.is_known())
      settle(node, edge, proof, question_.looks_at_all && descent.steps[i].node == question_.root);
    proof = node.proof;
    q = proof.is_known() ? proof.result() : node.mean();
  }
}

/// The position after a move is decided. Under the node's lock.
void Worker::settle(Node& node, Edge& edge, Proof child, bool look_on) {
  if (child.is_loss() && !look_on) {
    const Proof win = Proof::win(child.plies() + 1);
    if (!node.proof.is_win() || node.proof.plies() > win.plies()) node.proof = win;
    edge.fate = Fate::WON;
    return;
  }
  if (child.is_win() && edge.fate != Fate::LOST) {
    node.sum -= static_cast<double>(edge.q) * edge.visits;
    node.visits -= edge.visits;
    node.explored = static_cast<u16>(std::max(node.explored - edge.prior, 0));
    edge.visits = 0;
    edge.q = -1;
  }
  edge.fate = child.is_win() ? Fate::LOST : child.is_loss() ? Fate::WON : Fate::DRAWN;
  if (!node.proof.is_known() && node.tried == node.move_count) close(node);
}

/// Decides a node all moves of which are decided. Under its lock; those of its children come after
/// it, as everywhere.
void Worker::close(Node& node) {
  Tree& tree = *question_.tree;
  bool open = false, drawn = false;
  int longest = 0, shortest = MAX_PLY;
  tree.for_each_edge(node, [&](const Edge& edge) {
    open |= edge.fate == Fate::OPEN;
    drawn |= edge.fate == Fate::DRAWN;
    if (edge.fate == Fate::OPEN || edge.fate == Fate::DRAWN) return;
    int plies = 0;  // of a five there is no node
    if (edge.child != NO_BLOCK) {
      Node& child = tree.node(edge.child);
      const SpinGuard guard(child.lock);
      plies = child.proof.plies();
    }
    if (edge.fate == Fate::WON)
      shortest = std::min(shortest, plies + 1);
    else
      longest = std::max(longest, plies + 1);
  });
  if (open) return;
  node.proof = shortest < MAX_PLY ? Proof::win(shortest)
               : drawn            ? Proof::draw()
                                  : Proof::loss(longest);
}

}  // namespace tengen::mcts
