// SPDX-License-Identifier: MIT
// Opening selection: samples openings and plays the most balanced one by the net's value.
#include <cmath>

#include "selfplay/game.h"
#include "selfplay/random.h"

namespace tengen::selfplay {

namespace {

constexpr int MAX_RESAMPLES = 3;

}  // namespace

/// Samples the next opening. False: all tries are done.
bool Game::sample_next_opening(LeafInspector& inspector) {
  const Settings& settings = context_->settings;
  if (tries_ == settings.opening_tries) return false;
  sample_opening(inspector, settings, context_->openings, rng_, candidate_);
  Cells cells = empty_cells(settings.size);
  Colour side = BLACK;
  for (const Point p : candidate_) {
    cells[p] = side;
    side = opponent(side);
  }
  set_leaf(cells, side);
  return true;
}

void Game::evaluate_opening(const NetOutput& output) {
  const double lead = std::abs(output.value[0] - output.value[1]);
  const double sum = lead + context_->settings.opening_noise * sample_uniform(rng_);
  if (tries_ == 0 || sum < best_imbalance_) {
    best_imbalance_ = sum;
    best_opening_ = candidate_;
  }
  ++tries_;
}

void Game::accept_opening(PlayedOpenings& openings) {
  // Another game may have started with it. Repeats are accepted if new openings run out, as on
  // small boards.
  const bool is_new = openings.add(canonical_key(best_opening_, context_->settings.size));
  if (!is_new && resamples_ < MAX_RESAMPLES) {
    ++resamples_;
    tries_ = 0;
    stage_ = Stage::SAMPLING_OPENING;
    return;
  }
  begin(best_opening_);
}

void Game::play_once(const std::vector<Point>& opening) {
  is_single_ = true;
  waits_for_net_ = false;
  previous_node_ = NO_NODE;
  begin(opening);
}

void Game::begin(const std::vector<Point>& opening) {
  cells_ = empty_cells(context_->settings.size);
  side_ = BLACK;
  moves_.clear();
  for (const Point p : opening) place(p);
  current_.rows.clear();
  current_.opening = static_cast<int>(opening.size());
  current_.playouts = 0;
  stage_ = Stage::AT_ROOT;
}

}  // namespace tengen::selfplay
