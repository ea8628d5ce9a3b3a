// SPDX-License-Identifier: MIT
// Search helpers: classical tables, random positions as requests, invariants of every result.
#pragma once

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "eval/classical.h"
#include "fake_evaluator.h"
#include "game/rules.h"
#include "random_positions.h"
#include "search/alphabeta/alphabeta.h"

namespace tengen {

inline constexpr size_t SMALL_MEMORY = size_t{2} << 20;

/// Bytes of the file that is delivered with the package.
inline std::string table_file(Rule rule) {
  std::ifstream file(TENGEN_TABLES "/classical-" + rule_name(rule) + ".tables", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::shared_ptr<const ClassicalTables> classical_tables(Rule rule) {
  static std::array<std::shared_ptr<const ClassicalTables>, RULE_NB> parsed;
  auto& tables = parsed[static_cast<size_t>(rule)];
  if (!tables) tables = ClassicalTables::parse(table_file(rule), rule);
  return tables;
}

inline AlphaBeta::EvaluatorFactory classical_evaluators(Rule rule) {
  return [rule] { return std::make_unique<ClassicalEvaluator>(classical_tables(rule)); };
}

inline AlphaBeta::EvaluatorFactory fake_evaluators() {
  return [] { return std::make_unique<FakeEvaluator>(); };
}

/// An alpha-beta search without any technique but the table.
inline AlphaBetaSettings plain_settings(int branching = 0) {
  return AlphaBetaSettings::fixed_depth(branching);
}

struct GamePosition {
  int size;
  Rule rule;
  Cells cells;
  Colour side;  ///< to move
};

inline GamePosition position_of(int size, Rule rule, const std::vector<Placed>& stones) {
  GamePosition made{size, rule, empty_cells(size), BLACK};
  for (const auto& [point, colour] : stones) made.cells[point] = colour;
  if (!stones.empty()) made.side = opponent(stones.back().colour);
  return made;
}

/// Of a game in progress: neither side has a five, and the side to move has a legal point.
inline GamePosition middle_game(Rng& rng, int size, Rule rule) {
  for (;;) {
    const GamePosition made = position_of(size, rule, random_middle_game(rng, size, rule));
    PatternBoard patterns(size, rule);
    patterns.assign(made.cells);
    for (const Point p : board_points(size))
      if (patterns.is_empty(p) && patterns.is_legal(made.side, p)) return made;
  }
}

/// The same, and neither side can play a four: only a search decides.
inline GamePosition quiet_game(Rng& rng, int size, Rule rule) {
  for (;;) {
    const GamePosition position = middle_game(rng, size, rule);
    ThreatBoard board(size, rule);
    board.assign(position.cells, 0);
    if (!board.can_make_four(BLACK) && !board.can_make_four(WHITE)) return position;
  }
}

/// Rows from the top, X black, O white, anything else empty; as many rows as there are columns.
inline GamePosition drawn(Rule rule, Colour side, const std::vector<std::string>& rows) {
  const int size = static_cast<int>(rows.size());
  GamePosition made{size, rule, empty_cells(size), side};
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      const char mark = rows[static_cast<size_t>(size - 1 - y)].at(static_cast<size_t>(x));
      if (mark == 'X') made.cells[make_point(x, y)] = BLACK;
      if (mark == 'O') made.cells[make_point(x, y)] = WHITE;
    }
  return made;
}

/// For messages: rule, side to move, and the stones row by row from the bottom.
inline std::string describe(const GamePosition& position) {
  std::string text = std::string(RULE_NAMES[static_cast<size_t>(position.rule)]) +
                     (position.side == BLACK ? " black " : " white ");
  for (const Point p : board_points(position.size)) text += ".xo"[position.cells[p]];
  return text;
}

inline SearchRequest request_of(const GamePosition& position, int depth, u64 nodes = 0) {
  SearchRequest request;
  request.cells = position.cells;
  request.side = position.side;
  request.depth = depth;
  request.nodes = nodes;
  return request;
}

/// A result and all reported lines.
struct SearchLog {
  std::vector<SearchInfo> infos;
  SearchResult answer;
};

inline SearchLog search_and_log(Searcher& searcher, const SearchRequest& request,
                                SearchControl& control) {
  SearchLog log;
  log.answer =
      searcher.search(request, control, [&](const SearchInfo& info) { log.infos.push_back(info); });
  return log;
}

inline SearchLog search_and_log(Searcher& searcher, const SearchRequest& request) {
  SearchControl control;
  return search_and_log(searcher, request, control);
}

/// May the moves be played one after another? Each must be legal, and only the last may end the
/// game.
inline bool is_playable(const GamePosition& position, const std::vector<Point>& line) {
  Referee referee(position.cells, position.rule);
  Colour side = position.side;
  for (size_t i = 0; i < line.size(); ++i, side = opponent(side)) {
    if (referee.cells()[line[i]] != EMPTY) return false;
    const PointReport report = referee.classify(line[i], side);
    if (has_forbidden_moves(position.rule, side) && report.forbidden != Forbidden::NONE)
      return false;
    if (report.five && i + 1 < line.size()) return false;
    referee.set(line[i], side);
  }
  return true;
}

/// What every search owes: a legal move, lines that can be played and begin with it.
inline void check_answer(const GamePosition& position, const SearchLog& log) {
  const auto report = [&](const char* what) {
    check::fail(__FILE__, __LINE__, std::string(what) + ": " + describe(position));
  };
  const SearchResult& answer = log.answer;
  if (!is_playable(position, {answer.move})) return report("illegal move");
  if (answer.info.pv.empty() || answer.info.pv[0] != answer.move)
    report("the line does not begin with the move");
  if (answer.ponder != NO_POINT && !is_playable(position, {answer.move, answer.ponder}))
    report("illegal reply to ponder on");
  if (!is_playable(position, answer.info.pv)) report("illegal line");
  for (const SearchInfo& info : log.infos)
    if (info.pv.empty() || !is_playable(position, info.pv)) report("illegal line on the way");
}

}  // namespace tengen
