// SPDX-License-Identifier: MIT
// Iterative deepening at the root of a worker.
#include <algorithm>

#include "search/alphabeta/worker.h"

namespace tengen {

namespace {

TUNABLE(TIME_UNSTABLE, 150, 100, 300, 10,
        "per cent of the planned time after the best move changed");
TUNABLE(TIME_STEADY, 8, 0, 20, 1, "per cent less per iteration with the same best move");
TUNABLE(TIME_MIN, 50, 20, 100, 5, "minimum per cent of the planned time");

/// Frames before the root, so that a node can look two plies back.
constexpr int FRAMES_BEFORE = 2;
/// Initial capacity for the moves of one line; grows if needed.
constexpr size_t MOVE_STACK = 1 << 14;

bool better(const RootMove& a, const RootMove& b) {
  return a.value != b.value ? a.value > b.value : a.previous > b.previous;
}

}  // namespace

Worker::Worker(int size, Rule rule, std::unique_ptr<Evaluator> evaluator, size_t vcf_bytes)
    : position_(size, rule, std::move(evaluator)),
      vcf_(vcf_bytes),
      frames_(MAX_PLY + FRAMES_BEFORE + 2) {
  if (position_.has_net()) eval_cache_ = std::make_unique<EvalCache>();
  move_stack_.reserve(MOVE_STACK);
  for (size_t i = 0; i < frames_.size(); ++i) frames_[i].ply = static_cast<int>(i) - FRAMES_BEFORE;
}

/// Samples the position with the configured probability.
void Worker::record_sample() {
  constexpr u64 MIXER = 0x9E3779B97F4A7C15ULL;
  if ((position_.key() * MIXER) >> 54 >= static_cast<u64>(samples_per_1024_)) return;
  SearchSample& sample = samples_->emplace_back();
  size_t next = 0;
  for (const Point p : board_points(position_.size()))
    sample.stones[next++] = static_cast<u8>(position_.patterns().lines().stone(p));
  sample.side = position_.side();
  sample.value = clamp_eval(position_.value());
}

void Worker::new_game() {
  history_.clear();
  vcf_.reset();
  if (eval_cache_) *eval_cache_ = {};
}

void Worker::prepare(const SearchRequest& request, const std::vector<Point>& moves,
                     const AlphaBetaSettings& settings, TranspositionTable& table,
                     SearchControl& control, int number) {
  position_.assign(request.cells, request.side, request.moves_left);
  settings_ = settings;
  params_ =
      position_.has_net() ? SearchParams::for_net(position_.rule()) : SearchParams::for_classical();
  tt_ = &table;
  control_ = &control;
  number_ = number;
  samples_ = number == 0 ? request.samples : nullptr;
  samples_per_1024_ = request.samples_per_1024;
  stop_condition_ = std::make_unique<StopCondition>(
      Limits{0, request.nodes, request.nodes_per_check}, control.stop, control.deadline,
      number == 0 ? control.hook : StopCondition::Hook());
  nodes_ = vcf_nodes_ = evaluations_ = 0;
  root_moves_.clear();
  for (const Point move : moves) root_moves_.push_back({.move = move, .pv = {move}});
  multipv_ = std::min<int>(request.multipv, static_cast<int>(moves.size()));
  max_depth_ = request.depth > 0 ? std::min(request.depth, MAX_PLY - 1) : MAX_PLY - 1;
  completed_depth_ = root_depth_ = unchanged_ = 0;
  for (Frame& frame : frames_) {
    frame.move = frame.excluded = NO_POINT;
    frame.passed = false;
    frame.eval = NO_VALUE;
    frame.lazy_error = 0;
    frame.killers = {NO_POINT, NO_POINT};
  }
  frames_[FRAMES_BEFORE - 1].move = request.last;
  frames_[FRAMES_BEFORE - 2].move = request.before_last;
}

void Worker::run(const Report& report) {
  // The fixed-depth baseline searches its depth directly. Helpers start one ply apart to avoid
  // duplicate work.
  const int first = settings_.max_candidates ? max_depth_ : 1 + number_ % 2;
  for (root_depth_ = std::min(first, max_depth_); root_depth_ <= max_depth_; ++root_depth_) {
    const Point best_before = root_moves_[0].move;
    for (RootMove& move : root_moves_) move.previous = move.value;
    if (!iterate(report)) return;
    completed_depth_ = root_depth_;
    unchanged_ = root_moves_[0].move == best_before ? unchanged_ + 1 : 0;
    if (root_depth_ == max_depth_ || (number_ == 0 && is_time_to_stop())) return;
  }
}

bool Worker::iterate(const Report& report) {
  for (pv_index_ = 0; pv_index_ < multipv_; ++pv_index_) {
    selective_depth_.store(0, std::memory_order_relaxed);
    search_line(report);
    const Point move = root_moves_[static_cast<size_t>(pv_index_)].move;
    std::stable_sort(root_moves_.begin(), root_moves_.begin() + pv_index_ + 1, better);
    if (stopped()) return false;
    if (!report) continue;
    // A line that overtakes earlier ones moves them down; report them again.
    int index = 0;
    while (root_moves_[static_cast<size_t>(index)].move != move) ++index;
    for (; index <= pv_index_; ++index) report(index, Bound::EXACT);
  }
  return true;
}

void Worker::search_line(const Report& report) {
  Frame* const root = &frames_[FRAMES_BEFORE];
  const Value previous = root_moves_[pv_index_].previous;
  Value delta = params_.aspiration;
  Value alpha = -INFINITE, beta = INFINITE;
  if (settings_.pruning && root_depth_ >= params_.aspiration_min_depth && previous != -INFINITE &&
      !is_mate(previous)) {
    alpha = std::max(previous - delta, -INFINITE);
    beta = std::min(previous + delta, INFINITE);
  }
  for (;;) {
    const Value value = search<NodeType::ROOT>(root, alpha, beta, root_depth_, false);
    // Stable: moves that did not beat alpha keep the order of the previous iteration.
    std::stable_sort(root_moves_.begin() + pv_index_, root_moves_.end(), better);
    if (stopped()) return;
    if (value <= alpha && alpha > -INFINITE) {
      if (report) report(pv_index_, Bound::UPPER);
      beta = (alpha + beta) / 2;
      alpha = std::max(value - delta, -INFINITE);
    } else if (value >= beta && beta < INFINITE) {
      if (report) report(pv_index_, Bound::LOWER);
      beta = std::min(value + delta, INFINITE);
    } else {
      return;
    }
    delta *= params_.aspiration_growth;
  }
}

Point Worker::root_move(int index) const {
  const size_t at = static_cast<size_t>(pv_index_ + index);
  return at < root_moves_.size() ? root_moves_[at].move : NO_POINT;
}

/// Only the first move and moves that beat alpha have an exact value.
void Worker::update_root(Frame* frame, Point move, Value value, int move_count, Value alpha) {
  RootMove& root = root_moves_[static_cast<size_t>(pv_index_ + move_count - 1)];
  if (move_count > 1 && value <= alpha) {
    root.value = -INFINITE;
    return;
  }
  root.value = value;
  root.selective_depth = selective_depth() + 1;
  update_pv(frame, move);
  root.pv.assign(frame->pv.begin(), frame->pv.begin() + frame->pv_length);
}

bool Worker::is_time_to_stop() const {
  const Value value = root_moves_[0].value, previous = root_moves_[0].previous;
  // Stop after a win in two iterations, or a loss within the searched depth.
  if (multipv_ == 1 && is_win(value) && is_win(previous)) return true;
  if (multipv_ == 1 && is_loss(value) && MATE + value <= root_depth_) return true;
  const i64 optimum = control_->optimum.load(std::memory_order_relaxed);
  if (optimum == 0) return false;
  const int percent = std::max<int>(TIME_MIN, TIME_UNSTABLE - TIME_STEADY * unchanged_);
  const i64 start_time = control_->start_time.load(std::memory_order_relaxed);
  return StopCondition::now_in_nanoseconds() - start_time > optimum * percent / 100;
}

SearchStats Worker::stats() const {
  SearchStats stats;
  stats.nodes = nodes_.load(std::memory_order_relaxed);
  stats.vcf_nodes = vcf_nodes_.load(std::memory_order_relaxed);
  stats.evaluations = evaluations_.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace tengen
