// SPDX-License-Identifier: MIT
// The node function and what belongs to it.
#include "search/alphabeta/worker.h"

#include <algorithm>

namespace tengen {

namespace {

constexpr int MOST_TRIED = 64;  ///< moves remembered for being unlearned

/// Plies up to which a line may be extended, as a multiple of the iteration's depth.
constexpr int EXTENSION_LIMIT = 2;

/// Branching of the paper's player at a ply: it narrows as the search goes deeper.
int branching_at(int branching, int ply) {
  return std::max(branching - 2 * ply, branching / 3 + 1);
}

}  // namespace

bool Worker::count_node() {
  if (!watch_->count_node()) return false;
  nodes_.store(watch_->nodes(), std::memory_order_relaxed);
  return true;
}

/// What the evaluator says; of a net not twice about the same position, as long as it is kept. Of a
/// leaf, most likely, it will be asked nothing else.
Value Worker::evaluate(bool leaf) {
  const u64 key = position_.key();
  if (net_answers_) {
    const Value known = net_answers_->values.find(key);
    if (known != NO_VALUE) return known;
  }
  evaluations_.store(evaluations_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const Value value = clamp_eval(leaf ? position_.leaf_value() : position_.value());
  if (net_answers_) net_answers_->values.keep(key, value);
  return value;
}

/// The same; a guess, if that is far enough from the window. Guesses err alike along a line: what
/// the last evaluation before this node added to one is added to this one, in part.
Value Worker::evaluate_for(Frame* frame, Value alpha, Value beta, int depth, bool leaf) {
  if (samples_) sample();
  const Value rough = position_.rough_value();
  if (rough == NO_VALUE) return evaluate(leaf);
  const Value guess = clamp_eval(rough + frame->mended * margins_.rough_mend / 64);
  const Value margin = margins_.rough(depth);
  if (guess >= beta + margin || guess <= alpha - margin) return guess;
  const Value value = evaluate(leaf);
  frame->mended = value - rough;
  return value;
}

/// VCF for the side to move; its nodes are counted as the search's own.
Finding Worker::search_fours(int depth) {
  const u64 before = watch_->nodes();
  const Finding found =
      vcf_.search(position_.threats(), position_.side(), margins_.vcf_nodes(depth), *watch_);
  const u64 spent = watch_->nodes() - before;
  vcf_nodes_.store(vcf_nodes_.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
  nodes_.store(watch_->nodes(), std::memory_order_relaxed);
  return found;
}

/// Looks for a win by fours of the side to move: its value, or NO_VALUE. The line goes into the
/// frame.
Value Worker::win_by_fours(Frame* frame, int depth, bool pv) {
  if (!position_.threats().has_four(position_.side())) return NO_VALUE;
  if (search_fours(depth) != Finding::WIN) return NO_VALUE;
  WinTree::Reader reader(vcf_.tree());
  if (pv) {
    WinTree::Reader moves = reader;
    const std::vector<Point> line = longest_line(moves);
    frame->line_length = std::min(static_cast<int>(line.size()), MAX_PLY);
    std::copy_n(line.begin(), frame->line_length, frame->line.begin());
  }
  return mate_in(std::min(frame->ply + longest_win(reader), MAX_PLY));
}

/// May a quiet move be left out, and all that come after it?
bool Worker::is_dispensable(int depth, int number, bool pv, Value alpha, const Facts& facts) const {
  if (depth <= margins_.late_depth && number > margins_.late_move_count(depth, facts.improving))
    return true;
  return !pv && depth <= margins_.quiet_depth && facts.eval + margins_.quiet(depth) <= alpha;
}

/// Makes a four or an open three: a move that wants an answer.
bool Worker::makes_threat(Point p) const {
  return position_.patterns().threat(position_.side(), p) >= Threat::OPEN_THREE;
}

OrderingHints Worker::hints(const Frame* frame, Point table_move) {
  OrderingHints hints;
  hints.table_move = table_move;
  if (!settings_.history) return hints;
  const Colour side = position_.side();
  hints.killers = frame->killers;
  hints.counter = history_.counter(side, last_move(frame));
  hints.replies = &history_.replies(side, last_move(frame));
  hints.sequels = &history_.sequels(side, own_last_move(frame));
  return hints;
}

int Worker::move_history(const Frame* frame, Point p) {
  if (!settings_.history) return 0;
  const Colour side = position_.side();
  return history_.move(side, p) + history_.replies(side, last_move(frame))[dense(p)] +
         history_.sequels(side, own_last_move(frame))[dense(p)];
}

/// `best` cut off; what was tried before it did not.
void Worker::learn(Frame* frame, Point best, int depth, const Point* tried, int tried_count) {
  if (!settings_.history) return;
  const Colour side = position_.side();
  if (frame->killers[0] != best) frame->killers = {best, frame->killers[0]};
  history_.counter(side, last_move(frame)) = best;
  const int bonus = std::min(margins_.history_bonus * depth, margins_.history_most);
  Continuation& replies = history_.replies(side, last_move(frame));
  Continuation& sequels = history_.sequels(side, own_last_move(frame));
  const auto add = [&](Point p, int amount) {
    history_.move(side, p).add(amount);
    replies[dense(p)].add(amount);
    sequels[dense(p)].add(amount);
  };
  add(best, bonus);
  for (int i = 0; i < tried_count; ++i)
    if (tried[i] != best) add(tried[i], -bonus);
}

void Worker::update_line(Frame* frame, Point move) {
  const Frame* const child = frame + 1;
  frame->line[0] = move;
  const int length = std::min(child->line_length, MAX_PLY - 1);
  std::copy_n(child->line.begin(), length, frame->line.begin() + 1);
  frame->line_length = length + 1;
}

/// The value of a leaf: what the evaluator says, unless that is below beta and there is a win by
/// fours.
Value Worker::quiesce(Frame* frame, Value alpha, Value beta, Value eval) {
  frame->line_length = 0;
  if (eval == NO_VALUE) eval = evaluate_for(frame, alpha, beta, 0, true);
  if (eval >= beta || !settings_.vcf_quiescence) return eval;
  const Value win = win_by_fours(frame, 0, beta - alpha > 1);
  if (stopped()) return 0;
  if (win == NO_VALUE) return eval;
  table_->store(position_.key(), frame->ply, {win, NO_VALUE, NO_POINT, MAX_PLY, Bound::LOWER});
  return win;
}

/// What is left of the value if the side to move passes. NO_VALUE: not enough for beta.
Value Worker::search_pass(Frame* frame, Value beta, int depth, const Facts& facts, bool cut_node) {
  const int reduced = depth - margins_.null_reduction(depth, facts.eval - beta);
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
                               const Facts& facts, Value& cut) {
  const Value bar = margins_.singular_beta(facts.entry.value, depth);
  frame->excluded = facts.entry.move;
  const Value others = search<Node::ZERO_WINDOW>(frame, bar - 1, bar, (depth - 1) / 2, cut_node);
  frame->excluded = NO_POINT;
  if (stopped()) return 0;
  if (others < bar) return 1;
  if (bar >= beta) cut = bar;  // several moves beat beta
  return facts.entry.value >= beta ? -1 : 0;
}

int Worker::reduction(bool pv, int depth, int number, bool cut_node, const Facts& facts,
                      bool threat, int behind_best, int history) const {
  int sum = margins_.reduction(depth, number);
  if (cut_node) sum += margins_.lmr_cut_node;
  if (pv) sum -= margins_.lmr_pv;
  if (!facts.improving) sum += margins_.lmr_improving;
  if (threat) sum -= margins_.lmr_threat;
  const int by_score = behind_best * margins_.lmr_score / POINTS_PER_LOGIT;
  sum += threat ? by_score * margins_.lmr_threat_score / 16 : by_score;
  sum -= history / margins_.lmr_history;
  return std::max(sum, 0) / Margins::PLY;
}

Value Worker::search_child(Frame* frame, Value alpha, Value beta, int depth, bool cut_node) {
  table_->prefetch(position_.key());
  Frame* const child = frame + 1;
  return beta - alpha > 1 ? search<Node::PV>(child, alpha, beta, depth, false)
                          : search<Node::ZERO_WINDOW>(child, alpha, beta, depth, cut_node);
}

template <Worker::Node N>
Value Worker::search(Frame* frame, Value alpha, Value beta, int depth, bool cut_node) {
  constexpr bool ROOT = N == Node::ROOT;
  constexpr bool PV = N != Node::ZERO_WINDOW;
  const int ply = frame->ply;
  const Colour side = position_.side();
  const Colour other = opponent(side);
  const PatternBoard& patterns = position_.patterns();
  Facts facts;
  frame->line_length = 0;
  if (!ROOT && frame->excluded == NO_POINT) frame->mended = -(frame - 1)->mended;

  // Step 1. One node more. Has the time run out, or the game ended?
  if (!count_node()) return 0;
  if (PV && ply > selective_depth()) selective_depth_.store(ply, std::memory_order_relaxed);
  if (!ROOT) {
    if (position_.is_drawn()) return DRAW;
    if (ply >= MAX_PLY - 2) return patterns.count(other, Threat::FIVE) ? DRAW : evaluate(true);
  }

  // Step 2. The paper's player looks no further than its depth.
  if (!ROOT && settings_.branching && depth <= 0) return evaluate(true);

  // Step 3. Accurate reductions: a five wins; an open four wins, if there is no five to stop.
  if (!ROOT && position_.threats().has_five(side)) {
    if (PV) {
      frame->line[0] = position_.threats().five_point(side);
      frame->line_length = 1;
    }
    return mate_in(ply + 1);
  }
  facts.duty = duty_of(position_);
  if (!ROOT && facts.duty != Duty::STOP_FIVE && patterns.count(side, Threat::OPEN_FOUR) > 0 &&
      position_.threats().moves_left() >= 3) {
    if (PV)
      patterns.for_each_at_least(side, Threat::OPEN_FOUR, [frame](Point p) {
        frame->line[0] = p;
        frame->line_length = 1;
      });
    return mate_in(ply + 3);
  }

  // Step 4. Nothing better than the fastest mate, nothing worse than being mated at once.
  if (!ROOT) {
    alpha = std::max(alpha, mated_in(ply));
    beta = std::min(beta, mate_in(ply + 1));
    if (alpha >= beta) return alpha;
  }

  // Step 5. What the table knows.
  const u64 key = position_.key();
  const bool excluding = frame->excluded != NO_POINT;
  facts.in_table = table_->probe(key, ply, facts.entry);
  if (ROOT) {
    facts.entry.move = root_moves_[line_].move;
    facts.in_table = true;
  }
  if (!PV && !excluding && facts.in_table && facts.entry.depth >= depth) {
    if (has_bound(facts.entry, facts.entry.value >= beta ? Bound::LOWER : Bound::UPPER))
      return facts.entry.value;
  }

  // Step 6. A leaf, unless something has to be stopped: those replies cost no depth.
  const bool goes_on = facts.duty == Duty::STOP_FIVE ||
                       (facts.duty == Duty::STOP_FOUR && depth == 0 && settings_.selectivity);
  if (depth <= 0 && !goes_on) return quiesce(frame, alpha, beta, facts.entry.eval);
  depth = std::max(depth, 1);

  // Step 7. The static value, and whether things get better. Most nodes just above the leaves go no
  // further, unless they or those before them answer a threat.
  const bool leaf = depth == 1 && facts.duty == Duty::NONE && (frame - 1)->eval != NO_VALUE;
  if (facts.duty == Duty::STOP_FIVE)
    frame->eval = NO_VALUE;
  else if (!excluding)
    frame->eval = facts.entry.eval != NO_VALUE ? facts.entry.eval
                  : PV ? evaluate_for(frame, -INFINITE, INFINITE, depth, false)
                       : evaluate_for(frame, alpha, beta, depth, leaf);
  facts.eval = frame->eval;
  const Value before = (frame - 2)->eval;
  facts.improving = facts.eval != NO_VALUE && (before == NO_VALUE || facts.eval > before);
  if (facts.in_table && facts.eval != NO_VALUE && !is_mate(facts.entry.value) &&
      has_bound(facts.entry, facts.entry.value > facts.eval ? Bound::LOWER : Bound::UPPER))
    facts.eval = facts.entry.value;  // the table knows better
  const bool prunable =
      !PV && !excluding && settings_.selectivity && facts.eval != NO_VALUE && !is_mate(beta);

  // Step 8. Futility: so far above beta that the opponent will not make up for it.
  if (prunable && depth <= margins_.futility_depth && facts.duty == Duty::NONE &&
      facts.eval - margins_.futility(depth, facts.improving) >= beta)
    return facts.eval;

  // Step 9. A win by fours on the way, where there is depth to lose or hope to give up. Razoring:
  // far below alpha, and no such win.
  const bool hopeless =
      prunable && depth <= margins_.razor_depth && facts.eval + margins_.razor(depth) < alpha;
  if (!ROOT && !excluding && settings_.vcf_quiescence && facts.duty != Duty::STOP_FIVE &&
      (hopeless || depth >= margins_.vcf_least_depth)) {
    const Value win = win_by_fours(frame, depth, PV);
    if (stopped()) return 0;
    if (win != NO_VALUE) {
      table_->store(key, ply, {win, NO_VALUE, NO_POINT, MAX_PLY, Bound::LOWER});
      return win;
    }
  }
  if (hopeless) return facts.eval;

  // Step 10. Null move: still above beta after a pass. Two passes in a row would lead back here.
  if (!PV && !excluding && settings_.null_move && !(frame - 1)->passed &&
      facts.duty == Duty::NONE && depth >= margins_.null_least_depth && facts.eval >= beta &&
      !is_mate(beta)) {
    const Value value = search_pass(frame, beta, depth, facts, cut_node);
    if (stopped()) return 0;
    if (value != NO_VALUE) return value;
  }

  // Step 11. Without a move to begin with, depth is better spent later.
  if (settings_.selectivity && depth >= 4 && facts.entry.move == NO_POINT && !excluding) --depth;

  // Step 12. The moves, best first.
  const OrderingHints order = hints(frame, facts.entry.move);
  MovePicker picker(position_, history_, margins_, order, facts.duty, last_move(frame), move_room_,
                    net_answers_ ? &net_answers_->scores : nullptr);
  if (settings_.branching) picker.keep(branching_at(settings_.branching, ply));
  (frame + 1)->killers = {NO_POINT, NO_POINT};
  std::array<Point, MOST_TRIED> tried;
  int tried_count = 0, number = 0;
  Value best = -INFINITE;
  Point best_move = NO_POINT;
  const Value old_alpha = alpha;
  const auto next = [&] { return ROOT ? root_move(number) : picker.next(); };
  for (Point move = next(); move != NO_POINT; move = next()) {
    if (move == frame->excluded) continue;
    ++number;
    const bool threat = makes_threat(move);
    const int history = move_history(frame, move);

    // Step 13. Late and hopeless moves at shallow depth are left out; those that threaten stay.
    if (!ROOT && settings_.selectivity && !is_loss(best) && facts.duty == Duty::NONE &&
        number > 1 && is_dispensable(depth, number, PV, alpha, facts)) {
      picker.keep_threats();
      if (!threat) continue;
    }

    // Step 14. A lone good move is searched deeper.
    int extension = 0;
    if (!ROOT && settings_.singular_extensions && !excluding && move == facts.entry.move &&
        depth >= margins_.singular_least_depth && facts.entry.depth >= depth - 3 &&
        has_bound(facts.entry, Bound::LOWER) && !is_mate(facts.entry.value) &&
        ply < EXTENSION_LIMIT * root_depth_) {
      Value cut = NO_VALUE;
      extension = singular_extension(frame, beta, depth, cut_node, facts, cut);
      if (stopped()) return 0;
      if (cut != NO_VALUE) return cut;
    }
    const int child_depth = depth - 1 + extension;

    // Step 15. A five ends the game. (Elsewhere than at the root it was seen in step 3.)
    if (ROOT && patterns.threat(side, move) == Threat::FIVE) {
      (frame + 1)->line_length = 0;
      update_root(frame, move, mate_in(1), number, -INFINITE);
      best = alpha = mate_in(1);
      best_move = move;
      if (best >= beta) break;
      continue;
    }

    // Step 16. Late moves are searched less deep first, then as deep as the others.
    frame->move = move;
    position_.play(move);
    Value value = -INFINITE;
    bool full = !PV || number > 1;
    if (settings_.late_move_reductions && depth >= 2 && number > 1 + ROOT &&
        facts.duty == Duty::NONE) {
      const int less =
          reduction(PV, depth, number, cut_node, facts, threat, picker.behind_best(), history);
      const int reduced = std::clamp(child_depth - less, 1, child_depth);
      value = -search_child(frame, -(alpha + 1), -alpha, reduced, true);
      full = value > alpha && reduced < child_depth;
    }
    if (full) value = -search_child(frame, -(alpha + 1), -alpha, child_depth, !cut_node);
    if (PV && (number == 1 || (value > alpha && (ROOT || value < beta))))
      value = -search_child(frame, -beta, -alpha, child_depth, false);
    position_.undo(move);
    if (stopped()) return 0;

    // Step 17. A better move?
    if (ROOT) update_root(frame, move, value, number, alpha);
    if (value > best) {
      best = value;
      if (value > alpha) {
        best_move = move;
        if (PV && !ROOT) update_line(frame, move);
        if (value >= beta) break;
        alpha = value;
      }
    }
    if (tried_count < MOST_TRIED) tried[tried_count++] = move;
  }

  // Step 18. No move at all: the position is lost if something had to be stopped, else nothing is
  // left but to pass.
  if (number == 0) {
    if (excluding) return alpha;
    const int left = position_.threats().moves_left();  // the move limit may come first
    if (facts.duty == Duty::STOP_FIVE && left >= 2) return mated_in(ply + 2);
    if (facts.duty != Duty::NONE && left >= 4) return mated_in(ply + 4);
    return DRAW;
  }
  if (best == -INFINITE) best = old_alpha;  // all moves were left out

  // Step 19. What was learned.
  if (best_move != NO_POINT && best >= beta)
    learn(frame, best_move, depth, tried.data(), tried_count);
  if (!excluding && !(ROOT && line_ > 0)) {
    const Bound bound = best >= beta             ? Bound::LOWER
                        : PV && best > old_alpha ? Bound::EXACT
                                                 : Bound::UPPER;
    table_->store(key, ply, {best, facts.eval, best_move, depth, bound});
  }
  return best;
}

template Value Worker::search<Worker::Node::ROOT>(Frame*, Value, Value, int, bool);

}  // namespace tengen
