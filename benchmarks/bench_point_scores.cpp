// SPDX-License-Identifier: MIT
// The classical paper's Figure 9: cost of a move for each method of updating the point scores.
// Plays a game on 15x15 and on 20x20; at each move it searches a tree of fixed depth over the B
// most important points and evaluates the leaves. All four methods do the same work and get the
// same sum of values. Prints the time per move and the ratio to the full rescan, the curve by move
// number as CSV, and the bare cost of play and undo.
//
//     bench_point_scores [rounds]
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "base/rng.h"
#include "eval/point_score_board.h"

namespace {

using namespace tengen;

constexpr int DEPTH = 3, BRANCHES = 12;
constexpr int GAME_MOVES = 60;
constexpr int CURVE_STEP = 5;  ///< moves that share a row of the curve

template <typename T>
using ByUpdate = std::array<T, POINT_SCORE_UPDATE_NB>;

/// Processor time of this thread in seconds: on a shared machine it is steadier than the clock on
/// the wall.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The empty points of highest importance, best first; of equals the one that comes first.
class TopPoints {
 public:
  explicit TopPoints(const PointScoreBoard& board) {
    for (const Point p : board_points(board.size()))
      if (board.is_empty(p)) offer(p, board.importance(p));
  }

  int size() const { return size_; }
  Point operator[](int i) const { return found_[i].point; }

 private:
  struct Found {
    Value importance;
    Point point;
  };

  void offer(Point p, Value importance) {
    if (size_ == BRANCHES && importance <= found_[BRANCHES - 1].importance) return;
    int i = size_ < BRANCHES ? size_++ : BRANCHES - 1;
    for (; i > 0 && found_[i - 1].importance < importance; --i) found_[i] = found_[i - 1];
    found_[i] = {importance, p};
  }

  std::array<Found, BRANCHES> found_;
  int size_ = 0;
};

/// Walks the tree below the position. Returns the sum of the values of its leaves.
i64 walk(PointScoreBoard& board, Colour to_move, int depth) {
  if (depth == 0) return board.value(to_move, to_move);
  i64 sum = 0;
  const TopPoints top(board);
  for (int i = 0; i < top.size(); ++i) {
    board.play(top[i], to_move);
    sum -= walk(board, opponent(to_move), depth - 1);
    board.undo();
  }
  return sum;
}

/// One try at a game between two who choose among their three most important points. Empty if
/// somebody made a five.
std::vector<Point> try_game(int size, Rng& rng) {
  PointScoreBoard board(size, Rule::FREESTYLE);
  std::vector<Point> moves;
  Point p = make_point(size / 2, size / 2);
  Colour colour = BLACK;
  while (moves.size() < GAME_MOVES) {
    if (board.score(colour, p) >= SHAPE_SCORES[static_cast<int>(Shape::FIVE)]) return {};
    board.play(p, colour);
    moves.push_back(p);
    colour = opponent(colour);
    p = TopPoints(board)[static_cast<int>(rng.below(3))];
  }
  return moves;
}

std::vector<Point> make_game(int size) {
  Rng rng(1);
  std::vector<Point> moves;
  while (moves.empty()) moves = try_game(size, rng);
  return moves;
}

/// Seconds of each move of the game, and the sum of all values seen.
struct Timed {
  std::vector<double> seconds;
  i64 sum = 0;
};

Timed time_game(int size, const std::vector<Point>& moves, PointScoreUpdate update) {
  PointScoreBoard board(size, Rule::FREESTYLE, update);
  Timed timed;
  Colour colour = BLACK;
  for (const Point p : moves) {
    const double start = thread_seconds();
    timed.sum += walk(board, colour, DEPTH);
    timed.seconds.push_back(thread_seconds() - start);
    board.play(p, colour);
    colour = opponent(colour);
  }
  return timed;
}

/// Measurements of one update method: the seconds of every move in every round.
struct Curve {
  std::vector<std::vector<double>> by_move = std::vector<std::vector<double>>(GAME_MOVES);

  void add(const Timed& timed) {
    for (size_t i = 0; i < GAME_MOVES; ++i) by_move[i].push_back(timed.seconds[i]);
  }
  /// Median over the rounds and over the moves from `first` to before `last`, in microseconds.
  double microseconds(int first, int last) const {
    std::vector<double> all;
    for (int i = first; i < last; ++i) all.insert(all.end(), by_move[i].begin(), by_move[i].end());
    return 1e6 * median(all);
  }
  /// Mean time of a move in one round, in microseconds.
  double round_mean(size_t round) const {
    double sum = 0;
    for (const auto& rounds : by_move) sum += rounds[round];
    return 1e6 * sum / GAME_MOVES;
  }
};

void print_summary(int size, const ByUpdate<Curve>& curves, int rounds) {
  for (int u = 0; u < POINT_SCORE_UPDATE_NB; ++u) {
    std::vector<double> means, ratios;
    for (int round = 0; round < rounds; ++round) {
      means.push_back(curves[u].round_mean(round));
      ratios.push_back(curves[0].round_mean(round) / means.back());
    }
    std::sort(means.begin(), means.end());
    std::printf(
        "paper %dx%d %-10s median %9.0f us/move  (mean %.0f, min %.0f, max %.0f, %d rounds)"
        "  %6.2f times as fast as whole\n",
        size, size, POINT_SCORE_UPDATE_NAMES[u].data(), curves[u].microseconds(0, GAME_MOVES),
        means[means.size() / 2], means.front(), means.back(), rounds, median(ratios));
  }
}

void print_curve(const ByUpdate<Curve>& curves) {
  std::printf("move,whole_us,point_us,direction_us,blocked_us\n");
  for (int first = 0; first < GAME_MOVES; first += CURVE_STEP) {
    std::printf("%d", first + 1);
    for (const Curve& curve : curves)
      std::printf(",%.0f", curve.microseconds(first, first + CURVE_STEP));
    std::printf("\n");
  }
}

/// Nanoseconds of one play() and of one undo(), over whole games.
std::array<double, 2> time_play_and_undo(int size, const std::vector<Point>& moves,
                                         PointScoreUpdate update) {
  constexpr int REPEATS = 200;
  PointScoreBoard board(size, Rule::FREESTYLE, update);
  std::array<double, 2> seconds{};
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    const double start = thread_seconds();
    for (size_t i = 0; i < moves.size(); ++i) board.play(moves[i], i % 2 ? WHITE : BLACK);
    const double middle = thread_seconds();
    for (size_t i = 0; i < moves.size(); ++i) board.undo();
    seconds[0] += middle - start;
    seconds[1] += thread_seconds() - middle;
  }
  for (double& s : seconds) s *= 1e9 / (REPEATS * static_cast<double>(moves.size()));
  return seconds;
}

void print_play_and_undo(int size, const std::vector<Point>& moves, int rounds) {
  for (int u = 0; u < POINT_SCORE_UPDATE_NB; ++u) {
    std::array<std::vector<double>, 2> results;
    for (int round = 0; round < rounds; ++round) {
      const auto measured = time_play_and_undo(size, moves, static_cast<PointScoreUpdate>(u));
      for (int i = 0; i < 2; ++i) results[i].push_back(measured[i]);
    }
    std::printf("paper %dx%d %-10s median %9.0f ns/play, %.0f ns/undo  (%d rounds)\n", size, size,
                POINT_SCORE_UPDATE_NAMES[u].data(), median(results[0]), median(results[1]), rounds);
  }
}

/// Returns whether all four ways saw the same values.
bool run(int size, int rounds) {
  const std::vector<Point> moves = make_game(size);
  ByUpdate<Curve> curves;
  ByUpdate<i64> sums;
  for (int round = -1; round < rounds; ++round)  // the first one warms up
    for (int u = 0; u < POINT_SCORE_UPDATE_NB; ++u) {
      const Timed timed = time_game(size, moves, static_cast<PointScoreUpdate>(u));
      sums[u] = timed.sum;
      if (round >= 0) curves[u].add(timed);
    }
  print_summary(size, curves, rounds);
  print_curve(curves);
  print_play_and_undo(size, moves, rounds);
  const bool same = std::all_of(sums.begin(), sums.end(), [&](i64 sum) { return sum == sums[0]; });
  if (!same) std::printf("paper %dx%d: the values differ\n", size, size);
  return same;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  const bool small = run(15, rounds), large = run(20, rounds);
  return small && large ? 0 : 1;
}
