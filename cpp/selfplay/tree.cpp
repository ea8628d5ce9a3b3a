// SPDX-License-Identifier: MIT
#include "selfplay/tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tengen::selfplay {

namespace {

/// Larger logit differences are decisive; exp() of it fits into a float.
constexpr float MAX_LOGITS = 60;

}  // namespace

Tree::Tree(const Settings& settings)
    : gumbel_(settings.gumbel),
      visits_base_(static_cast<float>(settings.gumbel_visits)),
      scale_(static_cast<float>(settings.gumbel_scale)),
      c_(static_cast<float>(settings.c)),
      fpu_(static_cast<float>(settings.fpu)) {
  const auto playouts = static_cast<size_t>(std::max(settings.playouts, settings.small_playouts));
  nodes_.reserve(playouts + playouts / 4 + 8);  // playouts through forced replies add several nodes
  edges_.reserve(playouts * MAX_MOVES + static_cast<size_t>(settings.size * settings.size));
}

void Tree::set_moves(u32 index, std::span<MovePrior> moves, bool keep_all) {
  Node& node = nodes_[index];
  const auto better = [](const MovePrior& a, const MovePrior& b) {
    return a.prior != b.prior ? a.prior > b.prior : a.move < b.move;
  };
  node.has_all_moves = true;
  if (index != ROOT) {
    const size_t keep = keep_all ? moves.size() : std::min(moves.size(), MAX_MOVES);
    node.has_all_moves = keep == moves.size();
    const auto middle = moves.begin() + static_cast<std::ptrdiff_t>(keep);
    if (!node.has_all_moves) std::nth_element(moves.begin(), middle - 1, moves.end(), better);
    std::sort(moves.begin(), middle, better);
    moves = moves.first(keep);
  }
  node.first_edge = static_cast<u32>(edges_.size());
  node.edge_count = static_cast<u16>(moves.size());
  for (const MovePrior& move : moves) {
    Edge& edge = edges_.emplace_back(Edge{move.prior, 0, 0});
    edge.move = move.move;
  }
}

void Tree::copy(u32 index, const Tree& other, u32 from) {
  const Node& source = other.nodes_[from];
  Node& node = nodes_[index];
  node.value = source.value;
  node.draw = source.draw;
  node.has_value = source.has_value;
  node.has_all_moves = source.has_all_moves;
  node.proven = node.proven_on_entry = source.proven_on_entry;
  node.previous_node = from;
  node.first_edge = static_cast<u32>(edges_.size());
  node.edge_count = source.edge_count;
  for (const Edge& edge : other.edges(source)) {
    edges_.emplace_back(Edge{edge.prior, 0, 0});
    edges_.back().move = edge.move;
  }
}

u32 Tree::child_by(u32 index, Point move) const {
  if (index == NO_NODE || index >= nodes_.size()) return NO_NODE;
  for (const Edge& edge : edges(nodes_[index]))
    if (edge.move == move) return edge.child;
  return NO_NODE;
}

int Tree::max_visits(std::span<const Edge> edges) {
  int visits = 0;
  for (const Edge& edge : edges) visits = std::max<int>(visits, edge.visits);
  return visits;
}

float Tree::mixed_value(const Node& node, std::span<const Edge> visited) {
  float priors = 0, sum = 0;
  for (const Edge& edge : visited) {
    if (edge.visits == 0) continue;
    priors += edge.prior;
    sum += edge.prior * edge.mean();
  }
  if (node.visits == 0 || priors <= 0) return node.value;
  const auto visits = static_cast<float>(node.visits);
  const float own = node.has_value ? 1.0F : 0.0F;
  return (own * node.value + visits * sum / priors) / (own + visits);
}

u32 Tree::pick(u32 index) {
  const Node& node = nodes_[index];
  assert(node.edge_count > 0);
  if (node.edge_count == 1) return node.first_edge;
  return gumbel_ ? pick_improved(node) : pick_puct(node);
}

/// The move whose visit share is farthest below its improved-policy probability: prior * exp(value
/// logits). Unvisited moves share one value, so only the most likely of them is a candidate.
u32 Tree::pick_improved(const Node& node) {
  const std::span<Edge> visited = edges(node).first(node.visited);
  if (visited.empty()) return node.first_edge;
  const float mixed = mixed_value(node, visited);
  const int largest = max_visits(visited);
  const float base = logits(mixed, largest);
  weights_.resize(visited.size());
  float sum = 0, priors = 0;
  for (size_t i = 0; i < visited.size(); ++i) {
    const float above = logits(visited[i].mean(), largest) - base;
    weights_[i] = visited[i].prior * std::exp(std::clamp(above, -MAX_LOGITS, MAX_LOGITS));
    sum += weights_[i];
    priors += visited[i].prior;
  }
  sum += std::max(0.0F, 1 - priors);
  const auto visits = static_cast<float>(1 + node.visits);
  u32 best = NO_NODE;
  float best_score = -2;
  if (node.visited < node.edge_count) {
    best = node.first_edge + node.visited;
    best_score = edges_[best].prior / sum;
  }
  for (size_t i = 0; i < visited.size(); ++i) {
    if (visited[i].proven == ProvenState::LOST) continue;
    const float deficit = weights_[i] / sum - static_cast<float>(visited[i].visits) / visits;
    if (deficit <= best_score && best != NO_NODE) continue;
    best_score = deficit;
    best = node.first_edge + static_cast<u32>(i);
  }
  return best;
}

u32 Tree::pick_puct(const Node& node) {
  const std::span<Edge> visited = edges(node).first(node.visited);
  float priors = 0, sum = node.has_value ? node.value : 0;
  for (const Edge& edge : visited) {
    priors += edge.prior;
    sum += edge.mean() * static_cast<float>(edge.visits);
  }
  const float count = static_cast<float>(node.visits) + (node.has_value ? 1.0F : 0.0F);
  const float factor = c_ * std::sqrt(static_cast<float>(node.visits));
  u32 best = NO_NODE;
  float best_score = -1e9F;
  if (node.visited < node.edge_count) {
    best = node.first_edge + node.visited;
    const float average = count > 0 ? sum / count : 0;
    best_score = average - fpu_ * std::sqrt(priors) + factor * edges_[best].prior;
  }
  for (size_t i = 0; i < visited.size(); ++i) {
    if (visited[i].proven == ProvenState::LOST) continue;
    const float exploration = factor * visited[i].prior / static_cast<float>(1 + visited[i].visits);
    if (visited[i].mean() + exploration <= best_score && best != NO_NODE) continue;
    best_score = visited[i].mean() + exploration;
    best = node.first_edge + static_cast<u32>(i);
  }
  return best;
}

/// Propagates a proven child to the edge and possibly to the node.
void Tree::propagate_proof(Node& node, Edge& edge, ProvenState child) {
  if (child == ProvenState::UNPROVEN || edge.proven != ProvenState::UNPROVEN) return;
  edge.proven = opposite(child);
  if (edge.proven == ProvenState::WON) node.proven = ProvenState::WON;
  if (edge.proven != ProvenState::LOST) return;
  // As in the engine, losses assume that only points near stones matter.
  if (++node.lost == node.edge_count && node.has_all_moves) node.proven = ProvenState::LOST;
}

void Tree::back_up(std::span<const Step> steps, Result result, ProvenState proven) {
  for (size_t i = steps.size(); i-- > 0;) {
    Node& node = nodes_[steps[i].node];
    Edge& edge = edges_[steps[i].edge];
    result = result.for_opponent();
    propagate_proof(node, edge, proven);
    proven = node.proven;
    if (proven != ProvenState::UNPROVEN)
      result = {result_of(proven), proven == ProvenState::DRAWN ? 1.0F : 0.0F};
    if (edge.visits++ == 0) ++node.visited;
    ++node.visits;
    edge.score += result.score;
    edge.draws += result.draw;
  }
}

}  // namespace tengen::selfplay
