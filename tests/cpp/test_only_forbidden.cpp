// SPDX-License-Identifier: MIT
// Renju boards on which black has only forbidden points left: the pass is the only legal move.
// Every search returns it, and self-play scores the game as a draw.
#include "engines.h"
#include "game/rules.h"
#include "search/mcts/mcts.h"
#include "selfplay/leaf_inspector.h"

using namespace tengen;

namespace {

/// Black to move on a 15x15 board whose `empty` points (one or two) would all make an overline. The
/// other stones have no five in a row.
GamePosition only_forbidden(int empty) {
  constexpr int SIZE = 15;
  GamePosition position{SIZE, Rule::RENJU, empty_cells(SIZE), BLACK};
  for (const Point p : board_points(SIZE))
    position.cells[p] = (x_of(p) + 2 * y_of(p)) % 4 < 2 ? BLACK : WHITE;
  for (int i = 0; i < empty; ++i) {
    const int y = i == 0 ? 0 : SIZE - 1;
    for (int x = 0; x < 7; ++x) position.cells[make_point(x, y)] = BLACK;
    position.cells[make_point(3, y)] = EMPTY;
    position.cells[make_point(7, y)] = WHITE;
  }
  return position;
}

SearchRequest request_for(const GamePosition& position) {
  SearchRequest request;
  request.cells = position.cells;
  request.side = position.side;
  request.nodes = 100;
  return request;
}

}  // namespace

TEST(only_forbidden_points_leave_no_legal_move) {
  for (const int empty : {1, 2}) {
    const GamePosition position = only_forbidden(empty);
    Referee referee(position.cells, Rule::RENJU);
    PatternBoard patterns(position.size, Rule::RENJU);
    patterns.assign(position.cells);
    int found = 0;
    for (const Point p : board_points(position.size)) {
      if (position.cells[p] != EMPTY) continue;
      ++found;
      CHECK(referee.classify(p, BLACK).forbidden == Forbidden::OVERLINE);
      CHECK(!patterns.is_legal(BLACK, p));
      CHECK(patterns.is_legal(WHITE, p));
    }
    CHECK_EQ(found, empty);
  }
}

TEST(only_forbidden_points_make_every_engine_pass) {
  for (const int empty : {1, 2})
    for (int preset = 0; preset < PRESET_NB; ++preset)
      for (int kind = 0; kind < SEARCH_KIND_NB; ++kind)
        for (const int multipv : {1, 3}) {
          EngineOptions options = small_options();
          options.preset = static_cast<Preset>(preset);
          options.kind = static_cast<SearchKind>(kind);
          ReadyEngine engine(options);
          GoRequest request;
          request.size = 15;
          request.rule = Rule::RENJU;
          request.search = request_for(only_forbidden(empty));
          request.search.multipv = multipv;
          CHECK(engine.root_policy(request).empty());
          engine.go(request);
          const std::vector<EngineEvent> events = events_of(engine);
          CHECK_EQ(events.size(), size_t{1});
          if (events.empty()) continue;
          CHECK(events.back().kind == EngineEvent::Kind::DONE);
          CHECK_EQ(events.back().move, NO_POINT);
          CHECK_EQ(events.back().ponder, NO_POINT);
          CHECK(events.back().info.pv.empty());
          CHECK_EQ(events.back().info.value, DRAW);
        }
}

TEST(only_forbidden_points_behind_a_move_are_a_draw) {
  // White has one legal move, after which black can only pass: inner nodes see it.
  GamePosition position = only_forbidden(2);
  position.side = WHITE;
  for (const Point p : board_points(position.size))
    if (position.cells[p] == EMPTY && y_of(p) == 0) {
      position.cells[p] = WHITE;  // white's move leads to one forbidden point
      position.cells[make_point(14, 7)] = EMPTY;
      break;
    }
  SearchRequest request = request_for(position);
  request.search_moves = {make_point(14, 7)};
  for (const bool by_tree : {false, true}) {
    EngineOptions options = small_options();
    options.kind = by_tree ? SearchKind::MCTS : SearchKind::ALPHABETA;
    ReadyEngine engine(options);
    GoRequest go;
    go.size = 15;
    go.rule = Rule::RENJU;
    go.search = request;
    go.search.depth = by_tree ? 0 : 4;
    engine.go(go);
    const std::vector<EngineEvent> events = events_of(engine);
    CHECK(!events.empty() && events.back().kind == EngineEvent::Kind::DONE);
    if (events.empty()) continue;
    CHECK_EQ(events.back().move, make_point(14, 7));
    CHECK_EQ(events.back().info.value, DRAW);
  }
}

TEST(only_forbidden_points_end_self_play_with_a_draw) {
  for (const int empty : {1, 2}) {
    const GamePosition position = only_forbidden(empty);
    selfplay::LeafInspector inspector(position.size, Rule::RENJU);
    inspector.set(position.cells, BLACK, 0);
    CHECK(inspector.inspect(100) == selfplay::ProvenState::DRAWN);
    CHECK(inspector.moves().empty());
  }
}
