// SPDX-License-Identifier: MIT
// The search of a move: playouts, net leaves, and the training row.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "selfplay/game.h"
#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

constexpr float ALL = 255;

/// A fraction as a byte: 255 is 1.
u8 to_byte(float share) {
  return static_cast<u8>(std::lround(std::clamp(share, 0.0F, 1.0F) * ALL));
}

}  // namespace

void Game::start_search(bool is_full) {
  tree_.clear();
  tree_.node(tree_.add_node()).previous_node = context_->settings.reuse ? previous_node_ : NO_NODE;
  path_.clear();
  is_full_ = is_full;
  is_forced_ = false;
  playouts_ = 0;
  playout_limit_ = is_full ? context_->settings.playouts : context_->settings.small_playouts;
  stage_ = Stage::SEARCHING;
  ++counters_.searches;
}

/// Reuses the root evaluation of the previous tree. False: it has none.
bool Game::start_from_previous_tree() {
  if (tree_.node(ROOT).previous_node == NO_NODE) return false;
  const Node& previous_node = previous_tree_.node(tree_.node(ROOT).previous_node);
  if (!previous_node.has_value || !previous_node.has_all_moves) return false;
  tree_.node(ROOT).value = previous_node.value;
  tree_.node(ROOT).draw = previous_node.draw;
  tree_.node(ROOT).has_value = true;
  priors_.clear();
  for (const Edge& edge : previous_tree_.edges(previous_node))
    priors_.push_back({edge.move, edge.prior});
  root_.begin(tree_, context_->settings, priors_, temperature(), rng_);
  return true;
}

/// Several moves stop the five: starts the search without a net evaluation of the root.
void Game::start_without_value(const std::vector<Point>& moves) {
  start_search(sample_chance(rng_, context_->settings.full_share));
  is_forced_ = true;
  priors_.clear();
  const float equal = 1 / static_cast<float>(moves.size());
  for (const Point p : moves) priors_.push_back({p, equal});
  root_.begin(tree_, context_->settings, priors_, temperature(), rng_);
}

bool Game::is_searched() {
  return playouts_ == playout_limit_ || tree_.node(ROOT).proven != ProvenState::UNPROVEN;
}

void Game::set_leaf(const Cells& cells, Colour side) {
  leaf_symmetry_ = context_->settings.symmetries ? static_cast<int>(rng_.below(SYMMETRY_NB)) : 0;
  leaf_side_ = side;
  context_->packer.pack(cells, side, leaf_symmetry_, leaf_.data());
  waits_for_net_ = true;
}

/// One playout, to a leaf that waits for the net or to its end.
void Game::descend(LeafInspector& inspector) {
  path_.clear();
  u32 at = ROOT;
  for (;;) {
    const Schedule& schedule = is_full_ ? context_->full : context_->small;
    const u32 edge = at == ROOT ? root_.pick(tree_, schedule, playouts_) : tree_.pick(at);
    path_.push_back({at, edge});
    u32 child = tree_.edge(edge).child;
    if (child == NO_NODE) {
      child = tree_.add_node();
      tree_.edge(edge).child = child;
      const u32 previous_node =
          previous_tree_.child_by(tree_.node(at).previous_node, tree_.edge(edge).move);
      if (previous_node != NO_NODE) {
        tree_.copy(child, previous_tree_, previous_node);
        const Node& node = tree_.node(child);
        if (node.has_value) return finish_playout({node.value, node.draw}, ProvenState::UNPROVEN);
      } else {
        inspect_child(inspector, child);
        if (waits_for_net_) return;
      }
    }
    const Node& node = tree_.node(child);
    if (node.proven != ProvenState::UNPROVEN)
      return finish_playout(
          {result_of(node.proven), node.proven == ProvenState::DRAWN ? 1.0F : 0.0F}, node.proven);
    // All kept moves lose: scored as a loss, but not proven.
    if (node.lost == node.edge_count) return finish_playout({-1, 0}, ProvenState::UNPROVEN);
    at = child;
  }
}

void Game::finish_playout(Result result, ProvenState proven) {
  tree_.back_up(path_, result, proven);
  ++playouts_;
  ++counters_.playouts;
}

/// A new node at the end of the path: proven, forced, or waiting for the net.
void Game::inspect_child(LeafInspector& inspector, u32 child) {
  Cells cells = cells_;
  Colour side = side_;
  for (const Step& step : path_) {
    cells[tree_.edge(step.edge).move] = side;
    side = opponent(side);
  }
  const int plies_left =
      context_->settings.move_limit == 0 ? 0 : moves_left() - static_cast<int>(path_.size());
  ProvenState proven = ProvenState::DRAWN;
  if (context_->settings.move_limit == 0 || plies_left > 0) {
    inspector.set(cells, side, plies_left);
    proven = inspector.inspect(context_->settings.leaf_vcf);
  }
  Node& node = tree_.node(child);
  node.proven = node.proven_on_entry = proven;
  if (proven != ProvenState::UNPROVEN) return;
  if (inspector.must_block_four()) {
    priors_.clear();
    const float equal = 1 / static_cast<float>(inspector.moves().size());
    for (const Point p : inspector.moves()) priors_.push_back({p, equal});
    return tree_.set_moves(child, priors_, true);
  }
  leaf_moves_ = inspector.moves();
  leaf_node_ = child;
  set_leaf(cells, side);
}

/// Priors of the leaf's moves, written to priors_.
void Game::read_policy(const NetOutput& output) {
  const BoardPacker& packer = context_->packer;
  priors_.resize(leaf_moves_.size());
  int max_logit = -40000;
  for (size_t i = 0; i < leaf_moves_.size(); ++i) {
    const int logit = output.policy[packer.index(leaf_moves_[i], leaf_symmetry_)];
    priors_[i] = {leaf_moves_[i], static_cast<float>(logit)};
    max_logit = std::max(max_logit, logit);
  }
  float sum = 0;
  for (MovePrior& choice : priors_) {
    choice.prior = std::exp((choice.prior - static_cast<float>(max_logit)) / LOGIT_STEPS);
    sum += choice.prior;
  }
  for (MovePrior& choice : priors_) choice.prior /= sum;
}

void Game::expand(const NetOutput& output) {
  read_policy(output);
  const Result result = {output.value[0] - output.value[1], output.value[2]};
  Node& node = tree_.node(leaf_node_);
  node.value = result.score;
  node.draw = result.draw;
  node.has_value = true;
  if (leaf_node_ == ROOT)
    return root_.begin(tree_, context_->settings, priors_, temperature(), rng_);
  // A child of the root keeps all moves: it may become the next root.
  tree_.set_moves(leaf_node_, priors_, path_.size() == 1);
  finish_playout(result, ProvenState::UNPROVEN);
}

void Game::finish_search() {
  current_.playouts += static_cast<u64>(playouts_);
  const ProvenState proven = tree_.node(ROOT).proven;
  const bool has_row = is_forced_ ? sample_chance(rng_, context_->settings.faced_share) : is_full_;
  if (has_row) add_searched_row();
  if (proven != ProvenState::UNPROVEN && proven != ProvenState::DRAWN && context_->settings.cut_off)
    return end(proven == ProvenState::WON ? side_ : opponent(side_), Ending::PROVEN);
  const Point move = tree_.edge(root_.best(tree_, temperature(), rng_)).move;
  std::swap(tree_, previous_tree_);
  previous_node_ = ROOT;
  play(move);
}

void Game::add_searched_row() {
  const ProvenState proven = tree_.node(ROOT).proven;
  Row& row = add_row(is_forced_                        ? Source::FORCED
                     : proven == ProvenState::UNPROVEN ? Source::SEARCH
                                                       : Source::PROVEN);
  const std::vector<float>& policy = root_.policy(tree_);
  const std::span<Edge> edges = tree_.edges(tree_.node(ROOT));
  // The most likely moves; stable.
  std::vector<u16> order(policy.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<u16>(i);
  const size_t count = std::min(order.size(), static_cast<size_t>(context_->settings.policy_moves));
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](u16 a, u16 b) { return policy[a] != policy[b] ? policy[a] > policy[b] : a < b; });
  float sum = 0;
  for (size_t i = 0; i < count; ++i) sum += policy[order[i]];
  for (size_t i = 0; i < count; ++i) {
    row.move[i] = static_cast<u16>(context_->packer.index(edges[order[i]].move, 0));
    row.weight[i] = to_byte(policy[order[i]] / sum);
  }
  const Result value = root_.value(tree_);
  row.has_root = true;
  row.win = to_byte((1 - value.draw + value.score) / 2);
  row.loss = static_cast<u8>(
      std::min<int>(to_byte((1 - value.draw - value.score) / 2), static_cast<int>(ALL) - row.win));
}

}  // namespace tengen::selfplay
