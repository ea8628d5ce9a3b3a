// SPDX-License-Identifier: MIT
#include "selfplay/selfplay.h"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace tengen::selfplay {

namespace {

void require(bool holds, const char* words) {
  if (!holds) throw std::invalid_argument(words);
}

/// What memory and loops rely on; Python has checked the rest.
const Settings& checked(const Settings& settings) {
  require(settings.size >= MIN_SIZE && settings.size <= MAX_SIZE, "a board has 5 to 22 lines");
  require(settings.groups >= 1 && settings.games >= settings.groups, "each group needs a game");
  require(settings.playouts >= 1 && settings.small_playouts >= 1, "a search needs a playout");
  require(settings.playouts <= 10000 && settings.small_playouts <= 10000,
          "a search has 10,000 playouts at most");
  require(settings.considered >= 1, "a root considers a move at least");
  require(settings.policy_moves >= 1 && settings.policy_moves <= MAX_POLICY_MOVES,
          "a policy has 1 to 64 moves");
  require(settings.opening_least >= 0 && settings.opening_most >= settings.opening_least &&
              settings.opening_most < settings.size * settings.size,
          "an opening has fewer stones than the board has points");
  require(settings.opening_tries >= 1, "an opening is tried at least once");
  require(settings.move_limit == 0 || settings.move_limit > settings.opening_most,
          "the move limit is beyond the opening");
  return settings;
}

}  // namespace

SelfPlay::SelfPlay(const Settings& settings)
    : common_(checked(settings)), crew_(settings.threads), groups_(settings.groups) {
  for (int member = 0; member < crew_.members(); ++member)
    lookers_.push_back(std::make_unique<Looker>(settings.size, settings.rule));
  Rng seeds(settings.seed);
  for (int g = 0; g < settings.groups; ++g) {
    Group& group = groups_[static_cast<size_t>(g)];
    const int count = settings.games / settings.groups + (g < settings.games % settings.groups);
    group.games.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) group.games.emplace_back(common_, seeds.next());
    group.slot.assign(static_cast<size_t>(count), -1);
  }
}

int SelfPlay::group_size(int group) const {
  return static_cast<int>(groups_.at(static_cast<size_t>(group)).games.size());
}

Leaves SelfPlay::advance(int index, const float* values, const i16* policies, u8* boards) {
  if (failed_) throw std::runtime_error("self-play has failed before and cannot go on");
  Group& group = groups_.at(static_cast<size_t>(index));
  // In a fixed order, and before any thread runs: so games do not depend on threads.
  for (Game& game : group.games)
    if (game.has_chosen()) game.confirm(common_.openings);
  const size_t points = static_cast<size_t>(common_.settings.size) * common_.settings.size;
  failed_ = true;  // until all went well
  crew_.run(group.games.size(), [&](int member, size_t first, size_t last) {
    Looker& looker = *lookers_[static_cast<size_t>(member)];
    for (size_t i = first; i < last; ++i) {
      if (const int slot = group.slot[i]; slot >= 0)
        group.games[i].take_answer({values + 3 * static_cast<size_t>(slot),
                                    policies + points * static_cast<size_t>(slot)});
      group.slot[i] = group.games[i].advance(looker) ? 0 : -1;
    }
  });
  failed_ = false;
  for (Game& game : group.games) {
    if (!game.has_ended()) continue;
    harvest_.add(game.ended(), common_.view, common_.settings.policy_moves);
    game.forget_ended();
  }
  return group.leaves = hand_out(group, boards);
}

/// Gives the leaves their places, and writes them there.
Leaves SelfPlay::hand_out(Group& group, u8* boards) {
  const auto bytes = static_cast<size_t>(bytes_of(common_.settings.size));
  Leaves leaves;
  for (size_t i = 0; i < group.games.size(); ++i)
    leaves.black += group.slot[i] >= 0 && group.games[i].leaf_side() == BLACK;
  const bool by_colour = common_.settings.by_colour;
  int next[2] = {0, by_colour ? leaves.black : 0};
  for (size_t i = 0; i < group.games.size(); ++i) {
    if (group.slot[i] < 0) continue;
    const Game& game = group.games[i];
    int& place = next[by_colour ? side_index(game.leaf_side()) : 0];
    std::memcpy(boards + bytes * static_cast<size_t>(place), game.leaf().data(), bytes);
    group.slot[i] = place++;
    ++leaves.count;
  }
  return leaves;
}

Harvest SelfPlay::take() { return std::exchange(harvest_, {}); }

Work SelfPlay::work() const {
  Work sum;
  for (const Group& group : groups_)
    for (const Game& game : group.games) sum += game.work();
  return sum;
}

u64 SelfPlay::solver_plays() const {
  u64 sum = 0;
  for (const auto& looker : lookers_) sum += looker->solver_plays();
  return sum;
}

}  // namespace tengen::selfplay
