// SPDX-License-Identifier: MIT
#include "engine/evaluator_loader.h"

#include <algorithm>
#include <system_error>

#include "base/stop_condition.h"
#include "eval/lazy_tables.h"

namespace tengen {

namespace {

/// Fraction of a move's time that a search waits for its net: if that is read from the cache, and
/// if it is baked (its codebooks are computed, docs/cache.md), which takes seconds.
constexpr double READ_FRACTION = 2.0 / 3, BAKE_FRACTION = 1.0 / 3;
constexpr double POLL = 0.01;  ///< seconds between two checks for a stop

/// The file of a net's lazy tables, beside it.
std::string lazy_tables_of(const NetFile& net) { return net.stem() + ".guess"; }

/// The lazy tables beside a net; empty if there are none, or those of another rule, which a net for
/// several rules may have. Throws BadTables.
std::string read_lazy_tables(const NetFile& net, Rule rule) {
  const std::string name = lazy_tables_of(net);
  std::string bytes;
  try {
    bytes = net.source->read(name);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return {};
    throw BadTables(name + ": the net's lazy tables cannot be read (" + error.code().message() +
                    ")");
  }
  try {
    return LazyTables::rule_of(bytes) == rule ? bytes : std::string();
  } catch (const std::invalid_argument& error) {
    throw BadTables(net.source->place(name) + ": " + error.what() +
                    ": make it again, or delete it");
  }
}

}  // namespace

Bundle bundle_in(const std::filesystem::path& folder) {
  return {std::make_shared<FolderSource>(folder),
          NetFolder(std::make_shared<FolderSource>(folder / "nets"), true)};
}

// --- loading ---

PendingEvaluator::PendingEvaluator(EvaluatorChoice choice, const LoadExternal& load_external)
    : choice_(std::move(choice)) {
  if (!choice_.nets) return;
  const NetPair& nets = *choice_.nets;
  if (choice_.kind == EvaluatorKind::MIXNET) {
    for (size_t side = 0; side < 2; ++side) {
      stored_[side] = load_net(nets[side]);
      loads_.push_back(stored_[side].get());
    }
    return;
  }
  if (load_external) {
    external_ = load_external(nets, choice_.rule, choice_.size);
  } else {
    const auto rejected = std::make_shared<ExternalNet>();
    rejected->fail(
        BadNet("an ONNX file, which only `tengen gomocup` can play with: name a .net file",
               nets[0].place()));
    external_ = rejected;
  }
  loads_.push_back(external_.get());
}

bool PendingEvaluator::is_ready() const {
  return std::all_of(loads_.begin(), loads_.end(), [](const auto* net) { return net->is_ready(); });
}

bool PendingEvaluator::is_baking() const {
  return std::any_of(loads_.begin(), loads_.end(),
                     [](const auto* net) { return !net->is_ready() && net->progress() > 0; });
}

void PendingEvaluator::wait(double seconds) const {
  for (const auto* net : loads_)
    if (!net->is_ready()) {
      net->wait(seconds);
      return;
    }
}

double wait_left(double time, double waited, bool is_baking) {
  return time * (is_baking ? BAKE_FRACTION : READ_FRACTION) - waited;
}

void PendingEvaluator::wait_for_move(std::optional<double> time,
                                     const std::function<bool()>& is_stopped) const {
  const double start = StopCondition::now();
  while (!is_ready() && !is_stopped()) {
    double left = POLL;
    if (time) left = std::min(POLL, wait_left(*time, StopCondition::now() - start, is_baking()));
    if (left <= 0) return;
    wait(left);
  }
}

void PendingEvaluator::wait_while_read(double seconds,
                                       const std::function<bool()>& is_stopped) const {
  const double end = StopCondition::now() + seconds;
  while (!is_ready() && !is_baking() && !is_stopped() && StopCondition::now() < end) wait(POLL);
}

Evaluation PendingEvaluator::evaluation() const {
  if (external_) return external_->net();
  if (stored_[0]) return mixnet::Nets{stored_[0]->net(), stored_[1]->net()};
  return {};
}

std::vector<std::string> PendingEvaluator::notes() const {
  std::vector<std::string> notes;
  for (const auto& net : stored_) {
    std::string note = net ? net->report().note : "";
    if (!note.empty() && (notes.empty() || notes.back() != note)) notes.push_back(std::move(note));
  }
  return notes;
}

// --- installing ---

EvaluatorLoader::EvaluatorLoader(Engine& engine, Bundle bundle, LoadExternal load_external)
    : engine_(engine), bundle_(std::move(bundle)), load_external_(std::move(load_external)) {}

EvaluatorChoice EvaluatorLoader::choose(const PlayOptions& options, Rule rule, int size) const {
  const EvaluatorChoice choice = choose_evaluator(options, rule, size, bundle_.nets);
  for (const Failed& failed : failed_)
    if (failed.choice == choice) return failed.replacement;
  return choice;
}

std::shared_ptr<const PendingEvaluator> EvaluatorLoader::request(
    const PlayOptions& options, Rule rule, int size,
    const std::shared_ptr<const PendingEvaluator>& held) {
  const EvaluatorChoice choice = choose(options, rule, size);
  if (held != nullptr && held->choice() == choice)
    pending_ = held;
  else if (pending_ == nullptr || pending_->choice() != choice)
    pending_ = std::make_shared<const PendingEvaluator>(choice, load_external_);
  return pending_;
}

EvaluatorChoice EvaluatorLoader::install(const std::shared_ptr<const PendingEvaluator>& pending) {
  const EvaluatorChoice& choice = pending->choice();
  if (!pending->is_ready())
    return install_classical(choice.classical(choice.name() + " is still loading"));
  if (!choice.nets) return install_classical(choice);
  load_tables(choice.rule);
  if (pending == installed_) return choice;
  try {
    install_nets(*pending);
  } catch (const std::runtime_error& error) {  // BadNet, BadTables
    pending_.reset();                          // the file may have changed at the next request
    engine_.set_evaluation({});                // it may have the nets without their lazy tables
    installed_.reset();
    if (!choice.is_default) throw;
    const auto* const bad_net = dynamic_cast<const BadNet*>(&error);
    EvaluatorChoice replacement = choice.classical(
        choice.name() + " cannot be loaded: " + (bad_net ? bad_net->reason() : error.what()));
    failed_.push_back({choice, replacement});
    return replacement;
  }
  installed_ = pending;
  for (std::string& note : pending->notes()) notes_.push_back(std::move(note));
  return choice;
}

EvaluatorChoice EvaluatorLoader::install_classical(const EvaluatorChoice& choice) {
  if (choice.kind == EvaluatorKind::CLASSICAL) {
    load_tables(choice.rule);
    if (installed_ != nullptr) {
      engine_.set_evaluation({});
      installed_.reset();
    }
  }
  return choice;
}

/// The classical tables of a rule; nets need them too, for the lazy evaluation.
void EvaluatorLoader::load_tables(Rule rule) {
  bool& has_tables = has_tables_[static_cast<size_t>(rule)];
  if (has_tables) return;
  const std::string name = "classical-" + rule_name(rule) + ".tables";
  try {
    engine_.load_tables(rule, bundle_.tables->read(name));
  } catch (const std::system_error& error) {
    throw BadTables("the engine cannot play " + rule_name(rule) + ": " + name +
                    " cannot be read (" + error.code().message() +
                    "); reinstall tengen to restore it");
  } catch (const std::invalid_argument& error) {
    throw BadTables(name + ": " + error.what());
  }
  has_tables = true;
}

void EvaluatorLoader::install_nets(const PendingEvaluator& pending) {
  const EvaluatorChoice& choice = pending.choice();
  engine_.set_evaluation(pending.evaluation());
  if (choice.kind != EvaluatorKind::MIXNET) return;
  const NetFile& net = (*choice.nets)[0];
  const std::string tables = read_lazy_tables(net, choice.rule);
  if (tables.empty()) return;
  try {
    engine_.load_lazy_tables(choice.rule, tables);
  } catch (const std::invalid_argument& error) {
    throw BadTables(net.source->place(lazy_tables_of(net)) + ": " + error.what());
  }
}

}  // namespace tengen
