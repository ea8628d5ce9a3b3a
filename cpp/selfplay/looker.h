// SPDX-License-Identifier: MIT
// What threats tell of a position before any net is asked: who has won, which replies are forced,
// which moves are left. One for each thread; a position is set, looked at, and forgotten, so that a
// game needs no patterns of its own. Relies on search/duty.h and search/threat/vcf.h.
#pragma once

#include <vector>

#include "search/duty.h"
#include "search/position.h"
#include "search/threat/vcf.h"
#include "search/watch.h"

namespace tengen::selfplay {

/// What is certain of a position, for the side to move.
enum class Known : u8 { NOTHING, WON, LOST, DRAWN };

/// The same for the opponent.
constexpr Known reversed(Known known) {
  return known == Known::WON ? Known::LOST : known == Known::LOST ? Known::WON : known;
}

/// Result of what is certain: 1, 0 or -1.
constexpr float result_of(Known known) {
  return known == Known::WON ? 1.0F : known == Known::LOST ? -1.0F : 0.0F;
}

class Looker {
 public:
  Looker(int size, Rule rule);

  /// Takes over a position. `moves_left`: the game is drawn after so many more moves; 0: no limit.
  void set(const Cells& cells, Colour side, int moves_left) {
    position_.assign(cells, side, moves_left);
  }
  Position& position() { return position_; }

  /// Looks at the position, with at most so many plays of VCF (0: none). The same position has the
  /// same answer, whatever was looked at before. Leaves the moves in moves(), or, if it is won,
  /// those that win.
  Known look(int vcf_plays);
  /// After look(): whether a five has to be stopped. Nets never see such positions.
  bool must_stop_five() const { return duty_ == Duty::STOP_FIVE; }
  /// After look(): whether the opponent threatens nothing.
  bool is_free() const { return duty_ == Duty::NONE; }
  const std::vector<Point>& moves() const { return moves_; }

  /// Plays of VCF so far.
  u64 solver_plays() const { return watch_.nodes(); }

 private:
  Known forced();
  bool wins_by_fours(int vcf_plays);
  void add_threats(Threat threat);

  Position position_;
  Vcf vcf_;
  Watch watch_;
  Duty duty_ = Duty::NONE;
  std::vector<ScoredMove> scored_;
  std::vector<Point> moves_;
};

}  // namespace tengen::selfplay
