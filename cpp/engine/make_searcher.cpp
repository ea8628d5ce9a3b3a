// SPDX-License-Identifier: MIT
#include "engine/make_searcher.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "eval/paired_evaluator.h"
#include "eval/paper_evaluator.h"
#include "mixnet/mixnet_evaluator.h"
#include "search/alphabeta/alphabeta.h"
#include "search/mcts/mcts.h"
#include "search/simple/simple.h"

namespace tengen {

namespace {

MakeEvaluator classical_maker(const Knowledge& knowledge, Rule rule) {
  return [&knowledge, rule]() -> std::unique_ptr<Evaluator> {
    if (!knowledge.tables)
      throw std::invalid_argument("no classical tables were loaded for " +
                                  std::string(RULE_NAMES[static_cast<size_t>(rule)]));
    return std::make_unique<ClassicalEvaluator>(knowledge.tables);
  };
}

/// The evaluators of the preset ALPHABETA. `guesses`: whether the search makes use of guesses.
MakeEvaluator chosen_maker(const Knowledge& knowledge, int size, Rule rule, bool guesses) {
  const Evaluation& chosen = knowledge.evaluation;
  if (!fits(chosen, rule, size))
    throw std::invalid_argument("the net is not for " +
                                std::string(RULE_NAMES[static_cast<size_t>(rule)]) + " on " +
                                std::to_string(size) + " lines");
  // Nets are slow: where a guess will do, tables made for the net have it, or the classical ones.
  const auto beside = [&knowledge,
                       guesses](std::unique_ptr<Evaluator> slow) -> std::unique_ptr<Evaluator> {
    if (!guesses || !knowledge.tables) return slow;
    std::unique_ptr<Evaluator> quick;
    if (knowledge.guesses)
      quick = std::make_unique<GuessEvaluator>(knowledge.guesses, knowledge.tables);
    else
      quick = std::make_unique<ClassicalEvaluator>(knowledge.tables);
    return std::make_unique<PairedEvaluator>(std::move(slow), std::move(quick));
  };
  if (const auto* nets = std::get_if<mixnet::Nets>(&chosen))
    return [nets, size, beside] {
      return beside(std::make_unique<mixnet::MixnetEvaluator>(*nets, size));
    };
  if (const auto* called = std::get_if<CalledNet>(&chosen))
    return [called, size, beside] {
      return beside(std::make_unique<CalledEvaluator>(size, called->ask));
    };
  return classical_maker(knowledge, rule);
}

}  // namespace

bool fits(const Evaluation& evaluation, Rule rule, int size) {
  if (const auto* called = std::get_if<CalledNet>(&evaluation)) return called->sizes >> size & 1;
  const auto* nets = std::get_if<mixnet::Nets>(&evaluation);
  return nets == nullptr || std::all_of(nets->begin(), nets->end(), [&](const auto& net) {
           return net->fits(static_cast<int>(rule), size);
         });
}

std::unique_ptr<Evaluator> make_evaluator(const EngineOptions& options, int size, Rule rule,
                                          const Knowledge& knowledge) {
  switch (options.preset) {
    case Preset::ALPHABETA:
    case Preset::POLICY: return chosen_maker(knowledge, size, rule, false)();
    case Preset::CLASSICAL_PAPER: return std::make_unique<PaperEvaluator>(size, rule);
    case Preset::RANDOM: return nullptr;
    case Preset::CLASSICAL: break;
  }
  return classical_maker(knowledge, rule)();
}

std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const Knowledge& knowledge) {
  const auto paper = [&]() -> std::unique_ptr<Evaluator> {
    return std::make_unique<PaperEvaluator>(size, rule);
  };
  const bool by_tree = options.kind == SearchKind::MCTS;
  const auto searcher = [&](const MakeEvaluator& make) -> std::unique_ptr<Searcher> {
    if (!by_tree)
      return std::make_unique<AlphaBeta>(size, rule, options.search, options.threads,
                                         options.memory, make);
    MctsSettings settings = options.mcts;
    settings.vcf = options.search.vcf_quiescence;
    settings.seed = options.seed;
    return std::make_unique<Mcts>(size, rule, settings, options.threads, options.memory, make);
  };
  const MakeEvaluator classical = classical_maker(knowledge, rule);
  switch (options.preset) {
    case Preset::ALPHABETA: return searcher(chosen_maker(knowledge, size, rule, !by_tree));
    case Preset::CLASSICAL_PAPER: {
      const int branching = options.branching ? options.branching : PAPER_BRANCHING;
      return std::make_unique<AlphaBeta>(size, rule, AlphaBetaSettings::paper(branching), 1,
                                         options.memory, paper);
    }
    case Preset::POLICY:
      return std::make_unique<PolicySearcher>(size, rule,
                                              chosen_maker(knowledge, size, rule, false)());
    case Preset::RANDOM: return std::make_unique<RandomSearcher>(size, rule, options.seed);
    case Preset::CLASSICAL: break;
  }
  return searcher(classical);
}

}  // namespace tengen
