// SPDX-License-Identifier: MIT
// The engine of a page in a Web Worker: what JavaScript calls. The worker has put tables and nets
// into a folder of the file system in memory.
#include <emscripten.h>

#include <memory>
#include <optional>
#include <string>

#include "page/page_engine.h"

// clang-format off
EM_JS(void, give_event, (const char* text, int length), {
  Module['onEvent'](UTF8ToString(text, length));
});
// clang-format on

namespace {

using namespace tengen;

std::unique_ptr<page::PageEngine> engine;

}  // namespace

extern "C" {

/// Makes the engine, with tables in `folder` and nets in `folder/nets`; again: with new ones.
EMSCRIPTEN_KEEPALIVE void page_open(const char* folder, int memory) {
  PlayOptions options;
  options.core.memory = static_cast<size_t>(memory) << 20;
  engine = std::make_unique<page::PageEngine>(options, bundle_in(folder));
}

/// Bakes the nets of a rule (docs/cache.md) in `folder/nets` for a board size into the folder that
/// TENGEN_CACHE names; whether there are such nets. Takes seconds: for another worker than the one
/// that plays.
EMSCRIPTEN_KEEPALIVE bool page_bake(const char* folder, const char* rule, int size) {
  const std::optional<Rule> found = rule_of_name(rule);
  if (!found) return false;
  const EvaluatorChoice choice = choose_evaluator(PlayOptions(), *found, size, bundle_in(folder).nets);
  return choice.kind == EvaluatorKind::MIXNET && PendingEvaluator(choice, {}).is_ready();
}

/// Answers a request; `Module.onEvent` gets the events.
EMSCRIPTEN_KEEPALIVE void page_handle(const char* request) {
  engine->handle(request, [](std::string_view event) {
    give_event(event.data(), static_cast<int>(event.size()));
  });
}

}  // extern "C"
