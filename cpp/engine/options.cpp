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
  i64 min, max;
  void (*set)(EngineOptions&, i64);
};

template <bool AlphaBetaSettings::* Switch>
void set_switch(EngineOptions& options, i64 value) {
  options.search.*Switch = value != 0;
}

template <double MctsSettings::* Real>
void set_mcts(EngineOptions& options, i64 value) {
  options.mcts.*Real = static_cast<double>(value) / REAL_ONE;
}
template <int MctsSettings::* Int>
void set_mcts(EngineOptions& options, i64 value) {
  options.mcts.*Int = static_cast<int>(value);
}
template <bool MctsSettings::* Bool>
void set_mcts(EngineOptions& options, i64 value) {
  options.mcts.*Bool = value != 0;
}

/// `value` in units of 1 / REAL_ONE.
constexpr i64 real(double value) { return static_cast<i64>(value * REAL_ONE + 0.5); }

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
    Entry{"score_update", 0, POINT_SCORE_UPDATE_NB - 1,
          [](EngineOptions& o, i64 v) { o.score_update = static_cast<PointScoreUpdate>(v); }},
    Entry{"vcf_quiescence", 0, 1, set_switch<&AlphaBetaSettings::vcf_quiescence>},
    Entry{"history", 0, 1, set_switch<&AlphaBetaSettings::history>},
    Entry{"late_move_reductions", 0, 1, set_switch<&AlphaBetaSettings::late_move_reductions>},
    Entry{"null_move", 0, 1, set_switch<&AlphaBetaSettings::null_move>},
    Entry{"singular_extensions", 0, 1, set_switch<&AlphaBetaSettings::singular_extensions>},
    Entry{"selectivity", 0, 1, set_switch<&AlphaBetaSettings::pruning>},
#define TENGEN_REAL(FIELD, NAME, DEFAULT, MIN, MAX, ...) \
  Entry{#FIELD, real(MIN), real(MAX), set_mcts<&MctsSettings::FIELD>},
#define TENGEN_INT(FIELD, DEFAULT, MIN, MAX, MEANING) \
  Entry{#FIELD, MIN, MAX, set_mcts<&MctsSettings::FIELD>},
#define TENGEN_BOOL(FIELD, ...) Entry{#FIELD, 0, 1, set_mcts<&MctsSettings::FIELD>},
    TENGEN_MCTS_OPTIONS(TENGEN_REAL, TENGEN_INT, TENGEN_BOOL)
#undef TENGEN_REAL
#undef TENGEN_INT
#undef TENGEN_BOOL
};

}  // namespace

void set_option(EngineOptions& options, std::string_view name, i64 value) {
  for (const Entry& entry : ENTRIES) {
    if (entry.name != name) continue;
    if (value < entry.min || value > entry.max)
      throw std::invalid_argument("option " + std::string(name) + " must be from " +
                                  std::to_string(entry.min) + " to " + std::to_string(entry.max) +
                                  ", not " + std::to_string(value));
    return entry.set(options, value);
  }
  throw std::invalid_argument("there is no option " + std::string(name));
}

std::vector<OptionInfo> mcts_options() {
  using Kind = OptionInfo::Kind;
#define TENGEN_REAL(FIELD, NAME, DEFAULT, MIN, MAX, LOW, HIGH, STEP, MEANING) \
  {#FIELD, Kind::REAL, real(DEFAULT), real(MIN), real(MAX), MEANING},
#define TENGEN_INT(FIELD, DEFAULT, MIN, MAX, MEANING) \
  {#FIELD, Kind::INT, DEFAULT, MIN, MAX, MEANING},
#define TENGEN_BOOL(FIELD, DEFAULT, MEANING) {#FIELD, Kind::BOOL, DEFAULT, 0, 1, MEANING},
  return {TENGEN_MCTS_OPTIONS(TENGEN_REAL, TENGEN_INT, TENGEN_BOOL)};
#undef TENGEN_REAL
#undef TENGEN_INT
#undef TENGEN_BOOL
}

}  // namespace tengen
