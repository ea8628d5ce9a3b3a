// SPDX-License-Identifier: MIT
#include "solver/vcf.h"

#include <algorithm>
#include <cstdlib>

#include "base/tunable.h"

namespace tengen {

namespace {

/// Xored into the keys, so that one table holds the positions of both attackers.
constexpr std::array<u64, COLOUR_NB> ATTACKER_KEYS = {0, 0x9FB21C651E98DF25ULL};

/// Capacity of the move stack: at most the empty points for each attacking ply of a line.
constexpr size_t MOVE_STACK =
    static_cast<size_t>(MAX_SIZE * MAX_SIZE) * (MAX_SIZE * MAX_SIZE / 4 + 2);
constexpr size_t TREE_CAPACITY = 1 << 14;

TUNABLE(VCF_NEAR, 3, 0, 32, 2,
        "ordering bonus of a four near the attacker's last stone, 1 less per step away");
TUNABLE(VCF_FIRST_TRY, 1000, 100, 100000, 200,
        "nodes until the first restart with a randomised move order");
TUNABLE(VCF_RETRY_GROWTH, 4, 2, 16, 1, "factor of the nodes until the next restart");
TUNABLE(VCF_NOISE, 16, 0, 64, 2, "range of the random part of the ordering score after a restart");

/// Ordering score of a four: the sum of this over its four lines, by the Shape that the stone makes
/// on each. A strong shape may lead to the next four.
constexpr std::array<i16, SHAPE_NB> SHAPE_SCORES = {0, 0, 1, 3, 5, 6, 12, 0, 60, 80, 0, 0};

int distance(Point p, Point q) {
  return std::max(std::abs(x_of(p) - x_of(q)), std::abs(y_of(p) - y_of(q)));
}

/// 32 pseudo-random bits.
u64 noise(u64 key, u64 seed) { return Rng(key ^ (seed << 32)).next() >> 32; }

}  // namespace

Vcf::Vcf(size_t table_bytes) : no_vcf_(table_bytes), tree_(TREE_CAPACITY) {
  moves_.reserve(MOVE_STACK);
}

SolveStatus Vcf::search(ThreatBoard& board, Colour attacker, u64 max_nodes,
                        StopCondition& stop_condition) {
  board_ = &board;
  stop_condition_ = &stop_condition;
  attacker_ = attacker;
  defender_ = opponent(attacker);
  attacker_key_ = ATTACKER_KEYS[side_index(attacker)];
  nodes_ = 0;
  deepest_ = 0;
  overflowed_ = false;
  const u64 limit = max_nodes ? max_nodes : ~u64{0};
  // A bad move order near the root can cost any amount of work. So the search restarts with a
  // randomised order after a number of nodes; what was found so far stays in the table.
  u64 budget = VCF_FIRST_TRY;
  for (restarts_ = 0;; ++restarts_) {
    max_nodes_ = nodes_ + std::min(limit - nodes_, budget);
    moves_.clear();
    tree_.clear();
    const SolveStatus status = attack(0, NO_POINT);
    if (status != SolveStatus::UNKNOWN || overflowed_ || nodes_ >= limit || !stop_condition.check())
      return status;
    budget = std::min(budget, ~u64{0} / 256) * static_cast<u64>(VCF_RETRY_GROWTH);
  }
}

bool Vcf::write(u16 word) {
  if (!tree_.push(word)) overflowed_ = true;
  return !overflowed_;
}

/// Completes a won tree: writes its first move, after its defences and their trees have been
/// written. UNKNOWN if the tree is full.
SolveStatus Vcf::write_root(Point move, int defence_count) {
  return write(static_cast<u16>(defence_count)) && write(move) ? SolveStatus::WIN
                                                               : SolveStatus::UNKNOWN;
}

/// The attacker is to move.
SolveStatus Vcf::attack(int ply, Point last) {
  const PatternBoard& patterns = board_->patterns();
  deepest_ = std::max(deepest_, ply);
  if (board_->moves_left() < 1) return SolveStatus::NO_WIN;
  if (board_->can_make_five(attacker_)) return write_root(board_->five_point(attacker_), 0);
  if (board_->moves_left() < 3 || !board_->can_make_four(attacker_)) return SolveStatus::NO_WIN;
  const int fives_of_defender = patterns.count(defender_, Threat::FIVE);
  const u64 key = this->key();
  if (no_vcf_.contains(key)) return SolveStatus::NO_WIN;

  const size_t first = moves_.size();
  if (fives_of_defender)
    generate_blocking_fours();
  else
    generate_fours(last);
  const size_t end = moves_.size();
  const u64 nodes_before = nodes_;
  SolveStatus status = SolveStatus::NO_WIN;
  for (size_t i = first; i < end && status == SolveStatus::NO_WIN; ++i)
    status = play_four(moves_[i].point, ply);
  moves_.resize(first);
  if (status == SolveStatus::NO_WIN) no_vcf_.insert(key, nodes_ - nodes_before);
  return status;
}

/// The attacker plays a four, which must be legal.
SolveStatus Vcf::play_four(Point p, int ply) {
  if (nodes_ >= max_nodes_ || !stop_condition_->count_node()) return SolveStatus::UNKNOWN;
  ++nodes_;
  const ScopedPlay played(*board_, p, attacker_);
  return defend(ply + 1, p);
}

/// The attacker has just played a four; the defender is to move.
SolveStatus Vcf::defend(int ply, Point four) {
  if (board_->can_make_five(defender_)) return SolveStatus::NO_WIN;
  const DefencePoints defences = board_->defences(attacker_, four);
  const size_t size_before = tree_.size();
  for (const Point p : defences) {
    if (nodes_ >= max_nodes_ || !stop_condition_->count_node()) return SolveStatus::UNKNOWN;
    ++nodes_;
    board_->play(p, defender_);
    no_vcf_.prefetch(key());
    SolveStatus status = attack(ply + 1, four);
    board_->undo(p, defender_);
    if (status == SolveStatus::WIN && !write(p)) status = SolveStatus::UNKNOWN;
    if (status != SolveStatus::WIN) {
      tree_.truncate(size_before);
      return status;
    }
  }
  return write_root(four, defences.size());
}

void Vcf::generate_fours(Point last) {
  const size_t first = moves_.size();
  const PatternBoard& patterns = board_->patterns();
  patterns.for_each_at_least(attacker_, Threat::FOUR, [&](Point p) {
    if (!patterns.is_legal(attacker_, p)) return;
    moves_.push_back({p, score(p, last)});
  });
  sort_from(first);
}

/// The defender threatens a five: the attacker's four must stop it.
void Vcf::generate_blocking_fours() {
  const PatternBoard& patterns = board_->patterns();
  for (const Point p : board_->defences(defender_, NO_POINT))
    if (patterns.threat(attacker_, p) >= Threat::FOUR) moves_.push_back({p, 0});
}

i16 Vcf::score(Point p, Point last) const {
  const ShapeSet shapes = board_->patterns().shape_set(attacker_, p);
  int sum = 0;
  for (const Direction d : DIRECTIONS) sum += SHAPE_SCORES[(shapes >> (4 * d)) & 15];
  if (last != NO_POINT) sum += std::max(0, VCF_NEAR - distance(p, last));
  if (restarts_ > 0)
    sum += static_cast<int>(noise(board_->hash() ^ p, restarts_) * VCF_NOISE >> 32);
  return static_cast<i16>(sum);
}

/// Stable sort, best first.
void Vcf::sort_from(size_t first) {
  for (size_t i = first + 1; i < moves_.size(); ++i) {
    const Move move = moves_[i];
    size_t j = i;
    for (; j > first && moves_[j - 1].score < move.score; --j) moves_[j] = moves_[j - 1];
    moves_[j] = move;
  }
}

namespace {

/// Replays a tree; see still_wins.
class Replay {
 public:
  Replay(ThreatBoard& board, Colour attacker, StopCondition& stop_condition)
      : board_(board),
        stop_condition_(stop_condition),
        attacker_(attacker),
        defender_(opponent(attacker)) {}

  bool wins(VcfTree::Reader& reader) {
    if (board_.moves_left() < 1) return false;
    if (board_.can_make_five(attacker_)) {
      reader.skip();
      return true;
    }
    const Point move = reader.next();
    if (board_.moves_left() < 3 || !is_four(move)) return false;
    if (!stop_condition_.count_node()) return false;
    const ScopedPlay played(board_, move, attacker_);
    if (board_.can_make_five(defender_)) return false;
    DefencePoints unanswered = board_.defences(attacker_, move);
    for (int count = reader.next(); count > 0; --count) {
      const Point defence = reader.next();
      if (!unanswered.contains(defence)) {
        reader.skip();
        continue;
      }
      unanswered.keep_if([defence](Point p) { return p != defence; });
      if (!stop_condition_.count_node()) return false;
      const ScopedPlay defended(board_, defence, defender_);
      if (!wins(reader)) return false;
    }
    return unanswered.empty();
  }

 private:
  bool is_four(Point p) const {
    return board_.patterns().threat(attacker_, p) >= Threat::FOUR &&
           board_.patterns().is_legal(attacker_, p);
  }

  ThreatBoard& board_;
  StopCondition& stop_condition_;
  Colour attacker_, defender_;
};

}  // namespace

bool still_wins(ThreatBoard& board, Colour attacker, const VcfTree& tree,
                StopCondition& stop_condition) {
  VcfTree::Reader reader(tree);
  return Replay(board, attacker, stop_condition).wins(reader);
}

}  // namespace tengen
