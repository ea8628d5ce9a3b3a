// SPDX-License-Identifier: MIT
// The search of a move: playouts down the tree, leaves for the net, and what is learnt at the end.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "selfplay/game.h"
#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

constexpr float ALL = 255;

u8 share_of_all(float share) {
  return static_cast<u8>(std::lround(std::clamp(share, 0.0F, 1.0F) * ALL));
}

}  // namespace

void Game::begin_search(bool is_full) {
  tree_.clear();
  tree_.node(tree_.add_node()).twin = common_->settings.reuse ? twin_ : NO_NODE;
  path_.clear();
  is_full_ = is_full;
  is_faced_ = false;
  playouts_ = 0;
  wanted_ = is_full ? common_->settings.playouts : common_->settings.small_playouts;
  stage_ = Stage::SEARCHING;
  ++work_.searches;
}

/// A root that the last search has already asked about. False: it has not.
bool Game::begin_from_twin() {
  if (tree_.node(ROOT).twin == NO_NODE) return false;
  const Node& twin = old_tree_.node(tree_.node(ROOT).twin);
  if (!twin.has_value || !twin.is_whole) return false;
  tree_.node(ROOT).value = twin.value;
  tree_.node(ROOT).draw = twin.draw;
  tree_.node(ROOT).has_value = true;
  choices_.clear();
  for (const Edge& edge : old_tree_.edges(twin)) choices_.push_back({edge.move, edge.prior});
  root_.begin(tree_, common_->settings, choices_, temperature(), rng_);
  return true;
}

/// A four can be stopped in several ways: the search begins, but no net is asked about the root.
void Game::begin_without_value(const std::vector<Point>& moves) {
  begin_search(draw_chance(rng_, common_->settings.full_share));
  is_faced_ = true;
  choices_.clear();
  const float equal = 1 / static_cast<float>(moves.size());
  for (const Point p : moves) choices_.push_back({p, equal});
  root_.begin(tree_, common_->settings, choices_, temperature(), rng_);
}

bool Game::is_searched() {
  return playouts_ == wanted_ || tree_.node(ROOT).known != Known::NOTHING;
}

void Game::set_leaf(const Cells& cells, Colour side) {
  leaf_symmetry_ = common_->settings.symmetries ? static_cast<int>(rng_.below(SYMMETRY_NB)) : 0;
  leaf_side_ = side;
  common_->view.pack(cells, side, leaf_symmetry_, leaf_.data());
  waits_ = true;
}

/// One playout, up to the leaf that waits for the net, or to the end if no net is needed.
void Game::descend(Looker& looker) {
  path_.clear();
  u32 at = ROOT;
  for (;;) {
    const Schedule& schedule = is_full_ ? common_->full : common_->small;
    const u32 edge = at == ROOT ? root_.pick(tree_, schedule, playouts_) : tree_.pick(at);
    path_.push_back({at, edge});
    u32 child = tree_.edge(edge).child;
    if (child == NO_NODE) {
      child = tree_.add_node();
      tree_.edge(edge).child = child;
      const u32 twin = old_tree_.child_by(tree_.node(at).twin, tree_.edge(edge).move);
      if (twin != NO_NODE) {
        tree_.copy(child, old_tree_, twin);
        const Node& node = tree_.node(child);
        if (node.has_value) return finish_playout({node.value, node.draw}, Known::NOTHING);
      } else {
        look_at_child(looker, child);
        if (waits_) return;
      }
    }
    const Node& node = tree_.node(child);
    if (node.known != Known::NOTHING)
      return finish_playout({result_of(node.known), node.known == Known::DRAWN ? 1.0F : 0.0F},
                            node.known);
    // All moves that were kept lose: as good as lost, but no proof.
    if (node.lost == node.edge_count) return finish_playout({-1, 0}, Known::NOTHING);
    at = child;
  }
}

void Game::finish_playout(Result result, Known known) {
  tree_.back_up(path_, result, known);
  ++playouts_;
  ++work_.playouts;
}

/// A position that is new in the tree, at the end of the path: something is certain, or its reply
/// is forced, or it waits for the net.
void Game::look_at_child(Looker& looker, u32 child) {
  Cells cells = cells_;
  Colour side = side_;
  for (const Step& step : path_) {
    cells[tree_.edge(step.edge).move] = side;
    side = opponent(side);
  }
  const int left =
      common_->settings.move_limit == 0 ? 0 : moves_left() - static_cast<int>(path_.size());
  Known known = Known::DRAWN;
  if (common_->settings.move_limit == 0 || left > 0) {
    looker.set(cells, side, left);
    known = looker.look(common_->settings.leaf_vcf);
  }
  Node& node = tree_.node(child);
  node.known = node.looked = known;
  if (known != Known::NOTHING) return;
  if (looker.must_stop_five()) {
    choices_.clear();
    const float equal = 1 / static_cast<float>(looker.moves().size());
    for (const Point p : looker.moves()) choices_.push_back({p, equal});
    return tree_.set_moves(child, choices_, true);
  }
  leaf_moves_ = looker.moves();
  waiting_ = child;
  set_leaf(cells, side);
}

/// The probabilities of the leaf's moves, into choices_.
void Game::read_policy(const Answer& answer) {
  const View& view = common_->view;
  choices_.resize(leaf_moves_.size());
  int most = -40000;
  for (size_t i = 0; i < leaf_moves_.size(); ++i) {
    const int logit = answer.policy[view.index(leaf_moves_[i], leaf_symmetry_)];
    choices_[i] = {leaf_moves_[i], static_cast<float>(logit)};
    most = std::max(most, logit);
  }
  float sum = 0;
  for (Choice& choice : choices_) {
    choice.prior = std::exp((choice.prior - static_cast<float>(most)) / LOGIT_STEPS);
    sum += choice.prior;
  }
  for (Choice& choice : choices_) choice.prior /= sum;
}

void Game::expand(const Answer& answer) {
  read_policy(answer);
  const Result result = {answer.value[0] - answer.value[1], answer.value[2]};
  Node& node = tree_.node(waiting_);
  node.value = result.score;
  node.draw = result.draw;
  node.has_value = true;
  if (waiting_ == ROOT) return root_.begin(tree_, common_->settings, choices_, temperature(), rng_);
  // One step below the root, as it may be the next one.
  tree_.set_moves(waiting_, choices_, path_.size() == 1);
  finish_playout(result, Known::NOTHING);
}

void Game::finish_search() {
  current_.playouts += static_cast<u64>(playouts_);
  const Known known = tree_.node(ROOT).known;
  const bool is_kept = is_faced_ ? draw_chance(rng_, common_->settings.faced_share) : is_full_;
  if (is_kept) add_searched_row();
  if (known != Known::NOTHING && known != Known::DRAWN && common_->settings.cut_off)
    return end(known == Known::WON ? side_ : opponent(side_), Ending::PROVEN);
  const Point move = tree_.edge(root_.best(tree_, temperature(), rng_)).move;
  std::swap(tree_, old_tree_);
  twin_ = ROOT;
  play(move);
}

void Game::add_searched_row() {
  const Known known = tree_.node(ROOT).known;
  Row& row = add_row(is_faced_                 ? Source::FORCED
                     : known == Known::NOTHING ? Source::SEARCH
                                               : Source::PROVEN);
  const std::vector<float>& policy = root_.policy(tree_);
  const std::span<Edge> edges = tree_.edges(tree_.node(ROOT));
  // The likeliest moves, the first of equals first.
  std::vector<u16> order(policy.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<u16>(i);
  const size_t count = std::min(order.size(), static_cast<size_t>(common_->settings.policy_moves));
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](u16 a, u16 b) { return policy[a] != policy[b] ? policy[a] > policy[b] : a < b; });
  float sum = 0;
  for (size_t i = 0; i < count; ++i) sum += policy[order[i]];
  for (size_t i = 0; i < count; ++i) {
    row.move[i] = static_cast<u16>(common_->view.index(edges[order[i]].move, 0));
    row.weight[i] = share_of_all(policy[order[i]] / sum);
  }
  const Result value = root_.value(tree_);
  row.has_root = true;
  row.win = share_of_all((1 - value.draw + value.score) / 2);
  row.loss = static_cast<u8>(std::min<int>(share_of_all((1 - value.draw - value.score) / 2),
                                           static_cast<int>(ALL) - row.win));
}

}  // namespace tengen::selfplay
