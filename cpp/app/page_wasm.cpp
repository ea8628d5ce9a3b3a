// SPDX-License-Identifier: MIT
// The engine of a page in a Web Worker: what JavaScript calls. The worker has put tables and nets
// into a folder of the file system in memory.
#include <emscripten.h>

#include <map>
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
/// `options`: an object of texts by name. The text of an error; nullptr if there is none.
EMSCRIPTEN_KEEPALIVE const char* page_open(const char* folder, const char* options) {
  static std::string problem;
  try {
    const Json given = Json::parse(options);
    std::map<std::string, std::string> texts;
    if (given.object() != nullptr)
      for (const auto& [name, value] : *given.object())
        texts[name] = value.text() != nullptr ? *value.text() : value.dump();
    engine = std::make_unique<page::PageEngine>(play_options_of(texts), bundle_in(folder));
    return nullptr;
  } catch (const std::exception& error) {
    problem = error.what();
    return problem.c_str();
  }
}

/// Bakes the nets of a rule (docs/cache.md) in `folder/nets` for a board size into the folder that
/// TENGEN_CACHE names; whether there are such nets. Takes seconds: for another worker than the one
/// that plays. False also if that fails.
EMSCRIPTEN_KEEPALIVE bool page_bake(const char* folder, const char* rule, int size) {
  const std::optional<Rule> found = rule_of_name(rule);
  if (!found || size < MIN_SIZE || size > MAX_SIZE) return false;
  try {
    const Bundle bundle = bundle_in(folder);
    const EvaluatorChoice choice = choose_evaluator(PlayOptions(), *found, size, bundle.nets);
    if (choice.kind != EvaluatorKind::MIXNET) return false;
    (void)PendingEvaluator(choice, {}).evaluation();
  } catch (const std::exception&) {  // a damaged net, or no memory
    return false;
  }
  return true;
}

/// Answers a request; `Module.onEvent` gets the events.
EMSCRIPTEN_KEEPALIVE void page_handle(const char* request) {
  engine->handle(request, [](std::string_view event) {
    give_event(event.data(), static_cast<int>(event.size()));
  });
}

}  // extern "C"
