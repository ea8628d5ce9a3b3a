// SPDX-License-Identifier: MIT
// The root of a search: its moves, its node, and its reports.
#include <algorithm>
#include <functional>

#include "search/mcts/mcts.h"
#include "search/mcts/run.h"

namespace tengen {

using namespace mcts;

namespace {

/// Fives come first with the largest priors.
void put_fives_first(const Position& position, std::vector<MovePrior>& moves) {
  const auto wins = [&](const MovePrior& move) {
    return position.patterns().threat(position.side(), move.move) == Threat::FIVE;
  };
  std::vector<u16> priors;
  for (const MovePrior& move : moves) priors.push_back(move.prior);
  std::sort(priors.begin(), priors.end(), std::greater{});
  std::stable_partition(moves.begin(), moves.end(), wins);
  for (size_t i = 0; i < moves.size(); ++i) moves[i].prior = priors[i];
}

}  // namespace

std::vector<MovePrior> Mcts::generate_root_moves(const SearchRequest& request) {
  const Position& position = workers_[0]->position();
  std::vector<ScoredMove> moves;
  for (const Point p : request.search_moves) moves.push_back({p, 0});
  if (moves.empty() && position.empty_count() == position.size() * position.size())
    moves.push_back({make_point(position.size() / 2, position.size() / 2), 0});
  const bool can_make_five = position.threats().can_make_five(request.side);
  if (moves.empty() && !can_make_five)
    generate_moves(position, forced_reply(position), request.last, moves);
  if (moves.empty()) generate_moves(position, ForcedReply::NONE, NO_POINT, moves);
  std::vector<MovePrior> priors;
  workers_[0]->compute_priors(moves, priors);
  if (can_make_five) put_fives_first(position, priors);
  return priors;
}

/// Uses the node of the position if it can have these moves, otherwise a detached root.
void Mcts::make_root(const SearchRequest& request, const std::vector<MovePrior>& moves) {
  if (shared_.root != NO_NODE && tree_.node(shared_.root).is_detached_root)
    tree_.free_node(shared_.root);
  shared_ = {};
  gumbel_.reset();
  if (!settings_.tree_reuse) tree_.clear();
  std::vector<MovePrior> root_moves = moves;
  if (settings_.gumbel > 0 && request.multipv == 1) {
    gumbel_.emplace(settings_, workers_[0]->position().key(), moves);
    root_moves = gumbel_->sampled();
  }
  const bool is_detached_root = !request.search_moves.empty() || request.multipv > 1 || gumbel_;
  const auto make = [&] {
    return (!is_detached_root && make_hashed_root(root_moves)) || make_detached_root(root_moves);
  };
  if (make()) return;
  tree_.clear();  // the tree is full: this search needs the room more than old positions do
  make();
}

/// Whether all sampled moves of sequential halving lose and others are left. `moves` becomes the
/// others.
bool Mcts::all_sampled_moves_lose(std::vector<MovePrior>& moves) {
  if (!gumbel_) return false;
  {
    Node& root = tree_.node(shared_.root);
    const SpinGuard guard(root.lock);
    if (!root.proven_result.is_loss()) return false;
  }
  std::erase_if(moves, [&](const MovePrior& move) {
    const auto& sampled = gumbel_->sampled();
    return std::any_of(sampled.begin(), sampled.end(),
                       [&](const MovePrior& one) { return one.move == move.move; });
  });
  return !moves.empty();
}

/// False if there is no memory, or the position is proven without a known move.
bool Mcts::make_hashed_root(const std::vector<MovePrior>& moves) {
  const Index index = tree_.find_or_add(workers_[0]->position().key()).node;
  if (index == NO_NODE) return false;
  Node& node = tree_.node(index);
  if (node.stage == Stage::EXPANDED) {
    shared_.root = index;
    return !node.proven_result.is_known() || node.edge_count > 0;
  }
  if (node.proven_result.is_known()) return false;
  if (node.stage == Stage::NEW) fill_root(node);
  if (!tree_.set_moves(node, moves)) return false;
  node.stage = Stage::EXPANDED;
  shared_.root = index;
  return true;
}

bool Mcts::make_detached_root(const std::vector<MovePrior>& moves) {
  const Index index = tree_.add_detached_root();
  if (index == NO_NODE) return false;
  Node& node = tree_.node(index);
  fill_root(node);
  node.key = workers_[0]->position().key();
  node.stage = Stage::EXPANDED;
  shared_.root = index;
  return tree_.set_moves(node, moves);
}

/// Evaluates the root, unless a five is possible.
void Mcts::fill_root(Node& node) {
  const ThreatBoard& threats = workers_[0]->position().threats();
  node.stage = Stage::EVALUATED;
  if (threats.can_make_five(BLACK) || threats.can_make_five(WHITE)) return;
  node.value = workers_[0]->value();
  node.value_sum = node.value;
  node.value_weight = 1;
}

/// The requested lines, best first; at least one.
std::vector<SearchInfo> Mcts::infos(const Run& run) {
  std::vector<RankedMove> moves =
      ranked_moves(tree_, shared_.root, settings_, gumbel_ ? &*gumbel_ : nullptr);
  if (moves.empty() || is_loss(moves[0].value)) {
    // Stopped before the first playout, or all visited moves lose: use the policy's next move.
    Node& root = tree_.node(shared_.root);
    const SpinGuard guard(root.lock);
    const bool is_open = !root.proven_result.is_known() && root.edge_count < root.move_count;
    if (is_open || moves.empty())
      moves.insert(moves.begin(), {root.next_move, 0, eval_from_result(root.mean()), 0, NO_NODE});
  }
  const size_t lines = std::min(moves.size(), static_cast<size_t>(run.request.multipv));
  int selective_depth = 0;
  for (const auto& worker : workers_)
    selective_depth = std::max(selective_depth, worker->selective_depth());
  std::vector<SearchInfo> infos(lines);
  for (size_t i = 0; i < lines; ++i) {
    SearchInfo& info = infos[i];
    info.pv = line_of(tree_, moves[i]).moves;
    info.depth = static_cast<int>(info.pv.size());
    info.selective_depth = std::max(selective_depth, info.depth);
    info.multipv = static_cast<int>(i) + 1;
    info.visits = moves[i].visits;
    info.value = moves[i].value;
    info.stats = stats(run);
    info.nanoseconds = StopCondition::now_in_nanoseconds() - run.start_time;
    info.hashfull = tree_.hashfull();
  }
  return infos;
}

SearchStats Mcts::stats(const Run& run) const {
  SearchStats sum;
  sum.nodes = run.done.load(std::memory_order_relaxed);
  sum.solver_nodes = run.solver_nodes;
  for (const auto& worker : workers_) {
    sum.evaluations += worker->evaluations();
    sum.solver_nodes += worker->solver_nodes();
  }
  return sum;
}

}  // namespace tengen
