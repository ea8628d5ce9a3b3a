// SPDX-License-Identifier: MIT
#include "engine/evaluator_choice.h"

namespace tengen {

namespace {

/// Value of the option `net`: play without a net.
constexpr std::string_view CLASSICAL_NET = "classical";
/// MCTS is at least as strong as alpha-beta with a Mixnet, one thread, and at most this many
/// seconds per move (docs/journal/nets.md).
constexpr double MCTS_SECONDS = 1;

std::string description(const NetPair& nets, bool with_suffix) {
  const auto name = [&](const NetFile& net) { return with_suffix ? net.name : net.stem(); };
  if (nets[0] == nets[1]) return "net " + name(nets[0]);
  return "nets " + name(nets[0]) + " for black, " + name(nets[1]) + " for white";
}

/// The header of a net, which must be for these. Throws BadNet with the file.
NetInfo checked_info(const NetFile& file, Rule rule, int size, Colour colour) {
  const NetInfo info = read_net_info(file);
  try {
    if (!(info.rules >> static_cast<int>(rule) & 1) || !(info.sizes >> size & 1))
      info.check_supports(rule, size);
    info.check_supports(rule, size, colour);
  } catch (const BadNet& error) {
    throw BadNet(error.reason(), file.place());
  }
  return info;
}

EvaluatorChoice mixnet_choice(const NetPair& nets, Rule rule, int size, bool is_default) {
  const NetInfo black = checked_info(nets[0], rule, size, BLACK);
  const NetInfo white = checked_info(nets[1], rule, size, WHITE);
  const bool is_one = nets[0] == nets[1];
  EvaluatorChoice choice{{}, EvaluatorKind::MIXNET, rule, size, nets, is_default};
  choice.info.name = black.family();
  if (white.family() != black.family()) choice.info.name += " and " + white.family();
  choice.info.about = description(nets, false);
  choice.info.bytes = black.bytes() + (is_one ? 0 : white.bytes());
  return choice;
}

/// Nets outside the core; whether they support rule and size is checked when they are loaded.
EvaluatorChoice onnx_choice(const NetPair& nets, Rule rule, int size) {
  if (!nets[0].is_onnx() || !nets[1].is_onnx())
    throw BadNet(nets[0].name + " and " + nets[1].name +
                     " have two formats: use two .net or two .onnx files",
                 nets[0].place());
  return {{"onnx", description(nets, true), 0}, EvaluatorKind::ONNX, rule, size, nets};
}

/// The largest bundled net that fits into the memory, or the classical evaluation.
EvaluatorChoice smaller_choice(const EvaluatorChoice& choice, u64 memory,
                               const NetFolder& bundled) {
  const std::string reason = choice.name() + ": " +
                             std::to_string((choice.info.bytes + (1 << 20) - 1) >> 20) +
                             " MiB of memory needed, " + std::to_string(memory >> 20) + " allowed";
  std::optional<EvaluatorChoice> best;
  for (const NetFile& net : bundled.all()) {
    const NetInfo info = read_net_info(net);
    if (!info.supports(choice.rule, choice.size) || info.bytes() > memory) continue;
    if (best && info.bytes() <= best->info.bytes) continue;
    best = mixnet_choice({net, net}, choice.rule, choice.size, true);
  }
  if (!best) return choice.classical(reason);
  best->info.about += "; " + reason;
  return *best;
}

}  // namespace

std::string EvaluatorChoice::name() const {
  if (!nets) return "";
  const auto& [black, white] = *nets;
  return black == white ? black.stem() : black.stem() + " and " + white.stem();
}

EvaluatorChoice EvaluatorChoice::classical(const std::string& reason) const {
  return {{"classical", reason, 0}, EvaluatorKind::CLASSICAL, rule, size};
}

EvaluatorChoice choose_evaluator(const PlayOptions& options, Rule rule, int size,
                                 const NetFolder& bundled) {
  const auto plain = [&](EvaluatorKind kind, const char* name, const std::string& about) {
    return EvaluatorChoice{{name, about, 0}, kind, rule, size};
  };
  const Preset preset = options.core.preset;
  const bool uses_net =
      preset == Preset::ALPHABETA || (preset == Preset::POLICY && !options.net.empty());
  if (!uses_net) {
    switch (preset) {
      case Preset::CLASSICAL_PAPER:
        return plain(EvaluatorKind::POINT_SCORE, "point scores", "fixed-depth baseline");
      case Preset::POLICY:
        return plain(EvaluatorKind::CLASSICAL, "classical", "policy without search");
      case Preset::RANDOM: return plain(EvaluatorKind::NONE, "none", "random moves");
      default: return plain(EvaluatorKind::CLASSICAL, "classical", "");
    }
  }
  if (options.net == CLASSICAL_NET)
    return plain(EvaluatorKind::CLASSICAL, "classical", "as requested");
  const std::string lines = std::to_string(size);
  const std::string board = rule_name(rule);
  std::optional<NetPair> nets;
  if (options.net.empty()) {
    nets = bundled.find(rule, size);
    if (!nets)
      return plain(EvaluatorKind::CLASSICAL, "classical",
                   "no bundled net for " + board + " " + lines + "x" + lines);
  } else {
    nets = find_named_nets(options.net, rule, size, bundled);
    if (!nets)
      throw BadNet("its registry has no net for " + board + " on " + lines + "x" + lines,
                   options.net);
  }
  if ((*nets)[0].is_onnx() || (*nets)[1].is_onnx()) return onnx_choice(*nets, rule, size);
  const EvaluatorChoice choice = mixnet_choice(*nets, rule, size, options.net.empty());
  const u64 memory = static_cast<u64>(options.net_memory) << 20;
  return memory > 0 && choice.info.bytes > memory ? smaller_choice(choice, memory, bundled)
                                                  : choice;
}

SearchKind choose_search(const PlayOptions& options, const EvaluatorChoice& choice,
                         const Limit& limit) {
  if (options.search) return *options.search;
  const std::optional<double> time = limit.for_move();
  const bool is_quick = time && *time <= MCTS_SECONDS;
  const bool counts = limit.nodes > 0 || limit.depth > 0;
  return choice.kind == EvaluatorKind::MIXNET && is_quick && !counts && options.core.threads == 1
             ? SearchKind::MCTS
             : SearchKind::ALPHABETA;
}

bool uses_mcts(const PlayOptions& options) {
  return options.search == SearchKind::MCTS &&
         (options.core.preset == Preset::ALPHABETA || options.core.preset == Preset::CLASSICAL);
}

}  // namespace tengen
