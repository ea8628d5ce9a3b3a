// SPDX-License-Identifier: MIT
// Invariants of the time plan for any values of its tunables.
#include <algorithm>
#include <vector>

#include "check.h"
#include "engine/time_plan.h"

using namespace tengen;

namespace {

/// Minimum plan: an empty clock still needs a move.
constexpr double LEAST = 0.001;

const std::vector<double> CLOCKS = {0.0001, 0.001, 0.005, 0.03, 0.031, 0.05, 0.1,  0.5,   1,
                                    2,      5,     10,    30,   60,    180,  1000, 36000, 1e7};
const std::vector<double> INCREMENTS = {0, 0.001, 0.05, 0.1, 1, 10, 100};
const std::vector<double> TURNS = {0, 0.0005, 0.01, 0.1, 1, 5, 30, 1e6};

struct Field {
  int stones, points;
};
const std::vector<Field> FIELDS = {{0, 225},   {1, 225},   {40, 225}, {120, 225},
                                   {223, 225}, {224, 225}, {0, 25},   {24, 25},
                                   {0, 484},   {300, 484}, {483, 484}};

template <typename Visit>
void for_all(Visit visit) {
  for (const double clock : CLOCKS)
    for (const double increment : INCREMENTS)
      for (const double turn : TURNS)
        for (const Field& field : FIELDS) visit(TimeLimits{turn, clock, increment}, field);
}

TimePlan plan(const TimeLimits& limits, const Field& field) {
  return plan_time(limits, field.stones, field.points);
}

}  // namespace

TEST(without_limits_there_is_no_plan) {
  for (const Field& field : FIELDS)
    for (const double increment : INCREMENTS) {
      CHECK_EQ(plan({0, 0, increment}, field).maximum, 0.0);
      CHECK_EQ(plan({0, 0, increment}, field).optimum, 0.0);
    }
}

TEST(turn_alone_is_used_up) {
  for (const Field& field : FIELDS)
    for (const double turn : TURNS) {
      CHECK_EQ(plan({turn, 0, 0}, field).maximum, turn);
      CHECK_EQ(plan({turn, 0, 0}, field).optimum, 0.0);
    }
}

TEST(turn_is_used_up_where_the_clock_has_more) {
  for (const Field& field : FIELDS)
    for (const double turn : {0.01, 0.5, 5.0}) {
      const TimePlan made = plan({turn, 1000 * turn, 0}, field);
      CHECK_EQ(made.maximum, turn);
      // Searches stop early at a share of the optimum; a quarter is less than any of them.
      CHECK(made.optimum / 4 > turn);
      // What the clock has for the move does not depend on how much of it the move may take.
      CHECK_EQ(made.optimum, plan({0, 1000 * turn, 0}, field).optimum);
    }
}

TEST(plan_stays_within_turn_and_clock) {
  for_all([](const TimeLimits& limits, const Field& field) {
    const TimePlan made = plan(limits, field);
    CHECK(made.optimum > 0 && made.maximum > 0);
    if (limits.turn == 0) CHECK(made.optimum <= made.maximum);
    CHECK(made.optimum <= std::max(limits.clock, LEAST));
    CHECK(made.maximum <= std::max(limits.clock, LEAST));
    if (limits.turn > 0) CHECK(made.maximum <= limits.turn);
    // Messages take time: all of the clock is never used.
    if (limits.clock > 0.1) CHECK(made.maximum <= limits.clock - 0.02);
  });
}

TEST(plans_of_a_game_fit_into_the_clock) {
  for (const double clock : {0.5, 1.0, 10.0, 180.0})
    for (const double increment : {0.0, 0.1, 1.0})
      for (const int points : {25, 225, 484}) {
        double left = clock;
        for (int stones = 0; stones < points && left > 0; stones += 2) {
          left -= plan({0, left, increment}, {stones, points}).optimum;
          CHECK(left > 0);
          left += increment;
        }
      }
}

TEST(more_time_is_never_a_shorter_plan) {
  for (const double increment : INCREMENTS)
    for (const double turn : TURNS)
      for (const Field& field : FIELDS) {
        TimePlan before{};
        for (const double clock : CLOCKS) {
          const TimePlan made = plan({turn, clock, increment}, field);
          CHECK(made.optimum >= before.optimum);
          CHECK(made.maximum >= before.maximum);
          before = made;
        }
      }
  for (const double clock : CLOCKS)
    for (const Field& field : FIELDS) {
      TimePlan before{};
      for (const double increment : INCREMENTS) {
        const TimePlan made = plan({0, clock, increment}, field);
        CHECK(made.optimum >= before.optimum);
        CHECK(made.maximum >= before.maximum);
        before = made;
      }
    }
}

TEST(fuller_board_is_never_a_shorter_plan) {
  for (const double clock : CLOCKS)
    for (const int points : {25, 225, 484}) {
      TimePlan before{};
      for (int stones = 0; stones < points; ++stones) {
        const TimePlan made = plan_time({0, clock, 0}, stones, points);
        CHECK(made.optimum >= before.optimum);
        before = made;
      }
    }
}
