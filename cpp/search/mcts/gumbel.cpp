// SPDX-License-Identifier: MIT
#include "search/mcts/gumbel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "base/tunable.h"

namespace tengen::mcts {

namespace {

TUNABLE(GUMBEL_VISITS, 50, 1, 1000, 10, "base visit count of values in sequential halving");
TUNABLE(GUMBEL_SCALE, 100, 1, 1000, 10, "per cent of a logit per visit for a value in [0, 1]");

/// Rounded to fewer bits than the logarithms of math libraries differ in.
double rounded_log(double x) { return static_cast<float>(std::log(x)); }

double sample_gumbel(Rng& rng) {
  const double uniform = (static_cast<double>(rng.next() >> 11) + 0.5) * 0x1p-53;
  return -rounded_log(-std::log(uniform));
}

}  // namespace

GumbelRoot::GumbelRoot(const MctsSettings& settings, u64 key, std::span<const MovePrior> moves) {
  Rng rng(key ^ settings.seed);
  std::vector<double> draws;
  for (const MovePrior& move : moves) {
    const double logit = rounded_log(static_cast<double>(move.prior) / PRIOR_ONE);
    const double noise = sample_gumbel(rng);
    draws.push_back(settings.gumbel_noise > 0 ? logit + settings.gumbel_noise * noise : logit);
  }
  std::vector<size_t> order(moves.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return draws[a] > draws[b]; });
  order.resize(std::min(order.size(), static_cast<size_t>(settings.gumbel)));
  for (const size_t i : order) {
    sampled_.push_back(moves[i]);
    sampled_scores_.push_back(draws[i]);
    kept_.push_back(moves[i].move);
  }
  while ((size_t{1} << phases_) < sampled_.size()) ++phases_;
}

bool GumbelRoot::is_kept(Point move) const {
  return std::find(kept_.begin(), kept_.end(), move) != kept_.end();
}

double GumbelRoot::score(const Edge& edge, u32 max_visits) const {
  const auto at = std::find_if(sampled_.begin(), sampled_.end(),
                               [&](const MovePrior& move) { return move.move == edge.move; });
  const double draw = sampled_scores_[static_cast<size_t>(at - sampled_.begin())];
  const double chance = (edge.q + 1.0) / 2;
  return draw + (GUMBEL_VISITS + static_cast<double>(max_visits)) * GUMBEL_SCALE / 100 * chance;
}

void GumbelRoot::set_progress(Tree& tree, const Node& root, double done) {
  const int phase = std::min(static_cast<int>(done * phases_), phases_ - 1);
  for (; phase_ < phase; ++phase_) {
    const size_t keep = std::max<size_t>((kept_.size() + 1) / 2, 2);
    u32 max_visits = 0;
    tree.for_each_edge(root,
                       [&](const Edge& edge) { max_visits = std::max(max_visits, edge.visits); });
    std::vector<std::pair<double, Point>> scored;
    tree.for_each_edge(root, [&](const Edge& edge) {
      if (edge.proven != ProvenState::LOST && is_kept(edge.move))
        scored.emplace_back(-score(edge, max_visits), edge.move);
    });
    if (scored.size() < 2) continue;
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (scored.size() > keep) scored.resize(keep);
    kept_.clear();
    for (const auto& [negated, move] : scored) kept_.push_back(move);
  }
}

Edge* GumbelRoot::pick(Tree& tree, const Node& root) {
  Edge* best = nullptr;
  u64 min_visits = ~u64{0};
  bool any_kept = false;
  const auto consider = [&](Edge& edge, bool among_all) {
    if (edge.proven == ProvenState::LOST || edge.proven == ProvenState::WON) return;
    if (!among_all && !is_kept(edge.move)) return;
    any_kept = true;
    const u64 count = u64{edge.visits} + edge.in_flight;
    if (count >= min_visits) return;
    min_visits = count;
    best = &edge;
  };
  tree.for_each_edge(root, [&](Edge& edge) { consider(edge, false); });
  const bool unvisited = root.edge_count < root.move_count;
  if (unvisited && (phase_ == 0 || !any_kept) && min_visits > 0) return nullptr;
  // All remaining moves lose: use any other open move.
  if (!any_kept) tree.for_each_edge(root, [&](Edge& edge) { consider(edge, true); });
  return best;
}

}  // namespace tengen::mcts
