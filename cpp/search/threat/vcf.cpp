// SPDX-License-Identifier: MIT
#include "search/threat/vcf.h"

#include <algorithm>
#include <cstdlib>

#include "base/tunable.h"

namespace tengen {

namespace {

/// Keys that tell black's attacks from white's in one table.
constexpr std::array<u64, COLOUR_NB> ATTACKER_KEYS = {0, 0x9FB21C651E98DF25ULL};

/// Longest possible stack of moves: each node on a line has at most the empty points, and every
/// second ply is a node.
constexpr size_t MOVE_ROOM =
    static_cast<size_t>(MAX_SIZE * MAX_SIZE) * (MAX_SIZE * MAX_SIZE / 4 + 2);
constexpr size_t TREE_ROOM = 1 << 14;

TUNABLE(VCF_NEAR, 3, 0, 32, 2,
        "score of a four next to the attacker's last stone, falling with the distance");
TUNABLE(VCF_FIRST_TRY, 1000, 100, 100000, 200, "plays before the order of moves is shaken up");
TUNABLE(VCF_NOISE, 16, 0, 64, 2, "range of the noise that shakes it up");

/// What a line adds to the promise of a four: shapes from which the next four can come.
constexpr std::array<i16, SHAPE_NB> PROMISE = {0, 0, 1, 3, 5, 6, 12, 0, 60, 80, 0, 0};

int distance(Point p, Point q) {
  return std::max(std::abs(x_of(p) - x_of(q)), std::abs(y_of(p) - y_of(q)));
}

/// 32 bits that look random.
u64 noise(u64 what, u64 seed) { return Rng(what ^ (seed << 32)).next() >> 32; }

}  // namespace

Vcf::Vcf(size_t table_bytes) : refuted_(table_bytes), tree_(TREE_ROOM) {
  moves_.reserve(MOVE_ROOM);
}

Finding Vcf::search(ThreatBoard& board, Colour attacker, u64 max_nodes, Watch& watch) {
  board_ = &board;
  watch_ = &watch;
  attacker_ = attacker;
  defender_ = opponent(attacker);
  attacker_key_ = ATTACKER_KEYS[side_index(attacker)];
  nodes_ = 0;
  deepest_ = 0;
  overflowed_ = false;
  const u64 limit = max_nodes ? max_nodes : ~u64{0};
  // One wrong turn early on can cost any amount of work. So the order of moves is changed from time
  // to time; what was refuted so far stays in the table.
  u64 budget = VCF_FIRST_TRY;
  for (shake_ = 0;; ++shake_) {
    max_nodes_ = nodes_ + std::min(limit - nodes_, budget);
    moves_.clear();
    tree_.clear();
    const Finding found = attack(0, NO_POINT);
    if (found != Finding::UNKNOWN || overflowed_ || nodes_ >= limit || !watch.check()) return found;
    budget = std::min(budget, ~u64{0} / 8) * 4;
  }
}

bool Vcf::write(u16 word) {
  if (!tree_.push(word)) overflowed_ = true;
  return !overflowed_;
}

/// Writes the root of a tree whose replies have been written.
Finding Vcf::emit(Point move, int replies) {
  return write(static_cast<u16>(replies)) && write(move) ? Finding::WIN : Finding::UNKNOWN;
}

/// The attacker is to move.
Finding Vcf::attack(int ply, Point last) {
  const PatternBoard& patterns = board_->patterns();
  deepest_ = std::max(deepest_, ply);
  if (board_->moves_left() < 1) return Finding::NO_WIN;
  if (board_->has_five(attacker_)) return emit(board_->five_point(attacker_), 0);
  if (board_->moves_left() < 3 || !board_->has_four(attacker_)) return Finding::NO_WIN;
  const int fives_of_defender = patterns.count(defender_, Threat::FIVE);
  const u64 key = this->key();
  if (refuted_.contains(key)) return Finding::NO_WIN;

  const size_t first = moves_.size();
  if (fives_of_defender)
    gather_block();
  else
    gather(last);
  const size_t end = moves_.size();
  const u64 nodes_before = nodes_;
  Finding found = Finding::NO_WIN;
  for (size_t i = first; i < end && found == Finding::NO_WIN; ++i)
    found = play_four(moves_[i].point, ply);
  moves_.resize(first);
  if (found == Finding::NO_WIN) refuted_.insert(key, nodes_ - nodes_before);
  return found;
}

/// The attacker plays a four, which must be legal.
Finding Vcf::play_four(Point p, int ply) {
  if (nodes_ >= max_nodes_ || !watch_->count_node()) return Finding::UNKNOWN;
  ++nodes_;
  const ScopedPlay played(*board_, p, attacker_);
  return answer(ply + 1, p);
}

/// The attacker has just played a four; the defender is to move.
Finding Vcf::answer(int ply, Point four) {
  if (board_->has_five(defender_)) return Finding::NO_WIN;
  const Answers stops = board_->stops(attacker_, four);
  const size_t mark = tree_.size();
  for (const Point p : stops) {
    if (nodes_ >= max_nodes_ || !watch_->count_node()) return Finding::UNKNOWN;
    ++nodes_;
    board_->play(p, defender_);
    refuted_.prefetch(key());
    Finding found = attack(ply + 1, four);
    board_->undo(p, defender_);
    if (found == Finding::WIN && !write(p)) found = Finding::UNKNOWN;
    if (found != Finding::WIN) {
      tree_.cut(mark);
      return found;
    }
  }
  return emit(four, stops.size());
}

void Vcf::gather(Point last) {
  const size_t first = moves_.size();
  const PatternBoard& patterns = board_->patterns();
  patterns.for_each_at_least(attacker_, Threat::FOUR, [&](Point p) {
    if (!patterns.may_play(attacker_, p)) return;
    moves_.push_back({p, score(p, last)});
  });
  sort_from(first);
}

/// The defender threatens a five: the attacker's four has to stop it.
void Vcf::gather_block() {
  const PatternBoard& patterns = board_->patterns();
  for (const Point p : board_->stops(defender_, NO_POINT))
    if (patterns.threat(attacker_, p) >= Threat::FOUR) moves_.push_back({p, 0});
}

i16 Vcf::score(Point p, Point last) const {
  const ShapeSet shapes = board_->patterns().shape_set(attacker_, p);
  int sum = 0;
  for (const Direction d : DIRECTIONS) sum += PROMISE[(shapes >> (4 * d)) & 15];
  if (last != NO_POINT) sum += std::max(0, VCF_NEAR - distance(p, last));
  if (shake_ > 0) sum += static_cast<int>(noise(board_->hash() ^ p, shake_) * VCF_NOISE >> 32);
  return static_cast<i16>(sum);
}

/// Best first; of equals the one that was pushed first.
void Vcf::sort_from(size_t first) {
  for (size_t i = first + 1; i < moves_.size(); ++i) {
    const Move move = moves_[i];
    size_t j = i;
    for (; j > first && moves_[j - 1].score < move.score; --j) moves_[j] = moves_[j - 1];
    moves_[j] = move;
  }
}

namespace {

/// Plays a tree through; see still_wins.
class Replay {
 public:
  Replay(ThreatBoard& board, Colour attacker, Watch& watch)
      : board_(board), watch_(watch), attacker_(attacker), defender_(opponent(attacker)) {}

  bool wins(WinTree::Reader& reader) {
    if (board_.moves_left() < 1) return false;
    if (board_.has_five(attacker_)) {
      reader.skip();
      return true;
    }
    const Point move = reader.next();
    if (board_.moves_left() < 3 || !is_four(move)) return false;
    if (!watch_.count_node()) return false;
    const ScopedPlay played(board_, move, attacker_);
    if (board_.has_five(defender_)) return false;
    Answers open = board_.stops(attacker_, move);
    for (int replies = reader.next(); replies > 0; --replies) {
      const Point reply = reader.next();
      if (!open.contains(reply)) {
        reader.skip();
        continue;
      }
      open.keep_if([reply](Point p) { return p != reply; });
      if (!watch_.count_node()) return false;
      const ScopedPlay answered(board_, reply, defender_);
      if (!wins(reader)) return false;
    }
    return open.empty();
  }

 private:
  bool is_four(Point p) const {
    return board_.patterns().threat(attacker_, p) >= Threat::FOUR &&
           board_.patterns().may_play(attacker_, p);
  }

  ThreatBoard& board_;
  Watch& watch_;
  Colour attacker_, defender_;
};

}  // namespace

bool still_wins(ThreatBoard& board, Colour attacker, const WinTree& tree, Watch& watch) {
  WinTree::Reader reader(tree);
  return Replay(board, attacker, watch).wins(reader);
}

}  // namespace tengen
