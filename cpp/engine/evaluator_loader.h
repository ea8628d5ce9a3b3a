// SPDX-License-Identifier: MIT
// Loads the evaluator of a move in the background and installs it in an engine; without a default
// net that cannot be loaded, or is not loaded yet, classical plays.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/evaluator_choice.h"
#include "engine/net_store.h"

namespace tengen {

/// The files of the package.
struct Bundle {
  std::shared_ptr<const FileSource> tables;  ///< `classical-RULE.tables`
  NetFolder nets;
};

/// The bundle of a folder with tables, and nets in `nets`.
Bundle bundle_in(const std::filesystem::path& folder);

/// Evaluation tables are missing or invalid.
class BadTables : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Starts to load nets that are not Mixnets, such as ONNX files.
using LoadExternal =
    std::function<std::shared_ptr<const ExternalNet>(const NetPair&, Rule, int size)>;

/// A selected evaluator whose nets load in the background.
class PendingEvaluator {
 public:
  /// Without `load_external` nets that are not Mixnets are rejected.
  PendingEvaluator(EvaluatorChoice choice, const LoadExternal& load_external);

  const EvaluatorChoice& choice() const { return choice_; }
  bool is_ready() const;
  /// Waits for the nets, at most a fraction of `time` seconds (nullopt: no limit): the search needs
  /// the rest. Returns early if `is_stopped`.
  void wait_for_move(std::optional<double> time, const std::function<bool()>& is_stopped) const;
  /// Waits at most `seconds` for nets that are being read, not for those that are baked.
  void wait_while_read(double seconds, const std::function<bool()>& is_stopped) const;
  /// The nets, if the choice has some. Requires is_ready(). Throws BadNet.
  Evaluation evaluation() const;
  /// What went wrong with the cache of its nets, if anything. Requires is_ready().
  std::vector<std::string> notes() const;

 private:
  bool is_baking() const;
  /// Waits at most `seconds` for the first net that is not ready.
  void wait(double seconds) const;

  EvaluatorChoice choice_;
  std::array<std::shared_ptr<const StoredNet>, 2> stored_;
  std::shared_ptr<const ExternalNet> external_;
  std::vector<const NetLoad*> loads_;  ///< of these
};

/// Seconds that a move still waits for its nets, after it waited for some: a part of its `time`,
/// smaller while nets are baked, because that takes longer.
double wait_left(double time, double waited, bool is_baking);

/// For one engine and one thread, while no search runs.
class EvaluatorLoader {
 public:
  EvaluatorLoader(Engine& engine, Bundle bundle, LoadExternal load_external);

  /// The evaluator for a rule and size. Throws BadNet.
  EvaluatorChoice choose(const PlayOptions& options, Rule rule, int size) const;
  /// Chooses the evaluator for a rule and size, and starts loading it, unless it is `held` by a
  /// caller or the last one requested. Throws BadNet.
  std::shared_ptr<const PendingEvaluator> request(
      const PlayOptions& options, Rule rule, int size,
      const std::shared_ptr<const PendingEvaluator>& held = nullptr);
  /// Installs an evaluator and returns what was installed: the classical evaluation if the nets are
  /// not ready, or if default nets cannot be loaded. Throws BadNet, BadTables.
  EvaluatorChoice install(const std::shared_ptr<const PendingEvaluator>& pending);
  /// Tries default nets that could not be loaded again at the next request.
  void retry_failed() { failed_.clear(); }
  /// What went wrong with the cache of the nets installed since the last call, if anything.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  EvaluatorChoice install_classical(const EvaluatorChoice& choice);
  void install_nets(const PendingEvaluator& pending);
  void load_tables(Rule rule);

  Engine& engine_;
  Bundle bundle_;
  LoadExternal load_external_;
  std::array<bool, RULE_NB> has_tables_{};
  std::shared_ptr<const PendingEvaluator> pending_, installed_;  ///< the latter: whose nets it has
  struct Failed {
    EvaluatorChoice choice, replacement;
  };
  std::vector<Failed> failed_;
  std::vector<std::string> notes_;
};

}  // namespace tengen
