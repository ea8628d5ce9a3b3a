// SPDX-License-Identifier: MIT
#include "selfplay/root.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

/// Below every prior of a net.
constexpr float MIN_PRIOR = 1e-20F;

bool has_higher_prior(const MovePrior& a, const MovePrior& b) {
  return a.prior != b.prior ? a.prior > b.prior : a.move < b.move;
}

float logit_of(float prior) { return std::log(std::max(prior, MIN_PRIOR)); }

/// Sequential halving: equal playouts for all moves, then for the better half, down to two moves,
/// which get the remaining playouts.
std::vector<u16> halving(int moves, int playouts) {
  std::vector<u16> sequence;
  if (moves == 1) {
    for (int i = 0; i < playouts; ++i) sequence.push_back(static_cast<u16>(i));
    return sequence;
  }
  const int rounds = static_cast<int>(std::ceil(std::log2(moves)));
  std::vector<u16> visits(static_cast<size_t>(moves), 0);
  int kept = moves;
  while (static_cast<int>(sequence.size()) < playouts) {
    for (int extra = std::max(1, playouts / (rounds * kept)); extra > 0; --extra)
      for (int i = 0; i < kept; ++i) sequence.push_back(visits[static_cast<size_t>(i)]++);
    kept = std::max(2, kept / 2);
  }
  sequence.resize(static_cast<size_t>(playouts));
  return sequence;
}

}  // namespace

Schedule::Schedule(int considered, int playouts) {
  for (int moves = 1; moves <= considered; ++moves) visits_.push_back(halving(moves, playouts));
}

void Root::begin(Tree& tree, const Settings& settings, std::span<MovePrior> moves,
                 double temperature, Rng& rng) {
  gumbel_ = settings.gumbel;
  considered_ = std::min(moves.size(), static_cast<size_t>(settings.considered));
  // Sorted first, so that noise does not depend on generation order.
  std::sort(moves.begin(), moves.end(), has_higher_prior);
  if (gumbel_)
    sample_moves(moves, temperature, rng);
  else
    add_noise(moves, settings, rng);
  tree.set_moves(ROOT, moves, true);
}

/// Sorts the moves by logit plus Gumbel noise.
void Root::sample_moves(std::span<MovePrior> moves, double temperature, Rng& rng) {
  std::vector<std::pair<float, MovePrior>> sampled;
  sampled.reserve(moves.size());
  for (const MovePrior& move : moves)
    sampled.emplace_back(
        logit_of(move.prior) + static_cast<float>(temperature * sample_gumbel(rng)), move);
  std::sort(sampled.begin(), sampled.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.move < b.second.move;
  });
  sampled_scores_.clear();
  for (size_t i = 0; i < sampled.size(); ++i) {
    sampled_scores_.push_back(sampled[i].first);
    moves[i] = sampled[i].second;
  }
}

/// Mixes Dirichlet noise into the priors and sorts by the result.
void Root::add_noise(std::span<MovePrior> moves, const Settings& settings, Rng& rng) {
  std::vector<double> noise(moves.size());
  const double shape = settings.noise_total / static_cast<double>(moves.size());
  double sum = 0;
  for (double& part : noise) sum += part = sample_gamma(rng, shape);
  if (sum <= 0) return;  // all samples underflowed
  const double share = settings.noise_share;
  for (size_t i = 0; i < moves.size(); ++i)
    moves[i].prior = static_cast<float>((1 - share) * moves[i].prior + share * noise[i] / sum);
  std::sort(moves.begin(), moves.end(), has_higher_prior);
}

u32 Root::pick(Tree& tree, const Schedule& schedule, int playout) const {
  if (!gumbel_) return tree.pick(ROOT);
  return pick_considered(tree, schedule.visits_before(considered_, playout));
}

/// The best move with `target_visits` visits, or with the closest number if moves turned out to
/// lose.
u32 Root::pick_considered(Tree& tree, int target_visits) const {
  const Node& root = tree.node(ROOT);
  const std::span<Edge> edges = tree.edges(root);
  const std::span<Edge> visited = root.lost < considered_ ? edges.first(considered_) : edges;
  const int max_visits = Tree::max_visits(visited);
  const float mixed = Tree::mixed_value(root, visited);
  u32 best = NO_NODE;
  int best_distance = 0;
  float best_score = 0;
  // Other moves only if all considered ones lose.
  for (size_t i = 0; i < edges.size() && (i < considered_ || best == NO_NODE); ++i) {
    if (edges[i].proven == ProvenState::LOST) continue;
    const float score = edges[i].visits > 0 ? edges[i].mean() : mixed;
    const float sum = sampled_scores_[i] + tree.logits(score, max_visits);
    const int distance = std::abs(edges[i].visits - target_visits);
    if (best != NO_NODE &&
        (distance > best_distance || (distance == best_distance && sum <= best_score)))
      continue;
    best = root.first_edge + static_cast<u32>(i);
    best_distance = distance;
    best_score = sum;
  }
  return best;
}

u32 Root::best(Tree& tree, double temperature, Rng& rng) const {
  const Node& root = tree.node(ROOT);
  const std::span<Edge> edges = tree.edges(root);
  for (size_t i = 0; i < edges.size(); ++i)
    if (edges[i].proven == ProvenState::WON) return root.first_edge + static_cast<u32>(i);
  return gumbel_ ? best_sampled(tree) : sample_by_visits(tree, temperature, rng);
}

/// The best sampled score plus value among the most visited moves; the best sampled score if
/// all moves lose.
u32 Root::best_sampled(Tree& tree) const {
  const Node& root = tree.node(ROOT);
  const std::span<Edge> edges = tree.edges(root);
  const int max_visits = Tree::max_visits(edges);
  int max_open_visits = -1;
  for (const Edge& edge : edges)
    if (edge.proven != ProvenState::LOST)
      max_open_visits = std::max<int>(max_open_visits, edge.visits);
  u32 best = root.first_edge;
  float best_score = 0;
  bool found = false;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].proven == ProvenState::LOST || edges[i].visits != max_open_visits) continue;
    const float value_logits = max_open_visits > 0 ? tree.logits(edges[i].mean(), max_visits) : 0;
    if (found && sampled_scores_[i] + value_logits <= best_score) continue;
    found = true;
    best_score = sampled_scores_[i] + value_logits;
    best = root.first_edge + static_cast<u32>(i);
  }
  return best;
}

u32 Root::sample_by_visits(Tree& tree, double temperature, Rng& rng) const {
  const Node& root = tree.node(ROOT);
  const std::span<Edge> edges = tree.edges(root);
  int max_visits = 0;
  size_t best = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].proven == ProvenState::LOST || edges[i].visits <= max_visits) continue;
    max_visits = edges[i].visits;
    best = i;
  }
  if (max_visits == 0 || temperature <= 0) return root.first_edge + static_cast<u32>(best);
  const auto weight = [&](const Edge& edge) {
    if (edge.proven == ProvenState::LOST || edge.visits == 0) return 0.0;
    return std::pow(static_cast<double>(edge.visits) / max_visits, 1 / temperature);
  };
  double sum = 0;
  for (const Edge& edge : edges) sum += weight(edge);
  double left = sample_uniform(rng) * sum;
  for (size_t i = 0; i < edges.size(); ++i) {
    left -= weight(edges[i]);
    if (left < 0) return root.first_edge + static_cast<u32>(i);
  }
  return root.first_edge + static_cast<u32>(best);
}

const std::vector<float>& Root::policy(Tree& tree) {
  const Node& root = tree.node(ROOT);
  const std::span<Edge> edges = tree.edges(root);
  policy_.assign(edges.size(), 0);
  float sum = 0;
  for (size_t i = 0; i < edges.size(); ++i)
    if (edges[i].proven == ProvenState::WON) sum += policy_[i] = 1;
  if (sum == 0 && gumbel_) {
    improve(tree);
    return policy_;
  }
  if (sum == 0)
    for (size_t i = 0; i < edges.size(); ++i)
      if (edges[i].proven != ProvenState::LOST)
        sum += policy_[i] = static_cast<float>(edges[i].visits);
  if (sum == 0)
    for (size_t i = 0; i < edges.size(); ++i) sum += policy_[i] = edges[i].prior;
  for (float& weight : policy_) weight /= sum;
  return policy_;
}

/// Prior improved by values; unvisited moves get the mixed value.
void Root::improve(Tree& tree) {
  const Node& root = tree.node(ROOT);
  const std::span<Edge> edges = tree.edges(root);
  const int max_visits = Tree::max_visits(edges);
  const float mixed = Tree::mixed_value(root, edges);
  float best_score = -1e30F;
  for (size_t i = 0; i < edges.size(); ++i) {
    const float score = edges[i].visits > 0 ? edges[i].mean() : mixed;
    policy_[i] = logit_of(edges[i].prior) + tree.logits(score, max_visits);
    best_score = std::max(best_score, policy_[i]);
  }
  float sum = 0;
  for (float& weight : policy_) sum += weight = std::exp(weight - best_score);
  for (float& weight : policy_) weight /= sum;
}

/// Mean over the visited moves weighted by the improved policy: playouts of bad moves do not count.
Result Root::value(Tree& tree) const {
  const Node& root = tree.node(ROOT);
  if (root.proven != ProvenState::UNPROVEN)
    return {result_of(root.proven), root.proven == ProvenState::DRAWN ? 1.0F : 0.0F};
  const std::span<Edge> edges = tree.edges(root);
  Result result;
  float sum = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].visits == 0) continue;
    const float draws = edges[i].draws / static_cast<float>(edges[i].visits);
    result.score += policy_[i] * edges[i].mean();
    result.draw += policy_[i] * (edges[i].proven == ProvenState::LOST ? 0 : draws);
    sum += policy_[i];
  }
  if (sum <= 0) return {root.value, 0};
  return {result.score / sum, std::min(result.draw / sum, 1.0F)};
}

}  // namespace tengen::selfplay
