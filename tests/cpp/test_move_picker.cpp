// SPDX-License-Identifier: MIT
// Moves of a node: each candidate once, none illegal; where a five or an open four must be stopped,
// exactly the possible defences according to the referee.
#include <algorithm>
#include <set>

#include "check.h"
#include "search/alphabeta/move_picker.h"
#include "searches.h"

using namespace tengen;

namespace {

/// A picker on a position, and what it needs.
class Picking {
 public:
  explicit Picking(const GamePosition& start)
      : position(start.size, start.rule, std::make_unique<FakeEvaluator>()) {
    position.assign(start.cells, start.side, 0);
  }

  std::vector<Point> pick(ForcedReply forced, Point tt_move = NO_POINT, int keep = 1 << 20) {
    OrderingHints hints;
    hints.tt_move = tt_move;
    std::vector<Point> moves;
    MovePicker picker(position, history, params, hints, forced, NO_POINT, room);
    picker.limit(keep);
    int behind = 0;
    for (Point p = picker.next(); p != NO_POINT; p = picker.next()) {
      // Best first, by scores that only fall.
      CHECK(picker.score_below_best() >= behind || p == tt_move);
      if (p != tt_move) behind = picker.score_below_best();
      moves.push_back(p);
    }
    CHECK_EQ(picker.next(), NO_POINT);
    return moves;
  }

  Position position;
  const SearchParams params = SearchParams::for_classical();
  History history;
  std::vector<ScoredMove> room;
};

std::vector<Point> sorted(std::vector<Point> points) {
  std::sort(points.begin(), points.end());
  return points;
}

/// Legal points for the side to move, by the referee.
std::vector<Point> legal(const GamePosition& position) {
  Referee referee(position.cells, position.rule);
  std::vector<Point> points;
  for (const Point p : board_points(position.size))
    if (position.cells[p] == EMPTY && (!has_forbidden_moves(position.rule, position.side) ||
                                       referee.forbidden(p) == Forbidden::NONE))
      points.push_back(p);
  return points;
}

std::vector<Point> fives(Referee& referee, int size, Colour colour) {
  std::vector<Point> points;
  for (const Point p : board_points(size))
    if (referee.cells()[p] == EMPTY && referee.makes_five(p, colour)) points.push_back(p);
  return points;
}

/// Open fours that the colour could play at once.
std::vector<Point> open_fours(const GamePosition& position, Colour colour) {
  Referee referee(position.cells, position.rule);
  std::vector<Point> points;
  for (const Point p : board_points(position.size)) {
    if (position.cells[p] != EMPTY) continue;
    const PointReport report = referee.classify(p, colour);
    // A black double-three candidate may be forbidden; the patterns have a class of its own for it.
    if (report.open_four && report.forbidden == Forbidden::NONE && !report.double_three_candidate)
      points.push_back(p);
  }
  return points;
}

/// Middle games of small and large boards in which the referee's fives are as wanted.
template <typename Visit>
void for_games(u64 seed, int count, bool other_has_five, Visit visit) {
  Rng rng(seed);
  for (int i = 0; i < count;) {
    const int size = rng.below(3) ? 9 : 15;
    const GamePosition position = middle_game(rng, size, static_cast<Rule>(i % RULE_NB));
    PatternBoard patterns(size, position.rule);
    patterns.assign(position.cells);
    if (patterns.count(position.side, Threat::FIVE) > 0) continue;
    if ((patterns.count(opponent(position.side), Threat::FIVE) > 0) != other_has_five) continue;
    ++i;
    visit(position);
  }
}

/// After one of these the opponent, who threatens a five, cannot make it at once.
std::vector<Point> plain_stops(const GamePosition& position) {
  const Colour other = opponent(position.side);
  Referee referee(position.cells, position.rule);
  const std::vector<Point> threatened = fives(referee, position.size, other);
  std::vector<Point> stops;
  for (const Point p : legal(position)) {
    referee.set(p, position.side);
    const bool open = std::any_of(threatened.begin(), threatened.end(), [&](Point five) {
      return five != p && referee.makes_five(five, other);
    });
    if (!open) stops.push_back(p);
    referee.set(p, EMPTY);
  }
  return stops;
}

}  // namespace

TEST(forced_reply_agrees_with_the_referee) {
  const auto check_duty = [](const GamePosition& position) {
    Referee referee(position.cells, position.rule);
    const Colour other = opponent(position.side);
    const ForcedReply expected =
        !fives(referee, position.size, other).empty() ? ForcedReply::BLOCK_FOUR
        : !open_fours(position, other).empty()        ? ForcedReply::BLOCK_OPEN_THREE
                                                      : ForcedReply::NONE;
    CHECK_EQ(static_cast<int>(forced_reply(Picking(position).position)),
             static_cast<int>(expected));
  };
  for_games(1, 300, false, check_duty);
  for_games(2, 100, true, check_duty);
}

TEST(without_a_forced_reply_all_near_legal_moves_are_generated) {
  for_games(3, 300, false, [](const GamePosition& position) {
    Picking picking(position);
    std::vector<Point> expected;
    const std::vector<Point> may = legal(position);
    picking.position.for_each_near([&](Point p) {
      if (std::binary_search(may.begin(), may.end(), p)) expected.push_back(p);
    });
    CHECK(sorted(picking.pick(ForcedReply::NONE)) == expected);
    CHECK(picking.room.empty());
  });
}

TEST(side_without_a_legal_point_has_no_moves) {
  // Both empty points would give black seven in a row, which renju forbids.
  const GamePosition position = drawn(Rule::RENJU, BLACK,
                                      {"OOOOOOOOO",  //
                                       "OXXX.XXXO",  //
                                       "OOOOOOOOO",  //
                                       "OXXX.XXXO",  //
                                       "OOOOOOOOO",  //
                                       "OOOOOOOOO",  //
                                       "OOOOOOOOO",  //
                                       "OOOOOOOOO",  //
                                       "OOOOOOOOO"});
  CHECK(Picking(position).pick(ForcedReply::NONE).empty());
  GamePosition white = position;
  white.side = WHITE;
  CHECK_EQ(Picking(white).pick(ForcedReply::NONE).size(), size_t{2});
}

TEST(stop_five_generates_exactly_the_defences) {
  int lost = 0, several = 0;
  for_games(4, 1200, true, [&](const GamePosition& position) {
    const std::vector<Point> expected = plain_stops(position);
    Picking picking(position);
    if (sorted(picking.pick(ForcedReply::BLOCK_FOUR)) != expected)
      check::fail(__FILE__, __LINE__, "other stops: " + describe(position));
    lost += expected.empty();
    several += expected.size() > 1;  // caro: by closing the five
  });
  CHECK(lost > 50 && several > 50);
}

TEST(stop_five_searches_near_the_last_move) {
  // With the opponent's last move known, the same stops are found.
  Rng rng(5);
  int checked = 0;
  for (int i = 0; checked < 200; ++i) {
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const std::vector<Placed> stones = random_middle_game(rng, 15, rule);
    const GamePosition position = position_of(15, rule, stones);
    Picking picking(position);
    const PatternBoard& patterns = picking.position.patterns();
    if (patterns.count(position.side, Threat::FIVE) > 0) continue;
    if (patterns.count(opponent(position.side), Threat::FIVE) == 0) continue;
    ++checked;
    OrderingHints hints;
    MovePicker picker(picking.position, picking.history, picking.params, hints,
                      ForcedReply::BLOCK_FOUR, stones.back().point, picking.room);
    std::vector<Point> moves;
    for (Point p = picker.next(); p != NO_POINT; p = picker.next()) moves.push_back(p);
    CHECK(sorted(moves) == plain_stops(position));
  }
}

TEST(stop_four_generates_fours_and_defences) {
  // That moves which are not given lose is shown in test_claims.cpp.
  int checked = 0, fours = 0, stops = 0;
  for_games(6, 1500, false, [&](const GamePosition& position) {
    const Colour side = position.side, other = opponent(side);
    const std::vector<Point> threatened = open_fours(position, other);
    if (threatened.empty()) return;
    ++checked;
    Picking picking(position);
    const std::vector<Point> may = legal(position),
                             given = picking.pick(ForcedReply::BLOCK_OPEN_THREE);
    Referee referee(position.cells, position.rule);
    for (const Point p : given) {
      CHECK(std::binary_search(may.begin(), may.end(), p));
      referee.set(p, side);
      const bool is_four = !fives(referee, position.size, side).empty();
      const bool stops_all = std::none_of(threatened.begin(), threatened.end(), [&](Point four) {
        return four != p && referee.classify(four, other).open_four;
      });
      referee.set(p, EMPTY);
      CHECK(is_four || stops_all);
      ++(is_four ? fours : stops);
    }
    CHECK_EQ(std::set<Point>(given.begin(), given.end()).size(), given.size());
  });
  CHECK(checked > 200 && fours > 200 && stops > 200);
}

TEST(tt_move_comes_first_and_once) {
  for_games(7, 60, false, [](const GamePosition& position) {
    Picking picking(position);
    const std::vector<Point> all = picking.pick(ForcedReply::NONE);
    for (const Point move : all) {
      const std::vector<Point> moves = picking.pick(ForcedReply::NONE, move);
      CHECK_EQ(moves.front(), move);
      CHECK(sorted(moves) == sorted(all));
    }
  });
  for_games(8, 60, true, [](const GamePosition& position) {
    Picking picking(position);
    const std::vector<Point> all = picking.pick(ForcedReply::BLOCK_FOUR);
    for (const Point move : all) {
      const std::vector<Point> moves = picking.pick(ForcedReply::BLOCK_FOUR, move);
      CHECK_EQ(moves.front(), move);
      CHECK(sorted(moves) == sorted(all));
    }
  });
}

TEST(invalid_tt_moves_are_skipped) {
  // Any ten bits: a point with a stone, of the margin, off the board, forbidden.
  int refused = 0;
  for_games(9, 40, false, [&](const GamePosition& position) {
    Picking picking(position);
    const std::vector<Point> may = legal(position);
    const std::vector<Point> all = picking.pick(ForcedReply::NONE);
    for (int bits = 0; bits < GRID_CELLS; ++bits) {
      const auto move = static_cast<Point>(bits);
      const std::vector<Point> moves = picking.pick(ForcedReply::NONE, move);
      const bool good = std::binary_search(may.begin(), may.end(), move);
      CHECK_EQ(moves.front() == move, good || all.front() == move);
      for (const Point p : moves) CHECK(std::binary_search(may.begin(), may.end(), p));
      CHECK_EQ(std::set<Point>(moves.begin(), moves.end()).size(), moves.size());
      refused += !good;
    }
  });
  CHECK(refused > 1000);
}

TEST(limit_keeps_the_best_moves) {
  for_games(10, 60, false, [](const GamePosition& position) {
    Picking picking(position);
    const std::vector<Point> all = picking.pick(ForcedReply::NONE);
    for (const int count : {1, 3, 10}) {
      const auto kept = std::min(static_cast<size_t>(count), all.size());
      CHECK(picking.pick(ForcedReply::NONE, NO_POINT, count) ==
            std::vector<Point>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)));
      // A table move that is not among them comes on top.
      const std::vector<Point> more = picking.pick(ForcedReply::NONE, all.back(), count);
      CHECK_EQ(more.size(), std::min(static_cast<size_t>(count) + 1, all.size()));
    }
  });
}

TEST(history_changes_the_order) {
  for_games(11, 40, false, [](const GamePosition& position) {
    Picking picking(position);
    const std::vector<Point> before = picking.pick(ForcedReply::NONE);
    const Point last = before.back();
    // The scores of the evaluator lie within 1000 points of each other.
    for (int i = 0; i < 1000; ++i) {
      picking.history.move(position.side, last).add(HistoryEntry::LIMIT);
      picking.history.continuation1(position.side, NO_POINT)[board_index(last)].add(
          HistoryEntry::LIMIT);
      picking.history.continuation2(position.side, NO_POINT)[board_index(last)].add(
          HistoryEntry::LIMIT);
    }
    OrderingHints hints;
    hints.continuation1 = &picking.history.continuation1(position.side, NO_POINT);
    hints.continuation2 = &picking.history.continuation2(position.side, NO_POINT);
    hints.killers[1] = hints.counter_move = last;
    const auto rank = [&] {
      MovePicker picker(picking.position, picking.history, picking.params, hints, ForcedReply::NONE,
                        NO_POINT, picking.room);
      int n = 0;
      while (picker.next() != last) ++n;
      return n;
    };
    const int with = rank();
    CHECK(with < static_cast<int>(before.size()) - 1 || before.size() == 1);
    picking.history.clear();
    hints.killers[1] = hints.counter_move = NO_POINT;
    CHECK_EQ(rank(), static_cast<int>(before.size()) - 1);
  });
}

TEST(history_entries_stay_within_their_limit) {
  Rng rng(12);
  HistoryEntry cell;
  int most = 0, least = 0;
  for (int i = 0; i < 20000; ++i) {
    const int direction = (i / 2000) % 2 ? -1 : 1;
    const int before = cell;
    const int bonus = direction * static_cast<int>(rng.below(20000));
    cell.add(bonus);
    CHECK(-HistoryEntry::LIMIT <= cell && cell <= HistoryEntry::LIMIT);
    CHECK((cell - before) * direction >= 0);
    most = std::max<int>(most, cell), least = std::min<int>(least, cell);
  }
  CHECK(most > 8000 && least < -8000);
}
