// SPDX-License-Identifier: MIT
#include "plain_threat_search.h"

#include "game/zobrist.h"

namespace tengen {

namespace {

constexpr int NO_LIMIT = 1 << 20;
/// In the place of the number of quiet moves: fours alone.
constexpr int FOURS_ALONE = -1;

u64 memo_key(u64 hash, int left, int quiet) {
  return hash ^ Rng(static_cast<u64>(left) * 64 + static_cast<u64>(quiet + 1)).next();
}

}  // namespace

PlainThreatSearch::PlainThreatSearch(const Cells& cells, int size, Rule rule, Colour attacker,
                                     int moves_left, u64 max_positions)
    : referee_(cells, rule),
      rule_(rule),
      points_(board_points(size)),
      attacker_(attacker),
      defender_(opponent(attacker)),
      left_(moves_left ? moves_left : NO_LIMIT),
      budget_(max_positions) {}

bool PlainThreatSearch::wins_by_fours() { return by_fours(left_); }
bool PlainThreatSearch::wins(int quiet) { return by_threats(left_, quiet); }

bool PlainThreatSearch::is_legal(Point p, Colour colour) {
  if (referee_.cells()[p] != EMPTY) return false;
  return !has_forbidden_moves(rule_, colour) || referee_.forbidden(p) == Forbidden::NONE;
}

bool PlainThreatSearch::can_make_five(Colour colour) {
  for (const Point p : points_)
    if (referee_.cells()[p] == EMPTY && referee_.makes_five(p, colour)) return true;
  return false;
}

void PlainThreatSearch::put(Point p, Colour colour, Stone stone) {
  referee_.set(p, stone);
  hash_ ^= ZOBRIST.stone[side_index(colour)][p];
}

bool PlainThreatSearch::spend() {
  if (budget_ == 0)
    gave_up_ = true;
  else
    --budget_;
  return !gave_up_;
}

bool PlainThreatSearch::by_fours(int left) {
  if (left < 1) return false;
  const u64 key = memo_key(hash_, left, FOURS_ALONE);
  if (const auto known = memo_.find(key); known != memo_.end()) return known->second;
  if (!spend()) return false;
  bool found = can_make_five(attacker_);
  for (const Point p : points_) {
    if (found || left < 3) break;
    if (!is_legal(p, attacker_)) continue;
    put(p, attacker_, attacker_);
    found =
        can_make_five(attacker_) && !can_make_five(defender_) && beats_all(left - 2, FOURS_ALONE);
    put(p, attacker_, EMPTY);
  }
  if (!gave_up_) memo_[key] = found;
  return found && !gave_up_;
}

bool PlainThreatSearch::by_threats(int left, int quiet) {
  if (by_fours(left)) return true;
  if (left < 3 || gave_up_) return false;
  const u64 key = memo_key(hash_, left, quiet);
  if (const auto known = memo_.find(key); known != memo_.end()) return known->second;
  if (!spend()) return false;
  bool found = false;
  for (const Point p : points_) {
    if (found || gave_up_) break;
    if (!is_legal(p, attacker_)) continue;
    put(p, attacker_, attacker_);
    if (!can_make_five(defender_)) {
      const bool threat = by_fours(left - 2);  // after a pass
      if (threat)
        found = beats_all(left - 2, quiet);
      else if (quiet > 0)
        found = by_threats(left - 2, quiet - 1) && beats_all(left - 2, quiet - 1);
    }
    put(p, attacker_, EMPTY);
  }
  if (!gave_up_) memo_[key] = found;
  return found && !gave_up_;
}

/// Does the attacker win after every legal reply? `left`: moves after the reply.
bool PlainThreatSearch::beats_all(int left, int quiet) {
  for (const Point p : points_) {
    if (!is_legal(p, defender_)) continue;
    put(p, defender_, defender_);
    const bool beaten = quiet == FOURS_ALONE ? by_fours(left) : by_threats(left, quiet);
    put(p, defender_, EMPTY);
    if (!beaten) return false;
  }
  return true;
}

}  // namespace tengen
