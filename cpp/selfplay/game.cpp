// SPDX-License-Identifier: MIT
// The course of a game: what is known at the root, forced moves, rows, the end.
#include "selfplay/game.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

/// Openings that are remembered: some 100 MB at most.
constexpr size_t MOST_OPENINGS = 2'000'000;
constexpr u8 ALL = 255;

}  // namespace

Common::Common(const Settings& told)
    : settings(told),
      view(told.size),
      full(told.considered, told.playouts),
      small(told.considered, told.small_playouts),
      openings(MOST_OPENINGS) {}

void Work::operator+=(const Work& other) {
  leaves += other.leaves;
  playouts += other.playouts;
  searches += other.searches;
  rows += other.rows;
  moves += other.moves;
}

Game::Game(const Common& common, u64 seed)
    : common_(&common),
      rng_(seed),
      cells_(empty_cells(common.settings.size)),
      tree_(common.settings),
      old_tree_(common.settings) {
  path_.reserve(64);
}

void Game::take_answer(const Answer& answer) {
  waits_ = false;
  const float sum = answer.value[0] + answer.value[1] + answer.value[2];
  if (!(sum > 0.9F && sum < 1.1F))
    throw std::runtime_error("the net's chances of win, loss and draw do not add up to 1");
  ++work_.leaves;
  if (stage_ == Stage::DRAWING)
    weigh_opening(answer);
  else
    expand(answer);
}

bool Game::advance(Looker& looker) {
  while (!waits_) {
    switch (stage_) {
      case Stage::DRAWING:
        if (!draw(looker)) stage_ = Stage::CHOSEN;
        break;
      case Stage::CHOSEN:
      case Stage::RESTING: return false;
      case Stage::AT_ROOT: look_at_root(looker); break;
      case Stage::SEARCHING:
        if (is_searched())
          finish_search();
        else
          descend(looker);
        break;
    }
  }
  return true;
}

int Game::moves_left() const {
  const int limit = common_->settings.move_limit;
  return limit == 0 ? 0 : limit - static_cast<int>(moves_.size());
}

double Game::temperature() const {
  const Settings& settings = common_->settings;
  return static_cast<int>(moves_.size()) < settings.early_moves ? settings.temperature
                                                                : settings.late_temperature;
}

/// Before a move is searched for: what the solver knows, and what is forced.
void Game::look_at_root(Looker& looker) {
  const Settings& settings = common_->settings;
  if (settings.move_limit > 0 && moves_left() <= 0) return end(EMPTY, Ending::DRAW);
  looker.set(cells_, side_, moves_left());
  const Known known = looker.look(settings.root_vcf);
  if (known == Known::DRAWN) return end(EMPTY, Ending::DRAW);
  if (known != Known::NOTHING) return walk(looker, known);
  const std::vector<Point>& moves = looker.moves();
  if (moves.size() == 1) {
    add_row_of(moves, Source::FORCED, settings.faced_share);
    return play(moves[0]);
  }
  if (looker.must_stop_five()) return begin_without_value(moves);
  leaf_moves_ = moves;
  begin_search(draw_chance(rng_, settings.full_share));
  if (begin_from_twin()) return;
  waiting_ = ROOT;
  set_leaf(cells_, side_);
}

/// The solver knows who wins: the game is cut off, or goes on as it has to.
void Game::walk(Looker& looker, Known known) {
  const Settings& settings = common_->settings;
  const bool is_five = looker.position().threats().has_five(side_);
  if (known == Known::WON) add_row_of(looker.moves(), Source::SOLVER, settings.won_share);
  if (settings.cut_off) {
    const Colour winner = known == Known::WON ? side_ : opponent(side_);
    return end(winner, Ending::SOLVER);
  }
  if (known == Known::LOST) return play_lost(looker);
  const auto count = static_cast<u32>(looker.moves().size());
  const Colour winner = side_;
  play(looker.moves()[rng_.below(count)]);
  if (is_five) end(winner, Ending::FIVE);
}

/// A move of a side that cannot stop the opponent: in the way of a five or an open four of his, if
/// that is allowed; without any move that is allowed the game is lost here.
void Game::play_lost(Looker& looker) {
  const Position& position = looker.position();
  Point move = NO_POINT;
  const auto take = [&](Point p) {
    if (move == NO_POINT && position.patterns().may_play(side_, p)) move = p;
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
  ++work_.moves;
  twin_ = old_tree_.child_by(twin_, p);
  place(p);
  stage_ = Stage::AT_ROOT;
}

void Game::end(Stone winner, Ending ending) {
  current_.winner = winner;
  current_.ending = ending;
  current_.moves = moves_;
  std::swap(ended_, current_);
  has_ended_ = true;
  tries_ = redraws_ = 0;
  twin_ = NO_NODE;
  stage_ = is_single_ ? Stage::RESTING : Stage::DRAWING;
}

/// A row of the position as it is, without policy and value.
Row& Game::add_row(Source source) {
  Row& row = current_.rows.emplace_back();
  ++work_.rows;
  common_->view.pack(cells_, side_, 0, row.board.data());
  row.move.fill(0);
  row.weight.fill(0);
  row.win = row.loss = 0;
  row.has_root = false;
  row.side = side_;
  row.source = source;
  row.ply = static_cast<u16>(moves_.size());
  return row;
}

/// A row, with this chance, in which the moves are equally good.
void Game::add_row_of(const std::vector<Point>& moves, Source source, double share) {
  if (!draw_chance(rng_, share)) return;
  Row& row = add_row(source);
  const size_t count = std::min(moves.size(), static_cast<size_t>(common_->settings.policy_moves));
  for (size_t i = 0; i < count; ++i) {
    row.move[i] = static_cast<u16>(common_->view.index(moves[i], 0));
    row.weight[i] = static_cast<u8>(ALL / count);
  }
  row.has_root = source == Source::SOLVER;
  row.win = row.has_root ? ALL : u8{0};
}

}  // namespace tengen::selfplay
