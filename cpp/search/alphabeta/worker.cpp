// SPDX-License-Identifier: MIT
// The recursive alpha-beta search.
#include "search/alphabeta/worker.h"

#include <algorithm>

namespace tengen {

namespace {

/// After a cutoff the history scores of the moves searched before are lowered, for at most so many.
constexpr int MAX_HISTORY_MALUS_MOVES = 64;

/// Moves per node of the fixed-depth baseline (settings.h): MOVES_STEP fewer per ply, but more than
/// 1 / MOVES_DIVISOR of those at the root.
constexpr int MOVES_STEP = 2, MOVES_DIVISOR = 3;
int max_candidates_at(int root_moves, int ply) {
  return std::max(root_moves - MOVES_STEP * ply, root_moves / MOVES_DIVISOR + 1);
}

}  // namespace

bool Worker::count_node() {
  if (!stop_condition_->count_node()) return false;
  nodes_.store(stop_condition_->nodes(), std::memory_order_relaxed);
  return true;
}

/// Static evaluation; values of a net are cached. `likely_leaf`: the search will probably not go
/// deeper from here, so the net does not update its accumulators: only children would need them.
Value Worker::evaluate(bool likely_leaf) {
  const u64 key = position_.key();
  if (eval_cache_) {
    const Value known = eval_cache_->values.find(key);
    if (known != NO_VALUE) return known;
  }
  evaluations_.store(evaluations_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const Value value =
      clamp_eval(likely_leaf ? position_.value_without_update() : position_.value());
  if (eval_cache_) eval_cache_->values.store(key, value);
  return value;
}

/// Static evaluation, or the lazy value if that is far outside the window. The lazy error (value of
/// the net minus lazy value) changes little from one position of a line to the next. So the lazy
/// value is corrected by lazy_error_carry / 64 of the last error on the line.
Value Worker::evaluate_lazily(Frame* frame, Value alpha, Value beta, int depth, bool likely_leaf) {
  if (samples_) record_sample();
  const Value lazy = position_.lazy_value();
  if (lazy == NO_VALUE) return evaluate(likely_leaf);
  const Value corrected =
      clamp_eval(lazy + frame->lazy_error * params_.lazy_error_carry / SearchParams::LAZY_SCALE);
  const Value margin = params_.lazy_margin(depth);
  if (corrected >= beta + margin || corrected <= alpha - margin) return corrected;
  const Value value = evaluate(likely_leaf);
  frame->lazy_error = value - lazy;
  return value;
}

/// VCF for the side to move; its nodes count as search nodes.
SolveStatus Worker::search_vcf(int depth) {
  const u64 before = stop_condition_->nodes();
  const SolveStatus status = vcf_.search(position_.threats(), position_.side(),
                                         params_.vcf_nodes(depth), *stop_condition_);
  const u64 spent = stop_condition_->nodes() - before;
  vcf_nodes_.store(vcf_nodes_.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
  nodes_.store(stop_condition_->nodes(), std::memory_order_relaxed);
  return status;
}

/// Mate value of a VCF of the side to move, or NO_VALUE. Writes the line into the frame.
Value Worker::vcf_value(Frame* frame, int depth, bool pv) {
  if (!position_.threats().can_make_four(position_.side())) return NO_VALUE;
  if (search_vcf(depth) != SolveStatus::WIN) return NO_VALUE;
  VcfTree::Reader reader(vcf_.tree());
  if (pv) {
    VcfTree::Reader moves = reader;
    const std::vector<Point> line = longest_variation(moves);
    frame->pv_length = std::min(static_cast<int>(line.size()), MAX_PLY);
    std::copy_n(line.begin(), frame->pv_length, frame->pv.begin());
  }
  return mate_in(std::min(frame->ply + win_length(reader), MAX_PLY));
}

/// Whether a quiet move and all later quiet moves can be pruned.
bool Worker::can_prune(int depth, int move_count, bool pv, Value alpha,
                       const NodeState& node) const {
  if (depth <= params_.lmp_depth && move_count > params_.lmp_move_count(depth, node.improving))
    return true;
  return !pv && depth <= params_.quiet_futility_depth &&
         node.eval + params_.quiet_futility_margin(depth) <= alpha;
}

/// Whether the move makes a four or an open three.
bool Worker::makes_threat(Point p) const {
  return position_.patterns().threat(position_.side(), p) >= Threat::OPEN_THREE;
}

OrderingHints Worker::hints(const Frame* frame, Point tt_move) {
  OrderingHints hints;
  hints.tt_move = tt_move;
  if (!settings_.history) return hints;
  const Colour side = position_.side();
  hints.killers = frame->killers;
  hints.counter_move = history_.counter_move(side, last_move(frame));
  hints.continuation1 = &history_.continuation1(side, last_move(frame));
  hints.continuation2 = &history_.continuation2(side, own_last_move(frame));
  return hints;
}

int Worker::move_history(const Frame* frame, Point p) {
  if (!settings_.history) return 0;
  const Colour side = position_.side();
  return history_.move(side, p) + history_.continuation1(side, last_move(frame))[board_index(p)] +
         history_.continuation2(side, own_last_move(frame))[board_index(p)];
}

/// `best` caused a cutoff; the moves in `searched` did not.
void Worker::update_histories(Frame* frame, Point best, int depth, const Point* searched,
                              int searched_count) {
  if (!settings_.history) return;
  const Colour side = position_.side();
  if (frame->killers[0] != best) frame->killers = {best, frame->killers[0]};
  history_.counter_move(side, last_move(frame)) = best;
  const int bonus = std::min(params_.history_bonus * depth, params_.history_max);
  ContinuationHistory& continuation1 = history_.continuation1(side, last_move(frame));
  ContinuationHistory& continuation2 = history_.continuation2(side, own_last_move(frame));
  const auto add = [&](Point p, int amount) {
    history_.move(side, p).add(amount);
    continuation1[board_index(p)].add(amount);
    continuation2[board_index(p)].add(amount);
  };
  add(best, bonus);
  for (int i = 0; i < searched_count; ++i)
    if (searched[i] != best) add(searched[i], -bonus);
}

void Worker::update_pv(Frame* frame, Point move) {
  const Frame* const child = frame + 1;
  frame->pv[0] = move;
  const int length = std::min(child->pv_length, MAX_PLY - 1);
  std::copy_n(child->pv.begin(), length, frame->pv.begin() + 1);
  frame->pv_length = length + 1;
}

/// Value of a leaf: the static evaluation, or a VCF if the evaluation is below beta.
Value Worker::quiesce(Frame* frame, Value alpha, Value beta, Value eval) {
  frame->pv_length = 0;
  if (eval == NO_VALUE) eval = evaluate_lazily(frame, alpha, beta, 0, true);
  if (eval >= beta || !settings_.vcf_quiescence) return eval;
  const Value win = vcf_value(frame, 0, beta - alpha > 1);
  if (stopped()) return 0;
  if (win == NO_VALUE) return eval;
  tt_->store(position_.key(), frame->ply, {win, NO_VALUE, NO_POINT, MAX_PLY, Bound::LOWER});
  return win;
}

/// Null-move search; NO_VALUE if it fails below beta.
Value Worker::search_null_move(Frame* frame, Value beta, int depth, const NodeState& node,
                               bool cut_node) {
  const int reduced = depth - params_.null_reduction(depth, node.eval - beta);
  frame->move = NO_POINT;
  frame->passed = true;
  position_.pass();
  const Value value = -search_child(frame, -beta, -beta + 1, reduced, !cut_node);
  position_.undo_pass();
  frame->passed = false;
  if (stopped() || value < beta) return NO_VALUE;
  return is_win(value) ? beta : value;
}

int Worker::singular_extension(Frame* frame, Value beta, int depth, bool cut_node,
                               const NodeState& node, Value& multicut_value) {
  const Value singular_beta = params_.singular_beta(node.entry.value, depth);
  frame->excluded = node.entry.move;
  const Value value =
      search<NodeType::NON_PV>(frame, singular_beta - 1, singular_beta,
                               (depth - 1) / params_.singular_depth_divisor, cut_node);
  frame->excluded = NO_POINT;
  if (stopped()) return 0;
  if (value < singular_beta) return 1;
  if (singular_beta >= beta) multicut_value = singular_beta;  // several moves beat beta
  return node.entry.value >= beta ? -1 : 0;
}

int Worker::reduction(bool pv, int depth, int move_count, bool cut_node, const NodeState& node,
                      bool threat, int score_below_best, int history) const {
  int sum = params_.reduction(depth, move_count);
  if (cut_node) sum += params_.lmr_cut_node;
  if (pv) sum -= params_.lmr_pv;
  if (!node.improving) sum += params_.lmr_improving;
  if (threat) sum -= params_.lmr_threat;
  const int by_score = score_below_best * params_.lmr_score / EVAL_PER_LOGIT;
  sum += threat ? by_score * params_.lmr_threat_score / SearchParams::SCORE_SCALE : by_score;
  sum -= history / params_.lmr_history;
  return std::max(sum, 0) / SearchParams::REDUCTION_SCALE;
}

Value Worker::search_child(Frame* frame, Value alpha, Value beta, int depth, bool cut_node) {
  tt_->prefetch(position_.key());
  Frame* const child = frame + 1;
  return beta - alpha > 1 ? search<NodeType::PV>(child, alpha, beta, depth, false)
                          : search<NodeType::NON_PV>(child, alpha, beta, depth, cut_node);
}

template <Worker::NodeType N>
Value Worker::search(Frame* frame, Value alpha, Value beta, int depth, bool cut_node) {
  constexpr bool ROOT = N == NodeType::ROOT;
  constexpr bool PV = N != NodeType::NON_PV;
  const int ply = frame->ply;
  const Colour side = position_.side();
  const Colour other = opponent(side);
  const PatternBoard& patterns = position_.patterns();
  NodeState node;
  frame->pv_length = 0;
  if (!ROOT && frame->excluded == NO_POINT) frame->lazy_error = -(frame - 1)->lazy_error;

  // Step 1. Count the node; check limits and the end of the game.
  if (!count_node()) return 0;
  if (PV && ply > selective_depth()) selective_depth_.store(ply, std::memory_order_relaxed);
  if (!ROOT) {
    if (position_.is_drawn()) return DRAW;
    if (ply >= MAX_PLY - 2) return patterns.count(other, Threat::FIVE) ? DRAW : evaluate(true);
  }

  // Step 2. The fixed-depth baseline (max_candidates > 0) evaluates here, without quiescence.
  if (!ROOT && settings_.max_candidates && depth <= 0) return evaluate(true);

  // Step 3. A five wins; an open four wins if there is no five to stop.
  if (!ROOT && position_.threats().can_make_five(side)) {
    if (PV) {
      frame->pv[0] = position_.threats().five_point(side);
      frame->pv_length = 1;
    }
    return mate_in(ply + 1);
  }
  node.forced = forced_reply(position_);
  if (!ROOT && node.forced != ForcedReply::BLOCK_FOUR &&
      patterns.count(side, Threat::OPEN_FOUR) > 0 && position_.threats().moves_left() >= 3) {
    if (PV)
      patterns.for_each_at_least(side, Threat::OPEN_FOUR, [frame](Point p) {
        frame->pv[0] = p;
        frame->pv_length = 1;
      });
    return mate_in(ply + 3);
  }

  // Step 4. Mate distance pruning.
  if (!ROOT) {
    alpha = std::max(alpha, mated_in(ply));
    beta = std::min(beta, mate_in(ply + 1));
    if (alpha >= beta) return alpha;
  }

  // Step 5. Transposition table.
  const u64 key = position_.key();
  const bool excluding = frame->excluded != NO_POINT;
  node.tt_hit = tt_->probe(key, ply, node.entry);
  if (ROOT) {
    node.entry.move = root_moves_[pv_index_].move;
    node.tt_hit = true;
  }
  if (!PV && !excluding && node.tt_hit && node.entry.depth >= depth) {
    if (has_bound(node.entry, node.entry.value >= beta ? Bound::LOWER : Bound::UPPER))
      return node.entry.value;
  }

  // Step 6. Leaf, unless a threat must be blocked: forced replies cost no depth.
  const bool must_extend =
      node.forced == ForcedReply::BLOCK_FOUR ||
      (node.forced == ForcedReply::BLOCK_OPEN_THREE && depth == 0 && settings_.pruning);
  if (depth <= 0 && !must_extend) return quiesce(frame, alpha, beta, node.entry.eval);
  depth = std::max(depth, 1);

  // Step 7. Static evaluation, and whether it is better than two plies earlier (improving). Most
  // nodes at depth 1 are pruned before a child is evaluated, except where a threat must be stopped,
  // here or one ply before.
  const bool likely_leaf =
      depth == 1 && node.forced == ForcedReply::NONE && (frame - 1)->eval != NO_VALUE;
  if (node.forced == ForcedReply::BLOCK_FOUR)
    frame->eval = NO_VALUE;
  else if (!excluding)
    frame->eval = node.entry.eval != NO_VALUE ? node.entry.eval
                  : PV ? evaluate_lazily(frame, -INFINITE, INFINITE, depth, false)
                       : evaluate_lazily(frame, alpha, beta, depth, likely_leaf);
  node.eval = frame->eval;
  const Value before = (frame - 2)->eval;
  node.improving = node.eval != NO_VALUE && (before == NO_VALUE || node.eval > before);
  if (node.tt_hit && node.eval != NO_VALUE && !is_mate(node.entry.value) &&
      has_bound(node.entry, node.entry.value > node.eval ? Bound::LOWER : Bound::UPPER))
    node.eval = node.entry.value;  // the stored bound is tighter than the evaluation
  const bool prunable =
      !PV && !excluding && settings_.pruning && node.eval != NO_VALUE && !is_mate(beta);

  // Step 8. Reverse futility pruning.
  if (prunable && depth <= params_.rfp_depth && node.forced == ForcedReply::NONE &&
      node.eval - params_.rfp_margin(depth, node.improving) >= beta)
    return node.eval;

  // Step 9. VCF at nodes with enough depth or below the razoring margin; razoring if there is none.
  const bool razorable =
      prunable && depth <= params_.razor_depth && node.eval + params_.razor_margin(depth) < alpha;
  if (!ROOT && !excluding && settings_.vcf_quiescence && node.forced != ForcedReply::BLOCK_FOUR &&
      (razorable || depth >= params_.vcf_min_depth)) {
    const Value win = vcf_value(frame, depth, PV);
    if (stopped()) return 0;
    if (win != NO_VALUE) {
      tt_->store(key, ply, {win, NO_VALUE, NO_POINT, MAX_PLY, Bound::LOWER});
      return win;
    }
  }
  if (razorable) return node.eval;

  // Step 10. Null move, never twice in a row.
  if (!PV && !excluding && settings_.null_move && !(frame - 1)->passed &&
      node.forced == ForcedReply::NONE && depth >= params_.null_min_depth && node.eval >= beta &&
      !is_mate(beta)) {
    const Value value = search_null_move(frame, beta, depth, node, cut_node);
    if (stopped()) return 0;
    if (value != NO_VALUE) return value;
  }

  // Step 11. Internal iterative reduction without a TT move.
  if (settings_.pruning && depth >= params_.iir_min_depth && node.entry.move == NO_POINT &&
      !excluding)
    --depth;

  // Step 12. Moves, best first.
  const OrderingHints order = hints(frame, node.entry.move);
  MovePicker picker(position_, history_, params_, order, node.forced, last_move(frame), move_stack_,
                    eval_cache_ ? &eval_cache_->scores : nullptr);
  if (settings_.max_candidates) picker.limit(max_candidates_at(settings_.max_candidates, ply));
  (frame + 1)->killers = {NO_POINT, NO_POINT};
  std::array<Point, MAX_HISTORY_MALUS_MOVES> searched;
  int searched_count = 0, move_count = 0;
  Value best = -INFINITE;
  Point best_move = NO_POINT;
  const Value old_alpha = alpha;
  const auto next = [&] { return ROOT ? root_move(move_count) : picker.next(); };
  for (Point move = next(); move != NO_POINT; move = next()) {
    if (move == frame->excluded) continue;
    ++move_count;
    const bool threat = makes_threat(move);
    const int history = move_history(frame, move);

    // Step 13. Late move and futility pruning of quiet moves at low depth.
    if (!ROOT && settings_.pruning && !is_loss(best) && node.forced == ForcedReply::NONE &&
        move_count > 1 && can_prune(depth, move_count, PV, alpha, node)) {
      picker.skip_quiet_moves();
      if (!threat) continue;
    }

    // Step 14. Singular extension of the TT move, or multi-cut.
    int extension = 0;
    if (!ROOT && settings_.singular_extensions && !excluding && move == node.entry.move &&
        depth >= params_.singular_min_depth &&
        node.entry.depth >= depth - params_.singular_tt_depth &&
        has_bound(node.entry, Bound::LOWER) && !is_mate(node.entry.value) &&
        ply < params_.extension_limit * root_depth_) {
      Value multicut_value = NO_VALUE;
      extension = singular_extension(frame, beta, depth, cut_node, node, multicut_value);
      if (stopped()) return 0;
      if (multicut_value != NO_VALUE) return multicut_value;
    }
    const int child_depth = depth - 1 + extension;

    // Step 15. A five ends the game. (Non-root nodes return in step 3.)
    if (ROOT && patterns.threat(side, move) == Threat::FIVE) {
      (frame + 1)->pv_length = 0;
      update_root(frame, move, mate_in(1), move_count, -INFINITE);
      best = alpha = mate_in(1);
      best_move = move;
      if (best >= beta) break;
      continue;
    }

    // Step 16. Late move reductions, then the principal variation search.
    frame->move = move;
    position_.play(move);
    Value value = -INFINITE;
    bool do_full_depth = !PV || move_count > 1;
    if (settings_.late_move_reductions && depth >= params_.lmr_min_depth && move_count > 1 + ROOT &&
        node.forced == ForcedReply::NONE) {
      const int r = reduction(PV, depth, move_count, cut_node, node, threat,
                              picker.score_below_best(), history);
      const int reduced = std::clamp(child_depth - r, 1, child_depth);
      value = -search_child(frame, -(alpha + 1), -alpha, reduced, true);
      do_full_depth = value > alpha && reduced < child_depth;
    }
    if (do_full_depth) value = -search_child(frame, -(alpha + 1), -alpha, child_depth, !cut_node);
    if (PV && (move_count == 1 || (value > alpha && (ROOT || value < beta))))
      value = -search_child(frame, -beta, -alpha, child_depth, false);
    position_.undo(move);
    if (stopped()) return 0;

    // Step 17. New best move.
    if (ROOT) update_root(frame, move, value, move_count, alpha);
    if (value > best) {
      best = value;
      if (value > alpha) {
        best_move = move;
        if (PV && !ROOT) update_pv(frame, move);
        if (value >= beta) break;
        alpha = value;
      }
    }
    if (searched_count < MAX_HISTORY_MALUS_MOVES) searched[searched_count++] = move;
  }

  // Step 18. No legal move. If a threat must be stopped, the position is lost; otherwise only a
  // pass is left, which counts as a draw.
  if (move_count == 0) {
    if (excluding) return alpha;
    const int plies_left =
        position_.threats().moves_left();  // the move limit may end the game first
    if (node.forced == ForcedReply::BLOCK_FOUR && plies_left >= 2) return mated_in(ply + 2);
    if (node.forced != ForcedReply::NONE && plies_left >= 4) return mated_in(ply + 4);
    return DRAW;
  }
  if (best == -INFINITE) best = old_alpha;  // all moves were pruned

  // Step 19. Update histories and the transposition table.
  if (best_move != NO_POINT && best >= beta)
    update_histories(frame, best_move, depth, searched.data(), searched_count);
  if (!excluding && !(ROOT && pv_index_ > 0)) {
    const Bound bound = best >= beta             ? Bound::LOWER
                        : PV && best > old_alpha ? Bound::EXACT
                                                 : Bound::UPPER;
    tt_->store(key, ply, {best, node.eval, best_move, depth, bound});
  }
  return best;
}

template Value Worker::search<Worker::NodeType::ROOT>(Frame*, Value, Value, int, bool);

}  // namespace tengen
