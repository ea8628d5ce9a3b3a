// SPDX-License-Identifier: MIT
#include "engine/make_searcher.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "eval/lazy_evaluator.h"
#include "eval/point_score_evaluator.h"
#include "mixnet/mixnet_evaluator.h"
#include "search/alphabeta/alphabeta.h"
#include "search/mcts/mcts.h"
#include "search/simple/simple.h"

namespace tengen {

namespace {

EvaluatorFactory classical_factory(const EvaluatorResources& resources, Rule rule) {
  return [&resources, rule]() -> std::unique_ptr<Evaluator> {
    if (!resources.tables)
      throw std::invalid_argument("no classical tables were loaded for " + rule_name(rule));
    return std::make_unique<ClassicalEvaluator>(resources.tables);
  };
}

/// Evaluators of the preset ALPHABETA. `lazy`: the search uses lazy values.
EvaluatorFactory net_factory(const EvaluatorResources& resources, int size, Rule rule, bool lazy) {
  const Evaluation& chosen = resources.evaluation;
  if (!supports(chosen, rule, size))
    throw std::invalid_argument("the net does not support " + rule_name(rule) + " on size " +
                                std::to_string(size));
  // Nets are slow. Lazy tables made for the net, or else the classical tables, give lazy values.
  const auto with_lazy = [&resources,
                          lazy](std::unique_ptr<Evaluator> net) -> std::unique_ptr<Evaluator> {
    if (!lazy || !resources.tables) return net;
    std::unique_ptr<Evaluator> fast;
    if (resources.lazy_tables)
      fast = std::make_unique<LazyTablesEvaluator>(resources.lazy_tables, resources.tables);
    else
      fast = std::make_unique<ClassicalEvaluator>(resources.tables);
    return std::make_unique<LazyEvaluator>(std::move(net), std::move(fast));
  };
  if (const auto* nets = std::get_if<mixnet::Nets>(&chosen))
    return [nets, size, with_lazy] {
      return with_lazy(std::make_unique<mixnet::MixnetEvaluator>(*nets, size));
    };
  if (const auto* net = std::get_if<CallbackNet>(&chosen))
    return [net, size, with_lazy] {
      return with_lazy(std::make_unique<CallbackEvaluator>(size, net->callback, net->white));
    };
  return classical_factory(resources, rule);
}

}  // namespace

bool supports(const Evaluation& evaluation, Rule rule, int size) {
  if (const auto* called = std::get_if<CallbackNet>(&evaluation)) return called->sizes >> size & 1;
  const auto* nets = std::get_if<mixnet::Nets>(&evaluation);
  return nets == nullptr || std::all_of(nets->begin(), nets->end(), [&](const auto& net) {
           return net->supports(static_cast<int>(rule), size);
         });
}

std::unique_ptr<Evaluator> make_evaluator(const EngineOptions& options, int size, Rule rule,
                                          const EvaluatorResources& resources) {
  switch (options.preset) {
    case Preset::ALPHABETA:
    case Preset::POLICY: return net_factory(resources, size, rule, false)();
    case Preset::CLASSICAL_PAPER:
      return std::make_unique<PointScoreEvaluator>(size, rule, options.score_update);
    case Preset::RANDOM: return nullptr;
    case Preset::CLASSICAL: break;
  }
  return classical_factory(resources, rule)();
}

std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const EvaluatorResources& resources) {
  const auto paper = [&]() -> std::unique_ptr<Evaluator> {
    return std::make_unique<PointScoreEvaluator>(size, rule, options.score_update);
  };
  const bool is_mcts = options.kind == SearchKind::MCTS;
  const auto searcher = [&](const EvaluatorFactory& make) -> std::unique_ptr<Searcher> {
    if (!is_mcts)
      return std::make_unique<AlphaBeta>(size, rule, options.search, options.threads,
                                         options.memory, make);
    MctsSettings settings = options.mcts;
    settings.vcf = options.search.vcf_quiescence;
    settings.seed = options.seed;
    return std::make_unique<Mcts>(size, rule, settings, options.threads, options.memory, make);
  };
  const EvaluatorFactory classical = classical_factory(resources, rule);
  switch (options.preset) {
    case Preset::ALPHABETA: return searcher(net_factory(resources, size, rule, !is_mcts));
    case Preset::CLASSICAL_PAPER: {
      const int branching = options.branching ? options.branching : CLASSICAL_PAPER_BRANCHING;
      return std::make_unique<AlphaBeta>(size, rule, AlphaBetaSettings::fixed_depth(branching), 1,
                                         options.memory, paper);
    }
    case Preset::POLICY:
      return std::make_unique<PolicySearcher>(size, rule,
                                              net_factory(resources, size, rule, false)());
    case Preset::RANDOM: return std::make_unique<RandomSearcher>(size, rule, options.seed);
    case Preset::CLASSICAL: break;
  }
  return searcher(classical);
}

}  // namespace tengen
