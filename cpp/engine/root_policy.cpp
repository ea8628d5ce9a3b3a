// SPDX-License-Identifier: MIT
#include "engine/root_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "eval/logits.h"
#include "eval/no_evaluator.h"
#include "search/movegen.h"

namespace tengen {

namespace {

std::vector<ScoredMove> moves_of(const Position& position, const SearchRequest& request) {
  std::vector<ScoredMove> moves;
  const PatternBoard& patterns = position.patterns();
  if (position.empty_count() == position.size() * position.size())
    return {{make_point(position.size() / 2, position.size() / 2), 0}};
  patterns.for_each_at_least(request.side, Threat::FIVE, [&](Point p) { moves.push_back({p, 0}); });
  if (moves.empty()) generate_moves(position, forced_reply(position), request.last, moves);
  if (moves.empty()) generate_moves(position, ForcedReply::NONE, NO_POINT, moves);
  return moves;
}

}  // namespace

std::vector<PolicyMove> root_policy(int size, Rule rule, const SearchRequest& request,
                                    std::unique_ptr<Evaluator> evaluator) {
  if (!evaluator) evaluator = std::make_unique<NoEvaluator>();
  Position position(size, rule, std::move(evaluator));
  position.assign(request.cells, request.side, request.moves_left);
  std::vector<ScoredMove> moves = moves_of(position, request);
  if (moves.empty()) return {};
  if (moves.size() > 1) position.score_moves(moves);
  std::stable_sort(moves.begin(), moves.end(),
                   [](const ScoredMove& a, const ScoredMove& b) { return a.score > b.score; });
  const double temperature = position.has_net() ? EVAL_PER_POLICY_LOGIT : EVAL_PER_LOGIT;
  std::vector<PolicyMove> policy;
  double sum = 0;
  for (const ScoredMove& move : moves) {
    policy.push_back({move.point, std::exp((move.score - moves[0].score) / temperature)});
    sum += policy.back().probability;
  }
  for (PolicyMove& move : policy) move.probability /= sum;
  return policy;
}

}  // namespace tengen
