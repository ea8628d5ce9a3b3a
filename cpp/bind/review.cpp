// SPDX-License-Identifier: MIT
// `_core.Review`: the review of a game, for any engine that assesses positions.
#include "engine/review.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "bind/bound_board.h"

namespace nb = nanobind;

namespace tengen::bind {

namespace {

/// (value, mate or 0, proven, line, depth), for the side to move.
using AssessmentTuple = std::tuple<int, int, bool, std::vector<int>, int>;
/// (ply, move, colour, verdict, loss, before, after, better line)
using MoveTuple = std::tuple<int, int, int, std::string_view, double, AssessmentTuple,
                             AssessmentTuple, std::vector<int>>;

class BoundReview {
 public:
  BoundReview(const BoundBoard& start, const std::vector<int>& moves, double seconds)
      : size_(start.size()), review_(make(start, moves, seconds)) {}

  /// (ply, line from there, seconds) of the next position.
  std::optional<std::tuple<int, std::vector<int>, double>> next() {
    const std::optional<ReviewTask> task = review_.next();
    is_waiting_ = task.has_value();
    if (!task) return std::nullopt;
    return std::tuple(task->ply, indices(task->line), task->seconds);
  }

  void put(int value, int mate, bool is_proven, const std::vector<int>& line, int depth) {
    if (!std::exchange(is_waiting_, false)) throw std::runtime_error("put() follows next()");
    Assessment found{{value, mate, is_proven}, {}, depth};
    for (const int index : line)
      found.line.push_back(index == -1 ? NO_POINT : to_point(index, size_));
    review_.put(std::move(found));
  }

  int size() const { return size_; }
  int done() const { return review_.done(); }
  int total() const { return review_.total(); }
  AssessmentTuple first() const { return tuple_of(review_.first()); }

  std::vector<MoveTuple> moves() const {
    std::vector<MoveTuple> moves;
    for (const ReviewedMove& move : review_.moves())
      moves.emplace_back(move.ply, to_index(move.move, size_), move.colour,
                         VERDICT_NAMES[static_cast<size_t>(move.verdict)], move.loss,
                         tuple_of(move.before), tuple_of(move.after), indices(move.better));
    return moves;
  }

  std::optional<double> accuracy(int colour) const {
    return tengen::accuracy(review_.moves(), to_colour(colour));
  }

  /// Its ply.
  std::optional<int> turning_point() const {
    const std::vector<ReviewedMove> moves = review_.moves();
    const ReviewedMove* const found = tengen::turning_point(moves);
    return found != nullptr ? std::optional(found->ply) : std::nullopt;
  }

 private:
  static Review make(const BoundBoard& start, const std::vector<int>& moves, double seconds) {
    BoundBoard board = start;
    for (const int move : moves) board.play(move);  // throws
    std::vector<Point> points;
    for (const int move : moves)
      points.push_back(move == -1 ? NO_POINT : to_point(move, start.size()));
    return Review(start.board(), to_rule(start.rule()), start.move_limit(), points, seconds);
  }

  std::vector<int> indices(const std::vector<Point>& points) const {
    std::vector<int> result;
    for (const Point p : points) result.push_back(to_index(p, size_));
    return result;
  }

  AssessmentTuple tuple_of(const Assessment& found) const {
    const Score& score = found.score;
    return {score.value, score.mate, score.is_proven, indices(found.line), found.depth};
  }

  int size_;
  Review review_;
  bool is_waiting_ = false;  ///< for put()
};

}  // namespace

void register_review(nb::module_& module) {
  nb::class_<BoundReview>(module, "Review")
      .def(nb::init<const BoundBoard&, const std::vector<int>&, double>(), nb::arg("start"),
           nb::arg("moves"), nb::arg("seconds"))
      .def("next", &BoundReview::next)
      .def("put", &BoundReview::put, nb::arg("value"), nb::arg("mate"), nb::arg("proven"),
           nb::arg("line"), nb::arg("depth"))
      .def_prop_ro("size", &BoundReview::size)
      .def_prop_ro("done", &BoundReview::done)
      .def_prop_ro("total", &BoundReview::total)
      .def("first", &BoundReview::first)
      .def("moves", &BoundReview::moves)
      .def("accuracy", &BoundReview::accuracy, nb::arg("colour"))
      .def("turning_point", &BoundReview::turning_point);
}

}  // namespace tengen::bind
