// SPDX-License-Identifier: MIT
// How a game begins: some openings are drawn, the net says which is the most balanced.
#include <cmath>

#include "selfplay/game.h"
#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

constexpr int MOST_REDRAWS = 3;

}  // namespace

/// Draws the next opening to try. False: all were tried.
bool Game::draw(Looker& looker) {
  const Settings& settings = common_->settings;
  if (tries_ == settings.opening_tries) return false;
  draw_opening(looker, settings, common_->openings, rng_, candidate_);
  Cells cells = empty_cells(settings.size);
  Colour side = BLACK;
  for (const Point p : candidate_) {
    cells[p] = side;
    side = opponent(side);
  }
  set_leaf(cells, side);
  return true;
}

void Game::weigh_opening(const Answer& answer) {
  const double lead = std::abs(answer.value[0] - answer.value[1]);
  const double sum = lead + common_->settings.opening_noise * draw_uniform(rng_);
  if (tries_ == 0 || sum < least_) {
    least_ = sum;
    best_opening_ = candidate_;
  }
  ++tries_;
}

void Game::confirm(PlayedOpenings& openings) {
  // Another game may have begun with it since it was drawn. Where openings have run out, as on
  // small boards, old ones are played again.
  const bool is_new = openings.add(canonical_key(best_opening_, common_->settings.size));
  if (!is_new && redraws_ < MOST_REDRAWS) {
    ++redraws_;
    tries_ = 0;
    stage_ = Stage::DRAWING;
    return;
  }
  begin(best_opening_);
}

void Game::play_once(const std::vector<Point>& opening) {
  is_single_ = true;
  waits_ = false;
  twin_ = NO_NODE;
  begin(opening);
}

void Game::begin(const std::vector<Point>& opening) {
  cells_ = empty_cells(common_->settings.size);
  side_ = BLACK;
  moves_.clear();
  for (const Point p : opening) place(p);
  current_.rows.clear();
  current_.opening = static_cast<int>(opening.size());
  current_.playouts = 0;
  stage_ = Stage::AT_ROOT;
}

}  // namespace tengen::selfplay
