// SPDX-License-Identifier: MIT
#include "engine/make_searcher.h"

#include <stdexcept>
#include <string>

#include "eval/paper_evaluator.h"
#include "mixnet/mixnet_evaluator.h"
#include "search/alphabeta/alphabeta.h"
#include "search/simple/simple.h"

namespace tengen {

std::unique_ptr<Searcher> make_searcher(const EngineOptions& options, int size, Rule rule,
                                        const Knowledge& knowledge) {
  const auto rule_name = [&] { return std::string(RULE_NAMES[static_cast<size_t>(rule)]); };
  const auto classical = [&]() -> std::unique_ptr<Evaluator> {
    if (!knowledge.tables)
      throw std::invalid_argument("no classical tables were loaded for " + rule_name());
    return std::make_unique<ClassicalEvaluator>(knowledge.tables);
  };
  const auto net = [&]() -> std::unique_ptr<Evaluator> {
    for (const auto& one : knowledge.nets) {
      if (!one) throw std::invalid_argument("no net was loaded");
      if (!one->fits(static_cast<int>(rule), size))
        throw std::invalid_argument("the net is not for " + rule_name() + " on " +
                                    std::to_string(size) + " lines");
    }
    return std::make_unique<mixnet::MixnetEvaluator>(knowledge.nets, size);
  };
  const auto paper = [&]() -> std::unique_ptr<Evaluator> {
    return std::make_unique<PaperEvaluator>(size, rule);
  };
  switch (options.preset) {
    case Preset::CLASSICAL_PAPER: {
      const int branching = options.branching ? options.branching : PAPER_BRANCHING;
      return std::make_unique<AlphaBeta>(size, rule, AlphaBetaSettings::paper(branching), 1,
                                         options.memory, paper);
    }
    case Preset::POLICY: return std::make_unique<PolicySearcher>(size, rule, classical());
    case Preset::RANDOM: return std::make_unique<RandomSearcher>(size, rule, options.seed);
    case Preset::MIXNET:
      return std::make_unique<AlphaBeta>(size, rule, options.search, options.threads,
                                         options.memory, net);
    case Preset::CLASSICAL: break;
  }
  return std::make_unique<AlphaBeta>(size, rule, options.search, options.threads, options.memory,
                                     classical);
}

}  // namespace tengen
