// SPDX-License-Identifier: MIT
#include "engine/play_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/number_text.h"

namespace tengen {

namespace {

using Kind = OptionSpec::Kind;

constexpr std::string_view AUTO = "auto";
constexpr i64 MAX_SEED = (i64{1} << 31) - 1;
constexpr size_t MAX_TEXT = 4096;  ///< bytes

// In the order of the enumerations.
constexpr std::array<std::string_view, PRESET_NB> PRESET_NAMES = {
    "alphabeta", "classical", "classical-paper", "policy", "random"};
constexpr std::array<std::string_view, SEARCH_KIND_NB> SEARCH_NAMES = {"alphabeta", "mcts"};
constexpr std::array<std::string_view, POINT_SCORE_UPDATE_NB> UPDATE_NAMES = {
    "whole", "point", "direction", "blocked"};

template <size_t N>
std::vector<std::string_view> list_of(const std::array<std::string_view, N>& names) {
  return {names.begin(), names.end()};
}

/// The struct that has the member `Part::*`.
template <typename Part>
Part& part_of(PlayOptions& options) {
  if constexpr (std::is_same_v<Part, PlayOptions>)
    return options;
  else if constexpr (std::is_same_v<Part, EngineOptions>)
    return options.core;
  else if constexpr (std::is_same_v<Part, AlphaBetaSettings>)
    return options.core.search;
  else
    return options.core.mcts;
}

template <typename Part, typename Field>
void assign(PlayOptions& options, Field Part::* member, i64 value) {
  if constexpr (std::is_same_v<Field, double>)
    part_of<Part>(options).*member = static_cast<double>(value) / REAL_ONE;
  else
    part_of<Part>(options).*member = static_cast<Field>(value);
}

template <auto Member>
void set(PlayOptions& options, i64 value) {
  assign(options, Member, value);
}

void set_memory(PlayOptions& options, i64 mebibytes) {
  options.core.memory = static_cast<size_t>(mebibytes) << 20;
}

void set_search(PlayOptions& options, i64 choice) {
  options.search.reset();
  if (choice < SEARCH_KIND_NB) options.search = static_cast<SearchKind>(choice);
}

/// `value` in units of 1 / REAL_ONE.
constexpr i64 millionths(double value) { return static_cast<i64>(value * REAL_ONE + 0.5); }

std::string real_text(i64 value) {
  std::string text = std::to_string(REAL_ONE + value % REAL_ONE);
  text = std::to_string(value / REAL_ONE) + "." + text.substr(1);
  text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.') + 2));
  return text;
}

template <auto Member>
OptionSpec spin(std::string_view name, i64 initial, i64 min, i64 max, std::string help) {
  return {name, Kind::SPIN, std::to_string(initial), min, max, {}, std::move(help), set<Member>};
}

template <auto Member>
OptionSpec real(std::string_view name, double initial, double min, double max, std::string help) {
  return {name,
          Kind::REAL,
          real_text(millionths(initial)),
          millionths(min),
          millionths(max),
          {},
          std::move(help),
          set<Member>};
}

template <auto Member>
OptionSpec check(std::string_view name, bool initial, std::string help) {
  return {name, Kind::CHECK, initial ? "on" : "off", 0, 1, {}, std::move(help), set<Member>};
}

std::vector<OptionSpec> make_specs() {
  using Play = PlayOptions;
  using Core = EngineOptions;
  using Search = AlphaBetaSettings;
  std::vector<std::string_view> searches = list_of(SEARCH_NAMES);
  searches.push_back(AUTO);
  OptionSpec memory = spin<&Core::memory>("memory", 128, 4, 1 << 20, "memory for tables, in MiB");
  memory.set = set_memory;
  return {
      {"preset", Kind::CHOICE, "alphabeta", 0, 0, list_of(PRESET_NAMES), "how it plays",
       set<&Core::preset>},
      {"net",
       Kind::TEXT,
       "",
       0,
       0,
       {},
       "evaluation of alphabeta and policy: the name of a net, a .net file (in Python also an "
       ".onnx file), a folder of nets with a registry.json, or classical (empty: alphabeta has "
       "the bundled net for the rule and size, if there is one)",
       nullptr},
      spin<&Play::net_memory>(
          "net_memory", 0, 0, 1 << 20,
          "max memory of the net, in MiB; a smaller one or classical plays if it needs more (0: "
          "any)"),
      spin<&Core::threads>("threads", 1, 1, 256, "search threads"),
      memory,
      check<&Play::ponder>("ponder", false, "search while the opponent thinks"),
      spin<&Play::multipv>("multipv", 1, 1, 400, "number of lines of an analysis"),
      {"search", Kind::CHOICE, std::string(AUTO), 0, 0, searches,
       "search of alphabeta and classical: alpha-beta, Monte-Carlo tree search, or (auto) the "
       "stronger one for the move",
       set_search},
      spin<&Play::level>("level", FULL_LEVEL, 1, FULL_LEVEL, "playing strength; 10: full"),
      spin<&Core::seed>("seed", 0, 0, MAX_SEED, "random seed"),
      spin<&Core::branching>("branching", 0, 0, 484,
                             "moves tried per position (classical-paper; 0: default)"),
      {"score_update", Kind::CHOICE, std::string(UPDATE_NAMES.back()), 0, 0, list_of(UPDATE_NAMES),
       "how classical-paper updates its point scores; all give the same moves, the last is the "
       "fastest",
       set<&Core::score_update>},
      check<&Search::vcf_quiescence>("vcf_quiescence", true,
                                     "search for wins by fours (VCF) at the leaves"),
      check<&Search::history>("history", true, "order moves by history"),
      check<&Search::late_move_reductions>("late_move_reductions", true, "reduce late moves"),
      check<&Search::null_move>("null_move", true, "null-move pruning"),
      check<&Search::singular_extensions>("singular_extensions", true, "extend singular moves"),
      check<&Search::pruning>("selectivity", true,
                              "futility, razoring, extensions, aspiration windows"),
#define TENGEN_REAL(FIELD, TUNABLE, DEFAULT, MIN, MAX, LOW, HIGH, STEP, MEANING) \
  real<&MctsSettings::FIELD>(#FIELD, DEFAULT, MIN, MAX, MEANING " (mcts)"),
#define TENGEN_INT(FIELD, DEFAULT, MIN, MAX, MEANING) \
  spin<&MctsSettings::FIELD>(#FIELD, DEFAULT, MIN, MAX, MEANING " (mcts)"),
#define TENGEN_BOOL(FIELD, DEFAULT, MEANING) \
  check<&MctsSettings::FIELD>(#FIELD, DEFAULT, MEANING " (mcts)"),
      TENGEN_MCTS_OPTIONS(TENGEN_REAL, TENGEN_INT, TENGEN_BOOL)
#undef TENGEN_REAL
#undef TENGEN_INT
#undef TENGEN_BOOL
  };
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string allowed(const OptionSpec& spec) {
  switch (spec.kind) {
    case Kind::SPIN:
      return "use a whole number from " + std::to_string(spec.min) + " to " +
             std::to_string(spec.max);
    case Kind::REAL:
      return "use a number from " + real_text(spec.min) + " to " + real_text(spec.max);
    case Kind::CHECK: return "use on or off";
    case Kind::CHOICE: return "use " + joined(spec.choices);
    case Kind::TEXT: break;
  }
  return "use a text of at most " + std::to_string(MAX_TEXT) + " bytes";
}

/// The value of a text as the core takes it; nullopt if it is not allowed.
std::optional<i64> value_of(const OptionSpec& spec, const std::string& text) {
  if (spec.kind == Kind::TEXT) return std::nullopt;
  if (spec.kind == Kind::CHOICE) {
    const auto it = std::find(spec.choices.begin(), spec.choices.end(), text);
    if (it == spec.choices.end()) return std::nullopt;
    return it - spec.choices.begin();
  }
  if (spec.kind == Kind::CHECK) {
    if (text == "on" || text == "true" || text == "1") return 1;
    if (text == "off" || text == "false" || text == "0") return 0;
    return std::nullopt;
  }
  const std::optional<double> number = number_of(text);
  if (!number || std::abs(*number) > 1e15) return std::nullopt;
  const i64 value = std::llround(spec.kind == Kind::REAL ? *number * REAL_ONE : *number);
  const bool is_whole = spec.kind == Kind::REAL || static_cast<double>(value) == *number;
  if (!is_whole || value < spec.min || value > spec.max) return std::nullopt;
  return value;
}

}  // namespace

const std::vector<OptionSpec>& option_specs() {
  static const std::vector<OptionSpec> specs = make_specs();
  return specs;
}

void set_play_option(PlayOptions& options, std::string_view name, std::string_view text) {
  std::string wanted(name);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  const auto& specs = option_specs();
  const auto it = std::find_if(specs.begin(), specs.end(),
                               [&](const OptionSpec& spec) { return spec.name == wanted; });
  if (it == specs.end()) {
    std::vector<std::string_view> names;
    for (const OptionSpec& spec : specs) names.push_back(spec.name);
    throw std::invalid_argument("no option '" + std::string(name) + "': options are " +
                                joined(names));
  }
  if (it->kind == Kind::TEXT && text.size() <= MAX_TEXT) {
    options.net = text;
    return;
  }
  const std::optional<i64> value = value_of(*it, std::string(text));
  if (!value)
    throw std::invalid_argument("no " + wanted + " of '" + std::string(text) +
                                "': " + allowed(*it));
  it->set(options, *value);
}

PlayOptions play_options_of(const std::map<std::string, std::string>& texts) {
  PlayOptions options;
  if (texts.contains("preset")) options.search = SearchKind::ALPHABETA;
  for (const auto& [name, text] : texts) set_play_option(options, name, text);
  return options;
}

}  // namespace tengen
