// SPDX-License-Identifier: MIT
// Selects the evaluator and the search of a move by options, rule, board size and limit. Reads only
// the headers of files.
#pragma once

#include <optional>
#include <string>

#include "engine/evaluator_info.h"
#include "engine/limit.h"
#include "engine/net_files.h"
#include "engine/play_options.h"

namespace tengen {

enum class EvaluatorKind : u8 { CLASSICAL, MIXNET, ONNX, POINT_SCORE, NONE };

/// The evaluator for one rule and board size, and the files to load for it.
struct EvaluatorChoice {
  EvaluatorInfo info;
  EvaluatorKind kind = EvaluatorKind::CLASSICAL;
  Rule rule = Rule::FREESTYLE;
  int size = 15;
  std::optional<NetPair> nets = {};
  bool is_default = false;  ///< bundled nets: the user named none

  /// The name of the net or nets.
  std::string name() const;
  /// The classical evaluation for the same rule and size.
  EvaluatorChoice classical(const std::string& reason) const;

  bool operator==(const EvaluatorChoice&) const = default;
};

/// Throws BadNet if a net that the user named does not support the rule and size; such a default
/// net is not chosen.
EvaluatorChoice choose_evaluator(const PlayOptions& options, Rule rule, int size,
                                 const NetFolder& bundled);

/// The search of a move: that of the options, or the stronger one. With a limit of nodes or depth
/// that is alpha-beta, as nodes and depth mean something else in MCTS.
SearchKind choose_search(const PlayOptions& options, const EvaluatorChoice& choice,
                         const Limit& limit);
/// Whether the options select MCTS for every limit.
bool uses_mcts(const PlayOptions& options);

}  // namespace tengen
