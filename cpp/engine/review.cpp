// SPDX-License-Identifier: MIT
#include "engine/review.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pattern/pattern_board.h"

namespace tengen {

namespace {

constexpr double DEEPER = 5;        ///< factor of the time for moves that seem to be mistakes
constexpr double DEEPER_SHARE = 2;  ///< of the time of the first pass: limit of these searches
/// Loss of win rate from which on a move has the name.
constexpr double INACCURACY = 0.08, MISTAKE = 0.15, BLUNDER = 0.30;
constexpr double DOUBT = 0.06;   ///< loss from which on a move is searched again
constexpr double WON = 0.95;     ///< win rate after a move from which on no win was missed
constexpr double ALIVE = 0.35;   ///< win rate from which on a position is not lost yet
constexpr double DECAY = 4.5;    ///< how fast accuracy falls with the loss
constexpr size_t MAX_LINE = 12;  ///< moves of a better line
constexpr size_t MIN_LINE = 6;   ///< moves below which a line is searched on; wins always are
/// Searches that extend lines: a share of those of the first pass, or this many in a short game.
constexpr double EXTENSION_SHARE = 0.25;
constexpr int MIN_EXTENSIONS = 6;

constexpr i32 OVER_VALUE = 10'000;  ///< of a finished game
constexpr double MAX_LOGIT = 700;   ///< within the range of exp

MoveVerdict verdict_of(const Score& before, const Score& after, double loss, bool is_best) {
  if (is_best) return MoveVerdict::BEST;
  if (before.mate > 0 && after.mate <= 0 && after.win_rate() < WON) return MoveVerdict::MISSED_WIN;
  if (loss >= BLUNDER) return MoveVerdict::BLUNDER;
  if (loss >= MISTAKE) return MoveVerdict::MISTAKE;
  return loss >= INACCURACY ? MoveVerdict::INACCURACY : MoveVerdict::GOOD;
}

/// Whether its better line should be extended.
bool is_short(const ReviewedMove& move) {
  const int mate = move.score_before().mate;
  size_t wanted = mate > 0 ? MAX_LINE : MIN_LINE;
  if (mate != 0) wanted = std::min(wanted, static_cast<size_t>(std::abs(mate)));
  return !move.better.empty() && move.better.size() < wanted;
}

void play(Board& board, Point move) {
  if (move == NO_POINT)
    board.pass();
  else
    board.play(move);
}

}  // namespace

Score Score::of(Value value, bool is_proven) {
  return {value, is_win(value) ? MATE - value : is_loss(value) ? -(MATE + value) : 0, is_proven};
}

double Score::win_rate() const {
  if (mate != 0) return mate > 0 ? 1 : 0;
  const double logit = static_cast<double>(value) / EVAL_PER_LOGIT;
  return 1 / (1 + std::exp(-std::clamp(logit, -MAX_LOGIT, MAX_LOGIT)));
}

Review::Review(Board start, Rule rule, int move_limit, const std::vector<Point>& moves,
               double seconds)
    : rule_(rule), move_limit_(move_limit), seconds_(seconds), moves_(moves), line_end_(start) {
  boards_.push_back(std::move(start));
  for (const Point move : moves) {
    boards_.push_back(boards_.back());
    play(boards_.back(), move);
  }
  assessments_.resize(boards_.size());
  total_ = static_cast<int>(boards_.size());
  for (int ply = 0; ply <= plies(); ++ply) plies_.push_back(ply);
}

std::optional<ReviewTask> Review::next() {
  while (phase_ != Phase::DONE) {
    const bool extends = phase_ == Phase::EXTEND, verifies = phase_ == Phase::VERIFY;
    const int ply = plies_.back() + (verifies && !is_before_ ? 1 : 0);
    const Board& board = extends ? line_end_ : board_at(ply);
    std::optional<Assessment> known = outcome_at(board);
    if (!known)
      return ReviewTask{ply, extends ? reviewed_.at(ply).better : std::vector<Point>{}, board,
                        verifies ? longer_ : seconds_};
    put(std::move(*known));
  }
  return std::nullopt;
}

void Review::put(Assessment found) {
  const int ply = plies_.back();
  const bool verifies = phase_ == Phase::VERIFY;
  const int searched = ply + (verifies && !is_before_ ? 1 : 0);
  cut_line(phase_ == Phase::EXTEND ? line_end_ : board_at(searched), found.line);
  if (phase_ == Phase::SEARCH) {
    assessments_[static_cast<size_t>(ply)] = std::move(found);
    if (ply < plies()) assess_move(ply);
    finish_step();
    if (plies_.empty()) begin_verifying();
  } else if (verifies) {
    assessments_[static_cast<size_t>(searched)] = std::move(found);
    is_before_ = !is_before_;
    if (is_before_) return;
    for (const int n : {ply + 1, ply, ply - 1})
      if (reviewed_.contains(n)) assess_move(n);
    finish_step();
    if (plies_.empty()) begin_extending();
  } else {
    --searches_;
    ReviewedMove& reviewed = reviewed_.at(ply);
    for (const Point move : found.line) {
      if (reviewed.better.size() >= MAX_LINE) break;
      reviewed.better.push_back(move);
      play(line_end_, move);
    }
    if (searches_ > 0 && is_short(reviewed) && !found.line.empty() && !outcome_at(line_end_))
      return;
    finish_step();
    begin_line();
  }
}

/// Cuts a line off before the first move that cannot be played: it may come from any program.
void Review::cut_line(Board board, std::vector<Point>& line) const {
  for (size_t i = 0; i < line.size(); ++i) {
    const Point move = line[i];
    const bool is_black = board.side_to_move() == BLACK;
    const bool is_playable =
        !outcome_at(board) &&
        (move == NO_POINT ||
         (board.at(move) == EMPTY &&
          !(is_black && Referee(board.cells(), rule_).forbidden(move) != Forbidden::NONE)));
    if (!is_playable) return line.resize(i);
    play(board, move);
  }
}

void Review::finish_step() {
  plies_.pop_back();
  ++done_;
}

void Review::begin_verifying() {
  for (const auto& [ply, move] : reviewed_)
    if (move.loss >= DOUBT) plies_.push_back(ply);
  total_ += static_cast<int>(plies_.size());
  const double budget = DEEPER_SHARE * seconds_ * static_cast<double>(boards_.size());
  const double searches = 2 * std::max(1.0, static_cast<double>(plies_.size()));
  longer_ = std::max(seconds_, std::min(DEEPER * seconds_, budget / searches));
  phase_ = Phase::VERIFY;
  if (plies_.empty()) begin_extending();
}

/// Missed wins and large losses first.
void Review::begin_extending() {
  for (const auto& [ply, move] : reviewed_)
    if (is_short(move)) plies_.push_back(ply);
  total_ += static_cast<int>(plies_.size());
  const auto rank = [this](int ply) {
    const ReviewedMove& move = reviewed_.at(ply);
    return std::pair(move.verdict == MoveVerdict::MISSED_WIN, move.loss);
  };
  std::stable_sort(plies_.begin(), plies_.end(), [&](int a, int b) { return rank(a) < rank(b); });
  searches_ = std::max(MIN_EXTENSIONS,
                       static_cast<int>(EXTENSION_SHARE * static_cast<double>(boards_.size())));
  phase_ = Phase::EXTEND;
  begin_line();
}

/// Goes to the end of the next line that can be extended.
void Review::begin_line() {
  while (!plies_.empty()) {
    const ReviewedMove& reviewed = reviewed_.at(plies_.back());
    line_end_ = board_at(reviewed.ply - 1);
    for (const Point move : reviewed.better) play(line_end_, move);
    if (searches_ > 0 && !outcome_at(line_end_)) return;
    finish_step();
  }
  phase_ = Phase::DONE;
}

std::optional<Assessment> Review::outcome_at(const Board& board) const {
  const Outcome found = outcome(board, rule_, move_limit_);
  if (found.ending == Ending::NONE) return std::nullopt;
  if (found.winner == EMPTY) return Assessment{{0, 0, true}};
  const int sign = found.winner == board.side_to_move() ? 1 : -1;
  return Assessment{{sign * OVER_VALUE, sign, true}};
}

/// Compares the positions before and after a move.
void Review::assess_move(int ply) {
  const Assessment& before = *assessments_[static_cast<size_t>(ply)];
  const Assessment& after = *assessments_[static_cast<size_t>(ply + 1)];
  const Point move = moves_[static_cast<size_t>(ply)];
  const bool is_best = !before.line.empty() && before.line[0] == move;
  const Score then = -after.score;
  double loss = is_best ? 0 : std::max(0.0, before.score.win_rate() - then.win_rate());
  MoveVerdict verdict = verdict_of(before.score, then, loss, is_best);
  if (is_forced(ply)) {
    verdict = MoveVerdict::FORCED;
    loss = 0;
  }
  ReviewedMove reviewed{ply + 1, move, board_at(ply).side_to_move(), verdict, loss, before, after};
  if (verdict >= MoveVerdict::INACCURACY) {
    reviewed.better = before.line;
    if (reviewed.better.size() > MAX_LINE) reviewed.better.resize(MAX_LINE);
  }
  reviewed_.insert_or_assign(ply, std::move(reviewed));
}

/// Whether the move was the only one: the answer to a four, without an own five.
bool Review::is_forced(int ply) const {
  const Board& board = board_at(ply);
  PatternBoard patterns(board.size(), rule_);
  patterns.assign(board.cells());
  const Colour side = board.side_to_move();
  if (patterns.count(side, Threat::FIVE) > 0 || patterns.count(opponent(side), Threat::FIVE) != 1)
    return false;
  const Point move = moves_[static_cast<size_t>(ply)];
  return move != NO_POINT && patterns.threat(opponent(side), move) == Threat::FIVE;
}

std::vector<ReviewedMove> Review::moves() const {
  std::vector<ReviewedMove> moves;
  for (const auto& [ply, move] : reviewed_) moves.push_back(move);
  return moves;
}

Assessment Review::first() const { return assessments_[0].value_or(Assessment{}); }

std::optional<double> accuracy(const std::vector<ReviewedMove>& moves, Colour colour) {
  double sum = 0;
  int count = 0;
  for (const ReviewedMove& move : moves) {
    if (move.colour != colour || move.verdict == MoveVerdict::FORCED) continue;
    sum += std::exp(-DECAY * move.loss);
    ++count;
  }
  return count > 0 ? std::optional(100 * sum / count) : std::nullopt;
}

const ReviewedMove* turning_point(const std::vector<ReviewedMove>& moves) {
  if (moves.empty()) return nullptr;
  const ReviewedMove& last = moves.back();
  const bool mover_lost = last.score_after().win_rate() < 0.5;
  const bool is_even = last.score_after().win_rate() == 0.5;
  const Colour loser = is_even ? WHITE : mover_lost ? last.colour : opponent(last.colour);
  const ReviewedMove* error = nullptr;
  const ReviewedMove* alive = nullptr;
  for (const ReviewedMove& move : moves) {
    if (move.colour != loser || !is_error(move.verdict)) continue;
    error = &move;
    if (move.score_before().win_rate() >= ALIVE) alive = &move;
  }
  return alive != nullptr ? alive : error;
}

}  // namespace tengen
