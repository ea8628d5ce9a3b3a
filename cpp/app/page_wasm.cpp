// SPDX-License-Identifier: MIT
// The engine of a page in a Web Worker: what JavaScript calls. The worker puts tables and nets into
// a folder of the file system in memory. Texts are returned until the next call. Built as two
// programs, with threads and without; the calling thread takes part in a search, and calls back.
#include <emscripten.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "base/progress.h"
#include "base/stop_condition.h"
#include "engine/bench.h"
#include "mixnet/baked_file.h"
#include "mixnet/codebook_cache.h"
#include "page/page_engine.h"

// `Module` has these functions: onEvent(text), isStopped(), onProgress(fraction) and
// onCodebook(name, bytes), whose bytes are valid during the call, and shared if there are threads.
// `helpers`: the threads beside the calling one, at least one, of the program with threads.
// clang-format off
EM_JS(void, send_event, (const char* text, int length), {
  Module['onEvent'](UTF8ToString(text, length));
});
EM_JS(int, is_stop_requested, (), {
  return Module['isStopped'] && Module['isStopped']() ? 1 : 0;
});
EM_JS(void, send_progress, (double fraction), {
  if (Module['onProgress']) Module['onProgress'](fraction);
});
EM_JS(void, send_codebook, (const char* name, const char* bytes, int length), {
  Module['onCodebook'](UTF8ToString(name), HEAPU8.subarray(bytes, bytes + length));
});
// clang-format on

namespace {

using namespace tengen;

constexpr double REPORT_PERIOD = 0.1;    ///< seconds between two reports of an analysis
constexpr double PROGRESS_PERIOD = 0.1;  ///< seconds between two reports of baking

std::unique_ptr<page::PageEngine> engine;

void send(std::string_view event) { send_event(event.data(), static_cast<int>(event.size())); }

/// Called about every 50 ms while the engine searches.
void poll() {
  static double reported = 0;
  if (is_stop_requested() != 0) engine->stop();
  if (const double now = StopCondition::now(); now - reported >= REPORT_PERIOD) {
    reported = now;
    engine->report(send);
  }
}

PlayOptions options_of(const char* json) {
  const Json given = Json::parse(json);
  std::map<std::string, std::string> texts;
  if (given.object() != nullptr)
    for (const auto& [name, value] : *given.object())
      texts[name] = value.text() != nullptr ? *value.text() : value.dump();
  return play_options_of(texts);
}

/// What `work` returns; the message of what it throws.
template <typename Work>
const char* text_of(Work work) {
  static std::string text;
  try {
    text = work();
  } catch (const std::exception& error) {
    text = error.what();
  }
  return text.c_str();
}

}  // namespace

extern "C" {

/// Makes the engine, with tables in `folder` and nets in `folder/nets`; again: with new options.
/// `options`: an object of texts by name. The text of an error; empty if there is none.
EMSCRIPTEN_KEEPALIVE const char* page_open(const char* folder, const char* options) {
  return text_of([&] {
    engine = std::make_unique<page::PageEngine>(options_of(options), bundle_in(folder));
    engine->set_hook(poll);
    engine->set_level_threads(1);
    return std::string();
  });
}

/// Answers a request; `Module.onEvent` gets the events.
EMSCRIPTEN_KEEPALIVE void page_handle(const char* request) { engine->handle(request, send); }

/// Bakes the codebooks of `net`, a file in `folder` (docs/cache.md): `Module.onCodebook` gets their
/// file in three parts. Takes seconds: for another worker than the one that plays. The text of an
/// error; empty if there is none.
EMSCRIPTEN_KEEPALIVE const char* page_bake(const char* folder, const char* net) {
  return text_of([&] {
    const mixnet::Weights weights = mixnet::read_weights(FolderSource(folder).read(net));
    Progress progress;
    mixnet::BakeOptions options{1, &progress, false, {}};
    options.report = [last = 0.0](double fraction) mutable {
      const double now = StopCondition::now();
      if (now - last < PROGRESS_PERIOD) return;
      last = now;
      send_progress(fraction);
    };
    const mixnet::Codebooks books = mixnet::bake(weights, options);
    const std::string name = mixnet::CodebookCache::file_name(weights);
    const std::string header = mixnet::baked_header(mixnet::BakedKey(weights), books);
    for (const std::string_view part :
         {std::string_view(header), mixnet::bytes_of(books[0]), mixnet::bytes_of(books[1])})
      send_codebook(name.c_str(), part.data(), static_cast<int>(part.size()));
    return std::string();
  });
}

/// The bench of a rule (engine/bench.h) with the nets of a folder: an object with its signature,
/// nodes and seconds, or the text of an error. `depth`: plies, or playouts in hundreds of MCTS.
EMSCRIPTEN_KEEPALIVE const char* page_bench(const char* folder, const char* rule,
                                            const char* options, int depth) {
  return text_of([&] {
    BenchRequest request;
    request.rule = rule_of_name(rule).value_or(Rule::FREESTYLE);
    request.options = options_of(options);
    request.limits.depth = depth;
    request.limits.playouts = static_cast<u64>(depth) * 100;
    const BenchResult found =
        run_bench(request, bundle_in(folder), {}, [] { return is_stop_requested() != 0; });
    char signature[16];
    std::snprintf(signature, sizeof signature, "%08x", found.signature);
    return Json(Json::Object{{"signature", signature},
                             {"nodes", static_cast<double>(found.stats.nodes)},
                             {"seconds", found.seconds},
                             {"evaluation", found.evaluator.text()}})
        .dump();
  });
}

}  // extern "C"
