// SPDX-License-Identifier: MIT
// Invariants of self-play for any net: legal games with correct results, rows that match the games,
// independence of the number of threads.
#include <limits>
#include <set>

#include "selfplay_games.h"

using namespace tengen;
using namespace tengen::selfplay;

namespace {

/// Plays the games of a batch again by the referee, and compares the rows with what happened.
class Replay {
 public:
  Replay(const GameBatch& batch, const Settings& settings)
      : finished_games_(batch), settings_(settings), size_(settings.size) {}

  void check_all() {
    size_t first_move = 0;
    for (size_t game = 0; game < finished_games_.games(); ++game) {
      check_game(game, first_move);
      first_move += static_cast<size_t>(finished_games_.length[game]);
    }
    CHECK_EQ(row_, finished_games_.rows());
    CHECK_EQ(first_move, finished_games_.line.size());
  }

 private:
  void check_game(size_t game, size_t first_move) {
    Board board(size_);
    for (int ply = 0; ply < finished_games_.length[game]; ++ply) {
      check_rows(game, board);
      const Point p = point_at(finished_games_.line[first_move + static_cast<size_t>(ply)], size_);
      CHECK_EQ(outcome(board, settings_.rule, settings_.move_limit).ending, tengen::Ending::NONE);
      CHECK_EQ(board.at(p), EMPTY);
      CHECK(is_legal(board, p));
      board.play(p);
    }
    check_rows(game, board);
    check_end(game, board);
  }

  bool is_legal(const Board& board, Point p) const {
    if (!has_forbidden_moves(settings_.rule, board.side_to_move())) return true;
    return Referee(board.cells(), settings_.rule).forbidden(p) == Forbidden::NONE;
  }

  void check_end(size_t game, const Board& board) const {
    const Outcome found = outcome(board, settings_.rule, settings_.move_limit);
    const auto ending = static_cast<selfplay::Ending>(finished_games_.ending[game]);
    if (ending == selfplay::Ending::FIVE || ending == selfplay::Ending::DRAW)
      CHECK_EQ(finished_games_.winner[game], found.winner);
    if (ending == selfplay::Ending::FIVE) CHECK_EQ(found.ending, tengen::Ending::FIVE);
    if (ending == selfplay::Ending::DRAW)
      CHECK(found.ending != tengen::Ending::NONE || legal_points(board, settings_.rule).empty());
    if (!settings_.cut_off)
      CHECK(ending == selfplay::Ending::FIVE || ending == selfplay::Ending::DRAW);
    else
      CHECK(ending != selfplay::Ending::FIVE);
  }

  /// The rows of this position, if there are any: they come in the order of the game.
  void check_rows(size_t game, const Board& board) {
    for (; row_ < finished_games_.rows() && finished_games_.game[row_] == static_cast<i32>(game) &&
           finished_games_.ply[row_] == board.ply();
         ++row_)
      check_row(game, board);
  }

  void check_row(size_t game, const Board& board) const {
    const Colour side = board.side_to_move();
    CHECK_EQ(finished_games_.to_move[row_], side);
    const std::vector<u8> cells =
        unpacked(&finished_games_.board[row_ * static_cast<size_t>(bytes_of(size_))], size_);
    for (const Point p : board_points(size_)) {
      const Stone stone = board.at(p);
      CHECK_EQ(cells[static_cast<size_t>(y_of(p) * size_ + x_of(p))], stone == EMPTY  ? 0
                                                                      : stone == side ? 1
                                                                                      : 2);
    }
    check_policy(board);
    const Stone winner = static_cast<Stone>(finished_games_.winner[game]);
    CHECK_EQ(finished_games_.result[row_], winner == EMPTY ? 1 : winner == side ? 2 : 0);
    CHECK(finished_games_.value[2 * row_] + finished_games_.value[2 * row_ + 1] <= 255);
    const auto source = static_cast<Source>(finished_games_.source[row_]);
    if (source == Source::SOLVER) CHECK_EQ(finished_games_.value[2 * row_], 255);
    // Proven results come true if games are not cut off and both sides use the same solver.
    if (source == Source::SOLVER) CHECK_EQ(winner, side);
  }

  void check_policy(const Board& board) const {
    const auto count = static_cast<size_t>(settings_.policy_moves);
    std::set<int> seen;
    int sum = 0;
    for (size_t i = row_ * count; i < (row_ + 1) * count; ++i) {
      CHECK(finished_games_.move[i] < size_ * size_);
      if (finished_games_.prob[i] == 0) continue;
      const Point p = point_at(finished_games_.move[i], size_);
      CHECK_EQ(board.at(p), EMPTY);
      CHECK(is_legal(board, p));
      CHECK(seen.insert(finished_games_.move[i]).second);
      sum += finished_games_.prob[i];
    }
    CHECK(sum > 255 - static_cast<int>(count) && sum < 255 + static_cast<int>(count));
  }

  const GameBatch& finished_games_;
  const Settings& settings_;
  int size_;
  size_t row_ = 0;
};

bool equal(const GameBatch& a, const GameBatch& b) {
  return a.board == b.board && a.move == b.move && a.prob == b.prob && a.value == b.value &&
         a.result == b.result && a.source == b.source && a.game == b.game && a.line == b.line &&
         a.winner == b.winner && a.ending == b.ending && a.playouts == b.playouts;
}

}  // namespace

TEST(selfplay_games_agree_with_the_referee) {
  std::array<int, 5> sources{};
  for (int r = 0; r < RULE_NB; ++r)
    for (const int size : {5, 6, 8, 11, 15, 20, 22})
      for (const bool cut_off : {false, true}) {
        Settings settings = small_settings(static_cast<Rule>(r), size);
        settings.cut_off = cut_off;
        settings.gumbel = (size + r) % 2 == 0;
        if (size == 8) settings.move_limit = 21;
        PlayedRun run(settings, hash_net);
        const GameBatch batch = run.until(100);
        Replay(batch, settings).check_all();
        for (const u8 source : batch.source) ++sources[source];
      }
  CHECK_EQ(sources[0], 0);
  for (size_t source = 1; source < sources.size(); ++source) CHECK(sources[source] > 20);
}

TEST(selfplay_does_not_depend_on_threads) {
  for (const Rule rule : {Rule::FREESTYLE, Rule::RENJU, Rule::CARO}) {
    Settings settings = small_settings(rule, 11);
    settings.games = 61;  // groups of different length
    settings.groups = 3;
    GameBatch expected;
    for (const int threads : {1, 1, 2, 5}) {
      settings.threads = threads;
      PlayedRun run(settings, hash_net);
      CHECK_EQ(run.games.threads(), threads);
      const GameBatch found = run.until(400);
      if (expected.rows() == 0) expected = found;
      CHECK(equal(found, expected));
    }
    settings.seed = 2;
    PlayedRun other(settings, hash_net);
    CHECK(!equal(other.until(400), expected));
  }
}

TEST(selfplay_reuse_saves_evaluations_and_plays_the_same) {
  for (const bool gumbel : {true, false}) {
    Settings settings = small_settings(Rule::STANDARD, 9);
    settings.symmetries = false;
    settings.gumbel = gumbel;
    settings.cut_off = false;
    std::array<GameBatch, 2> found;
    std::array<u64, 2> leaves{};
    for (const bool reuse : {false, true}) {
      settings.reuse = reuse;
      settings.games = settings.groups = 1;  // games end in the order of their numbers
      PlayedRun run(settings, hash_net);
      found[reuse] = run.until(200);
      leaves[reuse] = run.games.counters().leaves;
    }
    CHECK(equal(found[0], found[1]));
    CHECK(leaves[1] < leaves[0]);
  }
}

TEST(selfplay_openings_are_distinct_and_undecided) {
  for (const Rule rule : {Rule::FREESTYLE, Rule::RENJU, Rule::CARO6}) {
    Settings settings = small_settings(rule, 15);
    settings.playouts = settings.small_playouts = 2;
    settings.opening_least = 3;
    PlayedRun run(settings, hash_net);
    const GameBatch batch = run.until(1500);
    std::set<u64> keys;
    size_t first = 0;
    for (size_t game = 0; game < batch.games(); ++game) {
      std::vector<Point> opening;
      for (int i = 0; i < batch.opening[game]; ++i)
        opening.push_back(point_at(batch.line[first + static_cast<size_t>(i)], 15));
      first += static_cast<size_t>(batch.length[game]);
      CHECK(opening.size() >= 3 && opening.size() <= 7);
      CHECK(batch.length[game] > batch.opening[game]);
      CHECK(keys.insert(canonical_key(opening, 15)).second);
    }
    CHECK(keys.size() > 50);
  }
}

TEST(selfplay_plays_the_most_balanced_opening) {
  Settings settings = small_settings(Rule::FREESTYLE, 15);
  settings.opening_least = 2;
  settings.opening_most = 3;
  settings.opening_tries = 16;
  settings.opening_noise = 0;
  settings.playouts = settings.small_playouts = 1;
  // Two stones are thought to be lost, three to be even.
  PlayedRun run(settings, [](const Asked& asked) {
    int stones = 0;
    for (const u8 cell : asked.cells) stones += cell != 0;
    Said said;
    if (stones == 2) said = {0.0F, 1.0F, 0.0F, {}};
    return said;
  });
  const GameBatch batch = run.until(300);
  int even = 0;
  for (const i32 stones : batch.opening) even += stones == 3;
  CHECK(even == static_cast<int>(batch.games()));
}

TEST(selfplay_leaves_can_be_sorted_by_side_to_move) {
  Settings settings = small_settings(Rule::RENJU, 9);
  settings.by_colour = true;
  int wrong = 0, black = 0, white = 0;
  PlayedRun run(settings, [&](const Asked& asked) {
    int own = 0, other = 0;
    for (const u8 cell : asked.cells) {
      own += cell == 1;
      other += cell == 2;
    }
    wrong += asked.black != (own == other);  // black has made the first move
    ++(asked.black ? black : white);
    return hash_net(asked);
  });
  run.until(200);
  CHECK_EQ(wrong, 0);
  CHECK(black > 100 && white > 100);
}

TEST(selfplay_plays_given_openings_once) {
  for (const Rule rule : {Rule::FREESTYLE, Rule::RENJU}) {
    Settings settings = small_settings(rule, 11);
    settings.by_mover = true;
    settings.reuse = false;
    std::vector<std::vector<Point>> openings;
    for (int i = 0; i < settings.games; ++i)
      openings.push_back({make_point(5, 5), make_point(i % 5, i / 5), make_point(8, 6)});
    PlayedRun run(settings, hash_net);
    run.games.play_once(openings);
    while (run.games.idle_games() < settings.games) run.step();
    for (int i = 0; i < 3 * settings.groups; ++i) CHECK_EQ(run.step().count, 0);
    const GameBatch batch = run.games.take();
    Replay(batch, settings).check_all();
    CHECK_EQ(static_cast<int>(batch.games()), settings.games);
    std::set<std::vector<Point>> begun;
    size_t first = 0;
    for (size_t game = 0; game < batch.games(); ++game) {
      CHECK_EQ(batch.opening[game], 3);
      std::vector<Point> opening;
      for (size_t i = 0; i < 3; ++i) opening.push_back(point_at(batch.line[first + i], 11));
      first += static_cast<size_t>(batch.length[game]);
      begun.insert(opening);
    }
    CHECK(begun == std::set<std::vector<Point>>(openings.begin(), openings.end()));
  }
}

TEST(selfplay_leaves_can_be_sorted_by_searching_side) {
  Settings settings = small_settings(Rule::FREESTYLE, 11);
  settings.by_mover = true;
  settings.reuse = false;
  settings.games = settings.groups = 1;
  // Each game has one search at a time: all leaves of a move are the mover's, of both sides.
  int both = 0, changes = 0;
  bool last = true;
  PlayedRun run(settings, [&](const Asked& asked) {
    int own = 0, other = 0;
    for (const u8 cell : asked.cells) {
      own += cell == 1;
      other += cell == 2;
    }
    both += asked.black != (own == other);
    changes += asked.black != last;
    last = asked.black;
    return hash_net(asked);
  });
  run.games.play_once({{make_point(5, 5), make_point(6, 5)}});
  while (run.games.idle_games() == 0) run.step();
  const WorkCounters counters = run.games.counters();
  CHECK(both > 0 && static_cast<u64>(both) < counters.leaves);
  CHECK(static_cast<u64>(changes) <= counters.moves);
}

TEST(selfplay_rejects_invalid_openings) {
  Settings settings = small_settings(Rule::FREESTYLE, 9);
  settings.games = 2;
  const std::vector<Point> good{make_point(4, 4)}, twice{make_point(4, 4), make_point(4, 4)};
  PlayedRun run(settings, hash_net);
  const auto refuses = [&run](const std::vector<std::vector<Point>>& openings) {
    try {
      run.games.play_once(openings);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(refuses({good}));
  CHECK(refuses({good, twice}));
  CHECK(refuses({good, {make_point(9, 0)}}));
  run.step();
  CHECK(refuses({good, {make_point(3, 4)}}));
}

TEST(selfplay_never_evaluates_positions_decided_by_threats) {
  for (int r = 0; r < RULE_NB; ++r) {
    const auto rule = static_cast<Rule>(r);
    int asked_in_vain = 0;
    PlayedRun run(small_settings(rule, 10), [&](const Asked& asked) {
      Cells cells = empty_cells(10);
      for (int i = 0; i < 100; ++i) {
        const u8 cell = asked.cells[static_cast<size_t>(i)];
        if (cell != 0) cells[point_at(i, 10)] = (cell == 1) == asked.black ? BLACK : WHITE;
      }
      Referee referee(cells, rule);
      for (const Point p : board_points(10))
        if (cells[p] == EMPTY)
          asked_in_vain += referee.makes_five(p, BLACK) || referee.makes_five(p, WHITE);
      return hash_net(asked);
    });
    run.until(60);
    CHECK_EQ(asked_in_vain, 0);
  }
}

TEST(selfplay_rejects_invalid_net_outputs) {
  Settings settings = small_settings(Rule::FREESTYLE, 9);
  int left = 100;
  PlayedRun run(settings, [&](const Asked& asked) {
    Said said = hash_net(asked);
    if (--left == 0) said.win = std::numeric_limits<float>::quiet_NaN();
    return said;
  });
  bool thrown = false, again = false;
  try {
    run.until(1000);
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  try {
    run.step();
  } catch (const std::runtime_error&) {
    again = true;
  }
  CHECK(thrown && again);
}

TEST(selfplay_rejects_invalid_settings) {
  const auto refuses = [](auto change) {
    Settings settings = small_settings(Rule::FREESTYLE, 9);
    change(settings);
    try {
      const SelfPlay games(settings);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  CHECK(!refuses([](Settings&) {}));
  CHECK(refuses([](Settings& s) { s.size = 23; }));
  CHECK(refuses([](Settings& s) { s.groups = 0; }));
  CHECK(refuses([](Settings& s) { s.games = 1; }));
  CHECK(refuses([](Settings& s) { s.playouts = 0; }));
  CHECK(refuses([](Settings& s) { s.policy_moves = 65; }));
  CHECK(refuses([](Settings& s) { s.opening_tries = 0; }));
  CHECK(refuses([](Settings& s) { s.move_limit = 5; }));
}

TEST(selfplay_rejects_numbers_that_are_not_finite) {
  constexpr double Settings::* FIELDS[] = {
      &Settings::full_share,  &Settings::gumbel_visits, &Settings::gumbel_scale,
      &Settings::c,           &Settings::fpu,           &Settings::noise_total,
      &Settings::noise_share, &Settings::temperature,   &Settings::late_temperature,
      &Settings::won_share,   &Settings::faced_share,   &Settings::opening_noise};
  constexpr double INF = std::numeric_limits<double>::infinity();
  for (const auto field : FIELDS)
    for (const double value : {INF, -INF, std::numeric_limits<double>::quiet_NaN()}) {
      Settings settings = small_settings(Rule::FREESTYLE, 9);
      settings.*field = value;
      bool rejected = false;
      try {
        const SelfPlay games(settings);
      } catch (const std::invalid_argument&) {
        rejected = true;
      }
      CHECK(rejected);
    }
}
