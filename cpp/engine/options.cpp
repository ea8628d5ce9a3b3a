// SPDX-License-Identifier: MIT
#include "engine/options.h"

#include <array>
#include <limits>
#include <stdexcept>

namespace tengen {

namespace {

constexpr i64 ANY = std::numeric_limits<i64>::max();

struct Entry {
  std::string_view name;
  i64 least, most;
  void (*set)(EngineOptions&, i64);
};

template <bool AlphaBetaSettings::* Switch>
void set_switch(EngineOptions& options, i64 value) {
  options.search.*Switch = value != 0;
}

template <double MctsSettings::* Real>
void set_real(EngineOptions& options, i64 value) {
  options.mcts.*Real = static_cast<double>(value) / REAL_ONE;
}

constexpr std::array ENTRIES = {
    Entry{"preset", 0, PRESET_NB - 1,
          [](EngineOptions& o, i64 v) { o.preset = static_cast<Preset>(v); }},
    Entry{"threads", 1, 256, [](EngineOptions& o, i64 v) { o.threads = static_cast<int>(v); }},
    Entry{"memory", i64{1} << 20, i64{1} << 40,
          [](EngineOptions& o, i64 v) { o.memory = static_cast<size_t>(v); }},
    Entry{"seed", 0, ANY, [](EngineOptions& o, i64 v) { o.seed = static_cast<u64>(v); }},
    Entry{"search", 0, SEARCH_KIND_NB - 1,
          [](EngineOptions& o, i64 v) { o.kind = static_cast<SearchKind>(v); }},
    Entry{"branching", 0, 484, [](EngineOptions& o, i64 v) { o.branching = static_cast<int>(v); }},
    Entry{"vcf_quiescence", 0, 1, set_switch<&AlphaBetaSettings::vcf_quiescence>},
    Entry{"history", 0, 1, set_switch<&AlphaBetaSettings::history>},
    Entry{"late_move_reductions", 0, 1, set_switch<&AlphaBetaSettings::late_move_reductions>},
    Entry{"null_move", 0, 1, set_switch<&AlphaBetaSettings::null_move>},
    Entry{"singular_extensions", 0, 1, set_switch<&AlphaBetaSettings::singular_extensions>},
    Entry{"selectivity", 0, 1, set_switch<&AlphaBetaSettings::selectivity>},
    Entry{"c", 0, 100 * REAL_ONE, set_real<&MctsSettings::c>},
    Entry{"c_log", 0, 100 * REAL_ONE, set_real<&MctsSettings::c_log>},
    Entry{"c_base", REAL_ONE, 1'000'000 * REAL_ONE, set_real<&MctsSettings::c_base>},
    Entry{"tau", 0, REAL_ONE, set_real<&MctsSettings::tau>},
    Entry{"fpu", 0, 2 * REAL_ONE, set_real<&MctsSettings::fpu>},
    Entry{"spread", 0, 2 * REAL_ONE, set_real<&MctsSettings::spread>},
    Entry{"lcb", 0, 10 * REAL_ONE, set_real<&MctsSettings::lcb>},
    Entry{"temperature", REAL_ONE / 100, 100 * REAL_ONE, set_real<&MctsSettings::temperature>},
    Entry{"gumbel", 0, 484, [](EngineOptions& o, i64 v) { o.mcts.gumbel = static_cast<int>(v); }},
    Entry{"gumbel_noise", 0, 10 * REAL_ONE, set_real<&MctsSettings::gumbel_noise>},
    Entry{"batch", 1, 1024, [](EngineOptions& o, i64 v) { o.mcts.batch = static_cast<int>(v); }},
    Entry{"tree_reuse", 0, 1, [](EngineOptions& o, i64 v) { o.mcts.reuse = v != 0; }},
};

}  // namespace

void set_option(EngineOptions& options, std::string_view name, i64 value) {
  for (const Entry& entry : ENTRIES) {
    if (entry.name != name) continue;
    if (value < entry.least || value > entry.most)
      throw std::invalid_argument("option " + std::string(name) + " goes from " +
                                  std::to_string(entry.least) + " to " +
                                  std::to_string(entry.most) + ", not " + std::to_string(value));
    return entry.set(options, value);
  }
  throw std::invalid_argument("there is no option " + std::string(name));
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const Entry& entry : ENTRIES) names.emplace_back(entry.name);
  return names;
}

}  // namespace tengen
