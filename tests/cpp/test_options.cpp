// SPDX-License-Identifier: MIT
// Options as texts.
#include <limits>
#include <string>

#include "base/number_text.h"
#include "check.h"
#include "engine/play_options.h"
#include "test_nets.h"

using namespace tengen;

namespace {

std::string set(std::string_view name, std::string_view text) {
  PlayOptions options;
  return error_of([&] { set_play_option(options, name, text); });
}

}  // namespace

TEST(options_are_set_by_text) {
  PlayOptions options;
  set_play_option(options, "threads", "4");
  set_play_option(options, "memory", "16");
  set_play_option(options, "null-move", "off");
  set_play_option(options, "search", "mcts");
  set_play_option(options, "net", "classical");
  set_play_option(options, "c", "1.25");
  CHECK_EQ(options.core.threads, 4);
  CHECK_EQ(options.core.memory, size_t{16} << 20);
  CHECK(!options.core.search.null_move);
  CHECK(options.search == SearchKind::MCTS);
  CHECK_EQ(options.core.mcts.c, 1.25);
  set_play_option(options, "search", "auto");
  CHECK(!options.search);
  for (const char* text : {"0", "257", "1.5", "x", "", "1e99", "nan"})
    CHECK(contains(set("threads", text), "use a whole number from 1 to 256"));
  CHECK(contains(set("c", "-1"), "use a number from"));
  CHECK(contains(set("null_move", "maybe"), "use on or off"));
  CHECK(contains(set("preset", "best"), "use alphabeta, classical"));
  CHECK(contains(set("thread", "1"), "options are preset, net"));
  for (const OptionSpec& spec : option_specs()) {
    CHECK(!spec.help.empty());
    CHECK_EQ(set(spec.name, spec.initial), std::string("nothing"));
  }
}

TEST(options_are_within_their_ranges) {
  for (const OptionSpec& spec : option_specs()) {
    if (spec.kind != OptionSpec::Kind::SPIN) continue;
    for (const i64 value : {spec.min, spec.max})
      CHECK_EQ(set(spec.name, std::to_string(value)), std::string("nothing"));
    for (const i64 value : {spec.min - 1, spec.max + 1, std::numeric_limits<i64>::min()}) {
      const std::string sentence = set(spec.name, std::to_string(value));
      for (const std::string& part : {std::string(spec.name), std::to_string(spec.min),
                                      std::to_string(spec.max), std::to_string(value)})
        CHECK(contains(sentence, part));
    }
  }
}

TEST(each_option_sets_its_own_field) {
  for (const OptionSpec& spec : option_specs()) {
    PlayOptions options;
    if (spec.name == "net")
      set_play_option(options, "net", "classical");
    else if (spec.kind == OptionSpec::Kind::CHOICE)
      set_play_option(options, spec.name, spec.choices[spec.choices[0] == spec.initial ? 1 : 0]);
    else if (spec.kind == OptionSpec::Kind::CHECK)
      set_play_option(options, spec.name, spec.initial == "on" ? "off" : "on");
    else {
      const i64 unit = spec.kind == OptionSpec::Kind::REAL ? REAL_ONE : 1;
      const i64 other = spec.initial == std::to_string(spec.max) ? spec.min : spec.max;
      set_play_option(options, spec.name, std::to_string(other / unit));
    }
    CHECK(!(options == PlayOptions()));
    set_play_option(options, spec.name, spec.initial);
    CHECK(options == PlayOptions());
  }
}

TEST(a_preset_without_a_search_means_alpha_beta) {
  CHECK(!play_options_of({}).search);
  CHECK(play_options_of({{"preset", "alphabeta"}}).search == SearchKind::ALPHABETA);
  CHECK(play_options_of({{"preset", "classical"}, {"search", "mcts"}}).search == SearchKind::MCTS);
  CHECK(!play_options_of({{"preset", "classical"}, {"search", "auto"}}).search);
}

TEST(numbers_of_texts) {
  CHECK(number_of("1.25") == 1.25 && number_of("-3e2") == -300 && number_of("007") == 7);
  CHECK(number_of("+0.5") == 0.5 && number_of(".5") == 0.5 && number_of("5.") == 5);
  for (const char* text : {"", " 1", "1 ", "1,5", "x", "1e", "1e999", "nan", "inf", "--1", "++1",
                           "+-1", "-+1", "0x10", "1e+", "+", "-", "."})
    CHECK(!number_of(text));
}
