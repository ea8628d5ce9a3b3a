// SPDX-License-Identifier: MIT
// The way down: which move, whose position, what is decided before anybody evaluates.
#include "search/mcts/worker.h"

#include <algorithm>
#include <utility>

#include "base/tunable.h"
#include "eval/logits.h"

namespace tengen::mcts {

namespace {

TUNABLE(MCTS_VCF_NODES, 32, 0, 2000, 16, "plays of VCF at a leaf of the tree");

}  // namespace

Worker::Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes,
               size_t policy_bytes)
    : position_(size, rule, std::move(evaluator)),
      vcf_(vcf_bytes),
      policies_(position_.has_net() && !position_.batched() ? policy_bytes : 0) {}

void Worker::assign(const SearchRequest& request, const MctsSettings& settings,
                    SearchControl& control) {
  position_.assign(request.cells, request.side, request.moves_left);
  line_.clear();
  settings_ = settings;
  puct_ = Puct(settings);
  const double points =
      (position_.has_net() ? POLICY_POINTS : POINTS_PER_LOGIT) * settings.temperature;
  if (!softmax_ || points != softmax_points_) softmax_ = std::make_unique<Softmax>(points);
  softmax_points_ = points;
  watch_ = std::make_unique<Watch>(Limits{}, control.stop, control.deadline);
  evaluations_ = solver_nodes_ = 0;
  deepest_ = 0;
}

void Worker::weigh(std::vector<ScoredMove>& moves, std::vector<Choice>& choices) {
  score(moves);
  softmax_->apply(moves, choices);
}

void Worker::score(std::vector<ScoredMove>& moves) {
  if (moves.size() > 1) position_.score_moves(moves);
}

float Worker::value() { return evaluate(); }

float Worker::evaluate() {
  evaluations_.store(evaluations() + 1, std::memory_order_relaxed);
  return result_of(position_.value());
}

void Worker::bring(const Descent& descent, size_t length) {
  size_t same = 0;
  while (same < line_.size() && same < length && line_[same] == descent.steps[same].edge->move)
    ++same;
  while (line_.size() > same) {
    position_.undo(line_.back());
    line_.pop_back();
  }
  for (size_t i = same; i < length; ++i) {
    const Point move = descent.steps[i].edge->move;
    position_.play(move);
    line_.push_back(move);
  }
}

bool Worker::wins_by_fours(int& plies) {
  const Colour side = position_.side();
  if (!settings_.vcf || MCTS_VCF_NODES == 0 || !position_.threats().has_four(side)) return false;
  if (position_.patterns().has_only_lonely_fours(side)) return false;
  const u64 before = watch_->nodes();
  const Finding found = vcf_.search(position_.threats(), side, MCTS_VCF_NODES, *watch_);
  solver_nodes_.store(solver_nodes() + watch_->nodes() - before, std::memory_order_relaxed);
  if (found != Finding::WIN) return false;
  WinTree::Reader reader(vcf_.tree());
  plies = longest_win(reader);
  return true;
}

/// What threats alone tell of the position: a five wins; an open four does, if there is no five to
/// stop; so do fours in a row. What cannot be stopped is lost.
Proof Worker::prove(Duty duty) {
  const int left = position_.threats().moves_left();
  if (duty == Duty::STOP_FIVE) {
    const Point last = line_.empty() ? NO_POINT : line_.back();
    const bool stops = !position_.threats().stops(opponent(position_.side()), last).empty();
    return stops ? Proof() : without_moves(duty);
  }
  if (left >= 3 && position_.patterns().count(position_.side(), Threat::OPEN_FOUR) > 0)
    return Proof::win(3);
  int plies = 0;
  if (wins_by_fours(plies)) return Proof::win(plies);
  if (duty == Duty::STOP_FOUR) {
    moves_.clear();
    add_moves(position_, duty, NO_POINT, moves_);
    if (moves_.empty()) return without_moves(duty);
  }
  return {};
}

/// Of a position in which no move is left that does its duty. The move limit may come first; where
/// there is no duty, nothing is left but to pass.
Proof Worker::without_moves(Duty duty) const {
  const int left = position_.threats().moves_left();
  if (duty == Duty::STOP_FIVE && left >= 2) return Proof::loss(2);
  if (duty == Duty::STOP_FOUR && left >= 4) return Proof::loss(4);
  return Proof::draw();
}

Worker::Arrival Worker::descend(Descent& descent) {
  descent.steps.clear();
  descent.leaf = NO_BLOCK;
  Index at = question_.root;
  for (;;) {
    Index child = NO_BLOCK;
    const Arrival arrival = step_from(descent, at, child);
    if (arrival != Arrival::ON_THE_WAY) {
      const int depth = static_cast<int>(descent.steps.size());
      if (depth > deepest()) deepest_.store(depth, std::memory_order_relaxed);
      return arrival;
    }
    at = child;
  }
}

Worker::Arrival Worker::step_from(Descent& descent, Index at, Index& child) {
  Node& node = question_.tree->node(at);
  bool expands = false;
  {
    const SpinGuard guard(node.lock);
    if (node.proof.is_known()) {
      descent.leaf = at;
      return Arrival::AT_LEAF;
    }
    if (node.stage == Stage::EXPANDED) {
      const Arrival arrival = choose(descent, at, node, child);
      if (arrival != Arrival::ON_THE_WAY || child != NO_BLOCK) return arrival;
    } else if (node.stage == Stage::VALUED) {
      node.stage = Stage::EXPANDING;
      expands = true;
    } else {
      return Arrival::COLLIDED;
    }
  }
  if (!expands) return step_to_new(descent, descent.steps.back(), child);
  child = at;  // once more, with its moves
  return expand(descent, at);
}

/// Under the node's lock.
Worker::Arrival Worker::choose(Descent& descent, Index at, Node& node, Index& child) {
  Tree& tree = *question_.tree;
  Edge* edge = at == question_.root && question_.gumbel ? question_.gumbel->pick(tree, node)
                                                        : puct_.pick(tree, node);
  if (edge == nullptr) {
    if (node.tried == node.move_count) return Arrival::NOTHING_OPEN;
    edge = tree.try_next(node);
    if (edge == nullptr) return Arrival::NO_ROOM;
  }
  ++edge->in_flight;
  ++node.in_flight;
  descent.steps.push_back({at, edge});
  child = edge->child;
  if (child != NO_BLOCK) __builtin_prefetch(&tree.node(child));
  return Arrival::ON_THE_WAY;
}

/// The move leads to a position that has no node by this edge yet.
Worker::Arrival Worker::step_to_new(Descent& descent, Step step, Index& child) {
  Tree& tree = *question_.tree;
  const size_t depth = descent.steps.size();
  Node& parent = tree.node(step.node);
  if (parent.is_private) {  // elsewhere a five is a proof, not a move
    bring(descent, depth - 1);
    if (position_.patterns().threat(position_.side(), step.edge->move) == Threat::FIVE)
      return Arrival::AT_LEAF;
  }
  bring(descent, depth);
  const Tree::Found found = tree.find_or_add(position_.key());
  if (found.node == NO_BLOCK) return Arrival::NO_ROOM;
  {
    const SpinGuard guard(parent.lock);
    step.edge->child = found.node;
  }
  child = found.node;
  return found.is_new ? look_at(descent, found.node) : Arrival::ON_THE_WAY;
}

/// The first look at a position, which position_ is at.
Worker::Arrival Worker::look_at(Descent& descent, Index leaf) {
  Node& node = question_.tree->node(leaf);
  descent.leaf = leaf;
  Proof proof;
  Duty duty = Duty::NONE;
  if (position_.is_drawn()) {
    proof = Proof::draw();
  } else if (position_.threats().has_five(position_.side())) {
    proof = Proof::win(1);
  } else {
    duty = duty_of(position_);
    proof = prove(duty);
  }
  if (!proof.is_known()) return value_leaf(descent, leaf, duty);
  const SpinGuard guard(node.lock);
  node.proof = proof;
  node.value = proof.result();
  node.stage = Stage::VALUED;
  return Arrival::AT_LEAF;
}

Worker::Arrival Worker::value_leaf(Descent& descent, Index leaf, Duty duty) {
  Node& node = question_.tree->node(leaf);
  if (duty == Duty::STOP_FIVE) {  // nobody can evaluate that: the reply is played at once
    {
      const SpinGuard guard(node.lock);
      node.stage = Stage::EXPANDING;
    }
    return expand(descent, leaf);
  }
  if (BatchedEvaluator* const batched = position_.batched(); batched && settings_.batch > 1) {
    descent.moves.clear();
    add_moves(position_, duty, NO_POINT, descent.moves);
    descent.place = batched->add(position_.patterns(), position_.side());
    return Arrival::WAITING;
  }
  const float value = evaluate();
  if (policies_.is_on()) {
    find_moves(duty);
    policies_.put(position_.key(), moves_);
  }
  const SpinGuard guard(node.lock);
  node.value = value;
  node.sum = value;
  node.weight = 1;
  node.stage = Stage::VALUED;
  return Arrival::AT_LEAF;
}

/// The moves of the position, with their scores.
void Worker::find_moves(Duty duty) {
  moves_.clear();
  add_moves(position_, duty, line_.empty() ? question_.last : line_.back(), moves_);
  score(moves_);
}

/// Gives a node its moves. That happens at the second visit, since many nodes are visited once.
Worker::Arrival Worker::expand(const Descent& descent, Index at) {
  Node& node = question_.tree->node(at);
  Duty duty = Duty::NONE;
  if (!policies_.take(node.key, moves_)) {
    bring(descent, descent.steps.size());
    duty = duty_of(position_);
    find_moves(duty);
  }
  softmax_->apply(moves_, choices_);
  const SpinGuard guard(node.lock);
  if (choices_.empty()) node.proof = without_moves(duty);
  const bool has_room = question_.tree->set_moves(node, choices_);
  node.stage = has_room ? Stage::EXPANDED : Stage::VALUED;
  return has_room ? Arrival::ON_THE_WAY : Arrival::NO_ROOM;
}

}  // namespace tengen::mcts
