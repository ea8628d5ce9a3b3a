// SPDX-License-Identifier: MIT
#include "plain_four_search.h"

#include <algorithm>
#include <unordered_map>

namespace tengen {

namespace {

class PlainFourSearch {
 public:
  PlainFourSearch(const Cells& cells, int size, Rule rule, Colour attacker, u64 max_positions)
      : referee_(cells, rule),
        rule_(rule),
        points_(board_points(size)),
        attacker_(attacker),
        defender_(opponent(attacker)),
        left_(max_positions) {}

  /// Does the attacker, to move, win?
  PlainAnswer attack() {
    if (const auto known = known_.find(hash_); known != known_.end()) return known->second;
    if (left_ == 0) return PlainAnswer::GAVE_UP;
    --left_;
    PlainAnswer answer = can_make_five(attacker_) ? PlainAnswer::YES : PlainAnswer::NO;
    for (size_t i = 0; i < points_.size() && answer == PlainAnswer::NO; ++i)
      answer = try_four(points_[i]);
    if (answer != PlainAnswer::GAVE_UP) known_[hash_] = answer;
    return answer;
  }

  /// Does the attacker win by playing this point? NO if it is no legal four. Requires that he can
  /// make no five at once.
  PlainAnswer try_four(Point p) {
    if (at(p) != EMPTY) return PlainAnswer::NO;
    place(p, attacker_);
    const std::vector<Point> fives = fives_through(p);
    take_back(p, attacker_);
    if (fives.empty() || !legal(p, attacker_)) return PlainAnswer::NO;

    place(p, attacker_);
    const PlainAnswer answer = can_make_five(defender_) ? PlainAnswer::NO : try_replies(fives);
    take_back(p, attacker_);
    return answer;
  }

  bool can_make_five(Colour colour) {
    return std::any_of(points_.begin(), points_.end(),
                       [&](Point p) { return at(p) == EMPTY && makes_five(p, colour); });
  }

  bool makes_five(Point p, Colour colour) {
    referee_.set(p, colour);
    bool five = false;
    for (const Direction d : DIRECTIONS) five |= referee_.wins(referee_.run_through(p, d));
    referee_.set(p, EMPTY);
    return five;
  }

  Stone at(Point p) const { return referee_.cells()[p]; }

 private:
  /// The attacker threatens to make a five at each of `fives`: does he win after every reply that
  /// leaves none of them?
  PlainAnswer try_replies(const std::vector<Point>& fives) {
    for (const Point q : points_) {
      if (at(q) != EMPTY || !stops(q, fives) || !legal(q, defender_)) continue;
      place(q, defender_);
      const PlainAnswer answer = attack();
      take_back(q, defender_);
      if (answer != PlainAnswer::YES) return answer;
    }
    return PlainAnswer::YES;
  }

  /// Does the defender's stone at q leave the attacker no five? It lengthens no run of the
  /// attacker, so it gives him no new five: those he had are all there is to ask about.
  bool stops(Point q, const std::vector<Point>& fives) {
    referee_.set(q, defender_);
    const bool stopped = std::none_of(fives.begin(), fives.end(), [&](Point five) {
      return at(five) == EMPTY && makes_five(five, attacker_);
    });
    referee_.set(q, EMPTY);
    return stopped;
  }

  /// The points that make a five through the attacker's stone at p. Such a five needs one stone
  /// more, so that stone goes next to the run through p. If there was no five before p was played,
  /// these are all the fives there are.
  std::vector<Point> fives_through(Point p) {
    std::vector<Point> fives;
    for (const Direction d : DIRECTIONS) {
      const Run run = referee_.run_through(p, d);
      for (const Point q : {run.before(), run.after()}) {
        if (at(q) != EMPTY) continue;
        referee_.set(q, attacker_);
        if (referee_.wins(referee_.run_through(p, d))) fives.push_back(q);
        referee_.set(q, EMPTY);
      }
    }
    return fives;
  }

  bool legal(Point p, Colour colour) {
    return !has_forbidden_moves(rule_, colour) ||
           referee_.classify(p, colour).forbidden == Forbidden::NONE;
  }

  void place(Point p, Colour colour) {
    referee_.set(p, colour);
    hash_ ^= ZOBRIST.stone[side_index(colour)][p];
  }

  void take_back(Point p, Colour colour) {
    referee_.set(p, EMPTY);
    hash_ ^= ZOBRIST.stone[side_index(colour)][p];
  }

  Referee referee_;
  Rule rule_;
  const std::vector<Point>& points_;
  Colour attacker_, defender_;
  u64 left_;
  u64 hash_ = 0;  ///< of the stones added to the first position
  std::unordered_map<u64, PlainAnswer> known_;
};

}  // namespace

PlainAnswer wins_by_fours(Cells cells, int size, Rule rule, Colour attacker, u64 max_positions) {
  return PlainFourSearch(cells, size, rule, attacker, max_positions).attack();
}

std::vector<Point> winning_fours(Cells cells, int size, Rule rule, Colour attacker,
                                 u64 max_positions, bool* gave_up) {
  PlainFourSearch search(cells, size, rule, attacker, max_positions);
  const bool five = search.can_make_five(attacker);
  bool undecided = false;
  std::vector<Point> moves;
  for (const Point p : board_points(size)) {
    if (search.at(p) != EMPTY) continue;
    const PlainAnswer answer = !five                            ? search.try_four(p)
                               : search.makes_five(p, attacker) ? PlainAnswer::YES
                                                                : PlainAnswer::NO;
    if (answer == PlainAnswer::YES) moves.push_back(p);
    undecided |= answer == PlainAnswer::GAVE_UP;
  }
  if (gave_up != nullptr) *gave_up = undecided;
  return moves;
}

}  // namespace tengen
