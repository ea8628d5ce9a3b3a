// SPDX-License-Identifier: MIT
#include "engine/play_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace tengen {

namespace {

using Kind = OptionSpec::Kind;

constexpr std::string_view AUTO = "auto";
constexpr i64 MEBIBYTE = 1 << 20;
constexpr i64 MAX_SEED = (i64{1} << 31) - 1;
constexpr size_t MAX_TEXT = 4096;

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

OptionSpec whole(std::string_view name, i64 initial, i64 min, i64 max, const std::string& help) {
  return {name, Kind::WHOLE, std::to_string(initial), min, max, {}, help};
}

OptionSpec on_off(std::string_view name, bool initial, const std::string& help) {
  return {name, Kind::SWITCH, initial ? "on" : "off", 0, 1, {}, help};
}

std::string real_text(i64 value) {
  std::string text = std::to_string(static_cast<double>(value) / REAL_ONE);
  text.erase(std::max(text.find_last_not_of('0') + 1, text.find('.') + 2));
  return text;
}

OptionSpec of_mcts(const OptionInfo& info) {
  const std::string help = std::string(info.meaning) + " (mcts)";
  switch (info.kind) {
    case OptionInfo::Kind::BOOL: return on_off(info.name, info.value != 0, help);
    case OptionInfo::Kind::INT: return whole(info.name, info.value, info.min, info.max, help);
    case OptionInfo::Kind::REAL: break;
  }
  return {info.name, Kind::REAL, real_text(info.value), info.min, info.max, {}, help};
}

std::vector<OptionSpec> make_specs() {
  std::vector<std::string_view> searches = list_of(SEARCH_NAMES);
  searches.push_back(AUTO);
  std::vector<OptionSpec> specs = {
      {"preset", Kind::CHOICE, "alphabeta", 0, 0, list_of(PRESET_NAMES), "how it plays"},
      {"net",
       Kind::TEXT,
       "",
       0,
       0,
       {},
       "evaluation of alphabeta and policy: the name of a net, a .net file (in Python also an "
       ".onnx file), a folder of nets with a registry.json, or classical (empty: alphabeta has "
       "the bundled net for the rule and size, if there is one)"},
      whole("net_memory", 0, 0, 1 << 20,
            "max memory of the net, in MiB; a smaller one or classical plays if it needs more (0: "
            "any)"),
      whole("threads", 1, 1, 256, "search threads"),
      whole("memory", 128, 4, 1 << 20, "memory for tables, in MiB"),
      on_off("ponder", false, "search while the opponent thinks"),
      whole("multipv", 1, 1, 400, "number of lines of an analysis"),
      {"search", Kind::CHOICE, std::string(AUTO), 0, 0, searches,
       "search of alphabeta and classical: alpha-beta, Monte-Carlo tree search, or (auto) the "
       "stronger one for the move"},
      whole("level", FULL_LEVEL, 1, FULL_LEVEL, "playing strength; 10: full"),
      whole("seed", 0, 0, MAX_SEED, "random seed"),
      whole("branching", 0, 0, 484, "moves tried per position (classical-paper; 0: default)"),
      {"score_update", Kind::CHOICE, std::string(UPDATE_NAMES.back()), 0, 0, list_of(UPDATE_NAMES),
       "how classical-paper updates its point scores; all give the same moves, the last is the "
       "fastest"},
      on_off("vcf_quiescence", true, "search for wins by fours (VCF) at the leaves"),
      on_off("history", true, "order moves by history"),
      on_off("late_move_reductions", true, "reduce late moves"),
      on_off("null_move", true, "null-move pruning"),
      on_off("singular_extensions", true, "extend singular moves"),
      on_off("selectivity", true, "futility, razoring, extensions, aspiration windows"),
  };
  for (const OptionInfo& info : mcts_options()) specs.push_back(of_mcts(info));
  return specs;
}

std::string joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

std::string allowed(const OptionSpec& spec) {
  switch (spec.kind) {
    case Kind::WHOLE:
      return "use a whole number from " + std::to_string(spec.min) + " to " +
             std::to_string(spec.max);
    case Kind::REAL:
      return "use a number from " + real_text(spec.min) + " to " + real_text(spec.max);
    case Kind::SWITCH: return "use on or off";
    case Kind::CHOICE: return "use " + joined(spec.choices);
    case Kind::TEXT: break;
  }
  return "use a text of at most " + std::to_string(MAX_TEXT) + " characters";
}

/// The number of a text; nullopt if it is none.
std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// The value of a text as the core takes it; nullopt if it is not allowed.
std::optional<i64> value_of(const OptionSpec& spec, const std::string& text) {
  if (spec.kind == Kind::CHOICE) {
    const auto it = std::find(spec.choices.begin(), spec.choices.end(), text);
    if (it == spec.choices.end()) return std::nullopt;
    return it - spec.choices.begin();
  }
  if (spec.kind == Kind::SWITCH) {
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
  if (wanted == "net_memory")
    options.net_memory = static_cast<int>(*value);
  else if (wanted == "level")
    options.level = static_cast<int>(*value);
  else if (wanted == "ponder")
    options.ponder = *value != 0;
  else if (wanted == "multipv")
    options.multipv = static_cast<int>(*value);
  else if (wanted == "search")
    options.search =
        *value < SEARCH_KIND_NB ? std::optional(static_cast<SearchKind>(*value)) : std::nullopt;
  else
    set_option(options.core, wanted, wanted == "memory" ? *value * MEBIBYTE : *value);
}

}  // namespace tengen
