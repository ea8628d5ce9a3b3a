// SPDX-License-Identifier: MIT
#include "selfplay/selfplay.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace tengen::selfplay {

namespace {

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

/// Infinities and NaN would pass range checks by comparison, or fail deep inside a search.
void require_finite(const Settings& settings) {
  struct Field {
    const char* name;
    double Settings::* value;
  };
  constexpr Field FIELDS[] = {{"full_share", &Settings::full_share},
                              {"gumbel_visits", &Settings::gumbel_visits},
                              {"gumbel_scale", &Settings::gumbel_scale},
                              {"c", &Settings::c},
                              {"fpu", &Settings::fpu},
                              {"noise_total", &Settings::noise_total},
                              {"noise_share", &Settings::noise_share},
                              {"temperature", &Settings::temperature},
                              {"late_temperature", &Settings::late_temperature},
                              {"won_share", &Settings::won_share},
                              {"faced_share", &Settings::faced_share},
                              {"opening_noise", &Settings::opening_noise}};
  for (const Field& field : FIELDS)
    if (!std::isfinite(settings.*field.value))
      throw std::invalid_argument(std::string(field.name) + " must be a finite number");
}

/// Conditions of memory safety and termination; Python validates the rest.
const Settings& checked(const Settings& settings) {
  require_finite(settings);
  require(settings.size >= MIN_SIZE && settings.size <= MAX_SIZE, "a board has 5 to 22 lines");
  require(settings.groups >= 1 && settings.games >= settings.groups,
          "each group needs at least one game");
  require(settings.playouts >= 1 && settings.small_playouts >= 1, "playouts must be at least 1");
  require(settings.playouts <= 10000 && settings.small_playouts <= 10000,
          "playouts must be at most 10,000");
  require(settings.considered >= 1, "considered must be at least 1");
  require(settings.policy_moves >= 1 && settings.policy_moves <= MAX_POLICY_MOVES,
          "policy_moves must be from 1 to 64");
  require(settings.opening_least >= 0 && settings.opening_most >= settings.opening_least &&
              settings.opening_most < settings.size * settings.size,
          "an opening has fewer stones than the board has points");
  require(settings.opening_tries >= 1, "opening_tries must be at least 1");
  require(settings.move_limit == 0 || settings.move_limit > settings.opening_most,
          "move_limit must exceed the opening");
  return settings;
}

/// Stones on distinct points, and at least one empty point.
void check_opening(const std::vector<Point>& opening, int size) {
  Cells cells = empty_cells(size);
  for (const Point p : opening) {
    require(x_of(p) >= 0 && x_of(p) < size && y_of(p) >= 0 && y_of(p) < size && cells[p] == EMPTY,
            "stones of an opening are on different points of the board");
    cells[p] = BLACK;
  }
  require(opening.size() < static_cast<size_t>(size) * static_cast<size_t>(size),
          "an opening must leave at least one empty point");
}

}  // namespace

SelfPlay::SelfPlay(const Settings& settings)
    : context_(checked(settings)), workers_(settings.threads), groups_(settings.groups) {
  for (int worker = 0; worker < workers_.size(); ++worker)
    inspectors_.push_back(std::make_unique<LeafInspector>(settings.size, settings.rule));
  Rng seeds(settings.seed);
  for (int g = 0; g < settings.groups; ++g) {
    Group& group = groups_[static_cast<size_t>(g)];
    const int count = settings.games / settings.groups + (g < settings.games % settings.groups);
    group.games.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) group.games.emplace_back(context_, seeds.next());
    group.statuses.resize(static_cast<size_t>(count));
    group.packed.resize(static_cast<size_t>(count * bytes_of(settings.size)));
  }
}

void SelfPlay::play_once(const std::vector<std::vector<Point>>& openings) {
  const auto games = static_cast<size_t>(context_.settings.games);
  require(!has_started_, "openings must be set before the first game");
  require(openings.size() == games, "expected an opening for each game");
  for (const std::vector<Point>& opening : openings) check_opening(opening, context_.settings.size);
  size_t next = 0;
  for (Group& group : groups_)
    for (Game& game : group.games) game.play_once(openings[next++]);
}

int SelfPlay::idle_games() const {
  int count = 0;
  for (const Group& group : groups_)
    for (const Game& game : group.games) count += game.is_idle();
  return count;
}

int SelfPlay::group_size(int group) const {
  return static_cast<int>(groups_.at(static_cast<size_t>(group)).games.size());
}

Leaves SelfPlay::advance(int index, const float* values, const i16* policies, u8* boards) {
  if (failed_) throw std::runtime_error("self-play has failed before and cannot continue");
  Group& group = groups_.at(static_cast<size_t>(index));
  // In a fixed order before any thread runs: games do not depend on threads.
  for (size_t i = 0; i < group.games.size(); ++i)
    if (group.statuses[i].has_opening) group.games[i].accept_opening(context_.openings);
  failed_ = has_started_ = true;  // until this call succeeds
  workers_.run(group.games.size(), [&](int worker, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i)
      advance_game(group, i, *inspectors_[static_cast<size_t>(worker)], values, policies);
  });
  failed_ = false;
  collect_finished(group);
  return group.leaves = assign_slots(group, boards);
}

void SelfPlay::advance_game(Group& group, size_t i, LeafInspector& inspector, const float* values,
                            const i16* policies) {
  Game& game = group.games[i];
  GameStatus& status = group.statuses[i];
  if (status.slot >= 0) {
    const auto slot = static_cast<size_t>(status.slot);
    const size_t points = static_cast<size_t>(context_.settings.size) * context_.settings.size;
    game.set_net_output({values + 3 * slot, policies + points * slot});
  }
  const bool waits = game.advance(inspector);
  const Colour side = context_.settings.by_mover ? game.mover() : game.leaf_side();
  status = {waits ? 0 : -1, side, game.has_opening(), game.has_ended()};
  const auto bytes = static_cast<size_t>(bytes_of(context_.settings.size));
  std::memcpy(&group.packed[i * bytes], game.leaf().data(), bytes);
}

/// Collects finished games in order.
void SelfPlay::collect_finished(Group& group) {
  for (size_t i = 0; i < group.games.size(); ++i) {
    if (!group.statuses[i].has_ended) continue;
    finished_games_.add(group.games[i].ended(), context_.packer, context_.settings.policy_moves);
    group.games[i].clear_ended();
  }
}

/// Assigns batch slots to the leaves and writes their boards.
Leaves SelfPlay::assign_slots(Group& group, u8* boards) const {
  const auto bytes = static_cast<size_t>(bytes_of(context_.settings.size));
  Leaves leaves;
  for (const GameStatus& status : group.statuses)
    leaves.black += status.slot >= 0 && status.side == BLACK;
  const bool is_sorted = context_.settings.by_colour || context_.settings.by_mover;
  int next[2] = {0, is_sorted ? leaves.black : 0};
  for (size_t i = 0; i < group.statuses.size(); ++i) {
    GameStatus& status = group.statuses[i];
    if (status.slot < 0) continue;
    status.slot = next[is_sorted ? side_index(status.side) : 0]++;
    std::memcpy(boards + bytes * static_cast<size_t>(status.slot), &group.packed[i * bytes], bytes);
    ++leaves.count;
  }
  return leaves;
}

GameBatch SelfPlay::take() { return std::exchange(finished_games_, {}); }

WorkCounters SelfPlay::counters() const {
  WorkCounters sum;
  for (const Group& group : groups_)
    for (const Game& game : group.games) sum += game.counters();
  return sum;
}

u64 SelfPlay::solver_nodes() const {
  u64 sum = 0;
  for (const auto& inspector : inspectors_) sum += inspector->solver_nodes();
  return sum;
}

}  // namespace tengen::selfplay
