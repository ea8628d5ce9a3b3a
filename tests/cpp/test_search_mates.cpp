// SPDX-License-Identifier: MIT
// Mates reported by the search: drawn positions with their distance, VCFs of random tactical
// positions, and claimed wins that are then won.
#include <algorithm>

#include "check.h"
#include "searches.h"
#include "tactical_positions.h"

using namespace tengen;

namespace {

AlphaBeta classical_search(int size, Rule rule, bool fours = true) {
  AlphaBetaSettings settings;
  settings.vcf_quiescence = fours;
  return {size, rule, settings, 1, SMALL_MEMORY, classical_evaluators(rule)};
}

/// What the rows of a drawing are for: the side with the X to move, and its value.
struct DrawnMate {
  std::vector<std::string> rows;
  Value value;
};

const std::vector<DrawnMate> MATES = {
    // A four: the five.
    {{".........",  //
      ".........",  //
      "..O.O....",  //
      ".........",  //
      ".XXXX....",  //
      "..O......",  //
      "....O....",  //
      ".........",  //
      "........."},
     mate_in(1)},
    // An open three: the open four.
    {{".........",  //
      ".........",  //
      "..O.O....",  //
      ".........",  //
      "...XXX...",  //
      "..O......",  //
      ".........",  //
      ".........",  //
      "........."},
     mate_in(3)},
    // A four and an open three at one point.
    {{".........",  //
      ".........",  //
      "..O......",  //
      ".....X...",  //
      ".OXXX....",  //
      "...O.....",  //
      ".....X...",  //
      ".O.......",  //
      "........."},
     mate_in(5)},
    // Two open threes at one point.
    {{".........",  //
      "......O..",  //
      ".........",  //
      ".....X...",  //
      ".....X...",  //
      "...XX....",  //
      ".O.......",  //
      ".......O.",  //
      "........."},
     mate_in(5)},
    // Two open threes against it, and no four to begin with.
    {{"X.......X",  //
      "..OOO....",  //
      ".........",  //
      ".X.....X.",  //
      ".........",  //
      ".........",  //
      "....OOO..",  //
      ".........",  //
      "X...X...X"},
     mated_in(4)},
    // Two fives against it.
    {{"..X......",  //
      ".......X.",  //
      "..OOOO...",  //
      ".........",  //
      "....X....",  //
      ".........",  //
      ".X.....X.",  //
      ".........",  //
      "........."},
     mated_in(2)},
};

/// The drawing with X for the colour.
GamePosition turned(const std::vector<std::string>& rows, Rule rule, Colour own) {
  GamePosition position = drawn(rule, own, rows);
  if (own == WHITE)
    for (const Point p : board_points(position.size))
      if (position.cells[p] != EMPTY) position.cells[p] = opponent(position.cells[p]);
  return position;
}

/// Puts the move on the board; true if it makes a five.
bool play(GamePosition& position, Point p) {
  const bool five = Referee(position.cells, position.rule).makes_five(p, position.side);
  position.cells[p] = position.side;
  position.side = opponent(position.side);
  return five;
}

/// A reply at random; mostly one that stops a five, or an open four, where there is one.
Point random_reply(Rng& rng, const GamePosition& position) {
  ThreatBoard board(position.size, position.rule);
  board.assign(position.cells, 0);
  const Colour other = opponent(position.side);
  std::vector<Point> replies;
  if (board.can_make_five(other))
    for (const Point p : board.defences(other, NO_POINT)) replies.push_back(p);
  if (replies.empty())
    board.patterns().for_each_at_least(other, Threat::OPEN_FOUR, [&](Point four) {
      for (const Point p : board.patterns().defences(other, four))
        if (board.patterns().is_legal(position.side, p)) replies.push_back(p);
    });
  if (replies.empty() || rng.below(8) == 0)
    for (const Point p : board_points(position.size))
      if (board.patterns().is_empty(p) && board.patterns().is_legal(position.side, p))
        replies.push_back(p);
  return replies.empty() ? NO_POINT : replies[rng.below(static_cast<u32>(replies.size()))];
}

/// Plies in which the side to move makes a five; 0 if it does not within `most`. It plays what the
/// search says, the other side by turns what the search says and at random.
int plies_to_win(AlphaBeta& search, GamePosition position, int depth, int most, bool by_search,
                 Rng& rng) {
  const Colour winner = position.side;
  for (int ply = 1; ply <= most; ++ply) {
    Point move = NO_POINT;
    if (position.side == winner || by_search) {
      move = search_and_log(search, request_of(position, depth)).answer.move;
    } else {
      // He takes a five that is left to him.
      ThreatBoard board(position.size, position.rule);
      board.assign(position.cells, 0);
      move = board.can_make_five(position.side) ? board.five_point(position.side)
                                                : random_reply(rng, position);
    }
    if (move == NO_POINT) {
      position.side = opponent(position.side);
      continue;
    }
    const Colour mover = position.side;
    if (play(position, move)) return mover == winner ? ply : 0;
    if (std::find(position.cells.begin(), position.cells.end(), EMPTY) == position.cells.end())
      return 0;
  }
  return 0;
}

}  // namespace

TEST(drawn_mates_have_their_distance) {
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour own : {BLACK, WHITE})
      for (size_t i = 0; i < MATES.size(); ++i) {
        const Rule rule = static_cast<Rule>(r);
        if (i == 3 && has_forbidden_moves(rule, own)) continue;  // black may not play it
        const GamePosition position = turned(MATES[i].rows, rule, own);
        for (const bool fours : {true, false}) {
          AlphaBeta search = classical_search(9, rule, fours);
          const SearchLog log = search_and_log(search, request_of(position, 6));
          check_answer(position, log);
          if (log.answer.info.value != MATES[i].value)
            check::fail(__FILE__, __LINE__,
                        "drawing " + std::to_string(i) + " has the value " +
                            std::to_string(log.answer.info.value) + ": " + describe(position));
        }
      }
}

TEST(a_move_limit_ends_the_game_before_a_mate) {
  // The five of an open three is the third move, that of two open threes against it the fourth.
  struct Limited {
    size_t drawing;
    int moves_left;
    Value value;
  };
  for (const Limited& one : {Limited{1, 2, DRAW}, Limited{1, 3, mate_in(3)}, Limited{4, 3, DRAW},
                             Limited{4, 4, mated_in(4)}})
    for (const bool fours : {true, false}) {
      const GamePosition position = turned(MATES[one.drawing].rows, Rule::FREESTYLE, BLACK);
      AlphaBeta search = classical_search(9, Rule::FREESTYLE, fours);
      SearchRequest request = request_of(position, 6);
      request.moves_left = one.moves_left;
      CHECK_EQ(search_and_log(search, request).answer.info.value, one.value);
    }
}

TEST(vcf_wins_are_found_and_proven) {
  int wins = 0;
  for (int r = 0; r < RULE_NB; ++r)
    for (const Colour attacker : {BLACK, WHITE})
      for (const TacticalPosition& fight :
           tactical_positions(1, 15, 15, static_cast<Rule>(r), attacker, 4)) {
        const GamePosition position{15, fight.rule, fight.cells, attacker};
        ThreatBoard board(15, fight.rule);
        board.assign(fight.cells, 0);
        Vcf vcf(1 << 20);
        StopCondition stop_condition;
        const SolveStatus truth = vcf.search(board, attacker, 1500, stop_condition);
        AlphaBeta search = classical_search(15, fight.rule);
        const SearchLog log = search_and_log(search, request_of(position, 3));
        check_answer(position, log);
        const SearchInfo& info = log.answer.info;
        if (info.proven) CHECK(truth != SolveStatus::NO_WIN);
        if (truth != SolveStatus::WIN) continue;
        ++wins;
        CHECK(info.proven && is_win(info.value));
        CHECK_EQ(log.infos.size(), size_t{1});
        CHECK_EQ(info.stats.nodes, u64{0});
        CHECK(info.stats.solver_nodes > 0);
        // The line ends with the last four; the five comes two plies after it.
        CHECK_EQ(MATE - info.value, static_cast<int>(info.pv.size()) + 2);
      }
  CHECK(wins > 30);
}

TEST(claimed_wins_are_played_out) {
  // What is guaranteed is the win, not its length: where a win by fours cannot be disturbed the
  // search does not count plies, and the solver does not look for the shortest. So the winner is
  // given more moves than he claims to need.
  constexpr int DEPTH = 5, MORE = 30;
  Rng rng(2);
  int claimed = 0, by_search = 0;
  for (int i = 0; i < 400; ++i) {
    const int size = i % 2 ? 15 : 9;
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, size, rule);
    AlphaBeta search = classical_search(size, rule, i % 3 > 0);
    const SearchInfo info = search_and_log(search, request_of(position, DEPTH)).answer.info;
    if (!is_win(info.value) || info.value == mate_in(1)) continue;
    const int plies = MATE - info.value;
    ++claimed;
    by_search += !info.proven;
    for (const bool best_reply : {true, false, false}) {
      const int needed = plies_to_win(search, position, DEPTH, plies + MORE, best_reply, rng);
      if (needed == 0)
        check::fail(__FILE__, __LINE__,
                    "claimed in " + std::to_string(plies) + " plies: " + describe(position));
    }
  }
  CHECK(claimed > 20 && by_search > 5);
}

TEST(claimed_losses_are_played_out) {
  constexpr int DEPTH = 5, MORE = 30;
  Rng rng(3);
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    const int size = i % 2 ? 15 : 9;
    const Rule rule = static_cast<Rule>(i % RULE_NB);
    const GamePosition position = middle_game(rng, size, rule);
    AlphaBeta search = classical_search(size, rule, i % 3 > 0);
    const SearchInfo info = search_and_log(search, request_of(position, DEPTH)).answer.info;
    if (!is_loss(info.value)) continue;
    ++seen;
    // Any move will do: the opponent wins against each. Against a few of them, that is.
    for (int n = 0; n < 4; ++n) {
      GamePosition after = position;
      const Point move = n ? random_reply(rng, position) : info.pv[0];
      if (play(after, move)) {
        check::fail(__FILE__, __LINE__, "a five was missed: " + describe(position));
        continue;
      }
      if (plies_to_win(search, after, DEPTH, MATE + info.value + MORE, n == 1, rng) == 0)
        check::fail(__FILE__, __LINE__, "not lost: " + describe(position));
    }
  }
  CHECK(seen > 15);
}
