// SPDX-License-Identifier: MIT
// One game: root threats, forced moves, training rows, end of the game.
#include "selfplay/game.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

/// Stored openings: at most about 100 MB.
constexpr size_t MAX_OPENINGS = 2'000'000;
constexpr u8 ALL = 255;

}  // namespace

SelfPlayContext::SelfPlayContext(const Settings& chosen)
    : settings(chosen),
      packer(chosen.size),
      full(chosen.considered, chosen.playouts),
      small(chosen.considered, chosen.small_playouts),
      openings(MAX_OPENINGS) {}

void WorkCounters::operator+=(const WorkCounters& other) {
  leaves += other.leaves;
  playouts += other.playouts;
  searches += other.searches;
  rows += other.rows;
  moves += other.moves;
}

Game::Game(const SelfPlayContext& common, u64 seed)
    : context_(&common),
      rng_(seed),
      cells_(empty_cells(common.settings.size)),
      tree_(common.settings),
      previous_tree_(common.settings) {
  path_.reserve(64);
}

void Game::set_net_output(const NetOutput& output) {
  waits_for_net_ = false;
  const float sum = output.value[0] + output.value[1] + output.value[2];
  if (!(sum > 0.9F && sum < 1.1F))
    throw std::runtime_error("the net's chances of win, loss and draw do not add up to 1");
  ++counters_.leaves;
  if (stage_ == Stage::SAMPLING_OPENING)
    evaluate_opening(output);
  else
    expand(output);
}

bool Game::advance(LeafInspector& inspector) {
  while (!waits_for_net_) {
    switch (stage_) {
      case Stage::SAMPLING_OPENING:
        if (!sample_next_opening(inspector)) stage_ = Stage::OPENING_CHOSEN;
        break;
      case Stage::OPENING_CHOSEN:
      case Stage::IDLE: return false;
      case Stage::AT_ROOT: inspect_root(inspector); break;
      case Stage::SEARCHING:
        if (is_searched())
          finish_search();
        else
          descend(inspector);
        break;
    }
  }
  return true;
}

int Game::moves_left() const {
  const int limit = context_->settings.move_limit;
  return limit == 0 ? 0 : limit - static_cast<int>(moves_.size());
}

double Game::temperature() const {
  const Settings& settings = context_->settings;
  return static_cast<int>(moves_.size()) < settings.early_moves ? settings.temperature
                                                                : settings.late_temperature;
}

/// Checks the solver and forced replies before a search.
void Game::inspect_root(LeafInspector& inspector) {
  const Settings& settings = context_->settings;
  if (settings.move_limit > 0 && moves_left() <= 0) return end(EMPTY, Ending::DRAW);
  inspector.set(cells_, side_, moves_left());
  const ProvenState proven = inspector.inspect(settings.root_vcf);
  if (proven == ProvenState::DRAWN) return end(EMPTY, Ending::DRAW);
  if (proven != ProvenState::UNPROVEN) return play_proven(inspector, proven);
  const std::vector<Point>& moves = inspector.moves();
  if (moves.size() == 1) {
    add_row_of(moves, Source::FORCED, settings.faced_share);
    return play(moves[0]);
  }
  if (inspector.must_block_four()) return start_without_value(moves);
  leaf_moves_ = moves;
  start_search(sample_chance(rng_, settings.full_share));
  if (start_from_previous_tree()) return;
  leaf_node_ = ROOT;
  set_leaf(cells_, side_);
}

/// The result is proven: ends the game, or plays the winning or losing move.
void Game::play_proven(LeafInspector& inspector, ProvenState proven) {
  const Settings& settings = context_->settings;
  const bool is_five = inspector.position().threats().can_make_five(side_);
  if (proven == ProvenState::WON) add_row_of(inspector.moves(), Source::SOLVER, settings.won_share);
  if (settings.cut_off) {
    const Colour winner = proven == ProvenState::WON ? side_ : opponent(side_);
    return end(winner, Ending::SOLVER);
  }
  if (proven == ProvenState::LOST) return play_lost(inspector);
  const auto count = static_cast<u32>(inspector.moves().size());
  const Colour winner = side_;
  play(inspector.moves()[rng_.below(count)]);
  if (is_five) end(winner, Ending::FIVE);
}

/// A move in a lost position: blocks a five or an open four if that is legal. Without any legal
/// move the game is lost.
void Game::play_lost(LeafInspector& inspector) {
  const Position& position = inspector.position();
  Point move = NO_POINT;
  const auto take = [&](Point p) {
    if (move == NO_POINT && position.patterns().is_legal(side_, p)) move = p;
  };
  position.patterns().for_each_at_least(opponent(side_), Threat::OPEN_FOUR, take);
  position.for_each_near(take);
  position.for_each_empty(take);
  if (move == NO_POINT) return end(opponent(side_), Ending::SOLVER);
  play(move);
}

void Game::place(Point p) {
  cells_[p] = side_;
  moves_.push_back(p);
  side_ = opponent(side_);
}

void Game::play(Point p) {
  ++counters_.moves;
  previous_node_ = previous_tree_.child_by(previous_node_, p);
  place(p);
  stage_ = Stage::AT_ROOT;
}

void Game::end(Stone winner, Ending ending) {
  current_.winner = winner;
  current_.ending = ending;
  current_.moves = moves_;
  std::swap(ended_, current_);
  has_ended_ = true;
  tries_ = resamples_ = 0;
  previous_node_ = NO_NODE;
  stage_ = is_single_ ? Stage::IDLE : Stage::SAMPLING_OPENING;
}

/// Adds a row for the current position, without policy and value.
Row& Game::add_row(Source source) {
  Row& row = current_.rows.emplace_back();
  ++counters_.rows;
  context_->packer.pack(cells_, side_, 0, row.board.data());
  row.move.fill(0);
  row.weight.fill(0);
  row.win = row.loss = 0;
  row.has_root = false;
  row.side = side_;
  row.source = source;
  row.ply = static_cast<u16>(moves_.size());
  return row;
}

/// Adds a row with this probability; all `moves` have equal weight.
void Game::add_row_of(const std::vector<Point>& moves, Source source, double share) {
  if (!sample_chance(rng_, share)) return;
  Row& row = add_row(source);
  const size_t count = std::min(moves.size(), static_cast<size_t>(context_->settings.policy_moves));
  for (size_t i = 0; i < count; ++i) {
    row.move[i] = static_cast<u16>(context_->packer.index(moves[i], 0));
    row.weight[i] = static_cast<u8>(ALL / count);
  }
  row.has_root = source == Source::SOLVER;
  row.win = row.has_root ? ALL : u8{0};
}

}  // namespace tengen::selfplay
