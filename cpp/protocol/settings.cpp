// SPDX-License-Identifier: MIT
#include "protocol/settings.h"

#include <algorithm>
#include <array>

#include "engine/levels.h"
#include "engine/options.h"
#include "protocol/syntax.h"

namespace tengen::protocol {

namespace {

/// What managers send as the time left where the match has no limit, in ms.
constexpr i64 UNLIMITED = (i64{1} << 31) - 1;
/// They send "no limit" as a large depth (99, 225) and number of nodes, too. No search that has
/// less than a day for its move gets so far in anything but dead drawn positions, so that such a
/// limit says nothing but which search is meant.
constexpr i64 NO_DEPTH = 64, NO_NODES = 1'000'000'000;
constexpr double DAY = 86'400;  ///< s
/// Of the time for a move this much is kept back, in ms, for pipes and process switches: a share of
/// it, within bounds.
constexpr i64 MARGIN_SHARE = 50, MIN_MARGIN = 20, MAX_MARGIN = 150;
constexpr i64 AT_ONCE = 10;  ///< ms per move for "as fast as possible"
/// Bytes that the process takes beside the engine's tables (twice what was measured), the share of
/// the rest that they may have, and how much of it is of use to them, in MiB.
constexpr i64 PROCESS = 64 << 20;
constexpr double TABLES_SHARE = 0.75;
constexpr i64 USEFUL_TABLES = 512;
/// MiB that a thread can fill in a game, per ms of a move; less than MIN_TABLES is never useful.
/// Memory that is not filled would only cost the time to get it from the system.
constexpr double FILLED_PER_MS = 0.7;
constexpr i64 MIN_TABLES = 16;
constexpr i64 MIN_BESIDE_NET =
    16;  ///< MiB of the rest that are kept for tables, however large the net is
constexpr int OTHER_RENJU = 2;  ///< the number of renju in other engines' dialect of INFO rule
/// Threads per core: more of them only cost the time to set them up.
constexpr i64 THREADS_PER_CORE = 4;
constexpr i64 MIN_MEMORY = 4, MAX_MEMORY = 1 << 20;  ///< of an option, in MiB
constexpr i64 MAX_THREADS = 256;

/// What is kept back of a time, in ms; always less than all of it, if it is more than 1.
i64 margin(i64 time) {
  return std::min(std::min(MAX_MARGIN, MIN_MARGIN + time / MARGIN_SHARE), time / 2);
}

double seconds_of(i64 milliseconds) { return static_cast<double>(milliseconds) / 1000; }

/// A limit of depth or nodes; with a time, from `none` on, it is no limit.
i64 real_limit(i64 limit, i64 none, bool is_timed) { return is_timed && limit >= none ? 0 : limit; }

/// The rule of a sum of 1 (exactly five), 2 (continuous game), 4 (renju) and 8 (caro). The manager
/// handles continuous games: each part is played as any other game. Renju is renju with or without
/// the 1. But a 2 alone is renju, as other engines and their managers have it: a forbidden move
/// would lose the game, and a freestyle game loses little by avoiding them.
std::optional<Rule> rule_of(i64 number) {
  if (number == OTHER_RENJU) return Rule::RENJU;
  if (number < 0) return std::nullopt;
  switch (number & ~i64{2}) {
    case 0: return Rule::FREESTYLE;
    case 1: return Rule::STANDARD;
    case 4:
    case 5: return Rule::RENJU;
    case 8: return Rule::CARO6;
    case 9: return Rule::CARO;
    default: return std::nullopt;
  }
}

std::optional<bool> switch_of(std::string_view text) {
  const std::string word = lower_case(text);
  if (word == "1" || word == "true") return true;
  if (word == "0" || word == "false") return false;
  return std::nullopt;
}

/// Keys with a number. A number below 0 is invalid, or counts as 0: the time is up, or (-1 of some
/// managers) no limit.
struct NumberKey {
  std::string_view name;
  void (*set)(Settings&, i64);
  bool below_0_is_0 = false;
  i64 max = i64{1} << 62;
};

constexpr std::array NUMBER_KEYS = {
    NumberKey{"timeout_turn", [](Settings& s, i64 v) { s.timeout_turn = v; }},
    NumberKey{"timeout_match", [](Settings& s, i64 v) { s.timeout_match = v; }},
    NumberKey{"time_left", [](Settings& s, i64 v) { s.time_left = v; }, true},
    NumberKey{"time_increment", [](Settings& s, i64 v) { s.time_increment = v; }, true},
    NumberKey{"max_memory", [](Settings& s, i64 v) { s.max_memory = v; }},
    NumberKey{"hash_size", [](Settings& s, i64 v) { s.hash_size = v; }},
    NumberKey{"thread_num", [](Settings& s, i64 v) { s.thread_num = v; }},
    NumberKey{"max_depth", [](Settings& s, i64 v) { s.max_depth = v; }, true},
    NumberKey{"max_node", [](Settings& s, i64 v) { s.max_node = v; }, true},
    NumberKey{"show_detail", [](Settings& s, i64 v) { s.show_detail = v; }},
    NumberKey{"strength", [](Settings& s, i64 v) { s.strength = v; }, false, 100},
};

}  // namespace

std::optional<std::string> Settings::apply(std::string_view text) {
  const auto [word, value] = first_word(text);
  const std::string key = lower_case(word);
  const std::optional<i64> number = parse_number(value);
  if (key == "rule") {
    const std::optional<Rule> found = number ? rule_of(*number) : std::nullopt;
    if (!found) return std::nullopt;
    rule = *found;
    return key;
  }
  if (key == "pondering") {
    const std::optional<bool> found = switch_of(value);
    if (!found) return std::nullopt;
    pondering = *found;
    return key;
  }
  for (const NumberKey& entry : NUMBER_KEYS) {
    if (entry.name != key) continue;
    if (!number || *number > entry.max || (*number < 0 && !entry.below_0_is_0)) return std::nullopt;
    entry.set(*this, std::max(i64{0}, *number));
    return key;
  }
  return std::nullopt;  // also game_type, evaluate and folder, of which no use is made
}

std::optional<double> Settings::clock(i64 spent) const {
  const std::optional<i64> left = time_left ? time_left : timeout_match;
  if (timeout_match == 0 || !left || *left >= UNLIMITED) return std::nullopt;
  const i64 now = std::max(i64{0}, *left - spent);
  return seconds_of(now - margin(now));
}

Limit Settings::limit(i64 spent) const {
  const i64 turn = std::min(timeout_turn, UNLIMITED);
  Limit result;
  result.time = seconds_of(turn > 0 ? turn - margin(turn) : AT_ONCE);
  result.clock = clock(spent);
  if (result.clock) result.increment = seconds_of(std::min(time_increment, UNLIMITED));
  const bool is_timed = std::min(*result.time, result.clock.value_or(*result.time)) < DAY;
  constexpr i64 MOST = (i64{1} << 31) - 1;
  result.depth = static_cast<int>(std::min(real_limit(max_depth, NO_DEPTH, is_timed), MOST));
  result.nodes = static_cast<u64>(real_limit(max_node, NO_NODES, is_timed));
  return result;
}

i64 Settings::room() const { return std::max(i64{0}, max_memory - PROCESS); }

int Settings::net_memory() const {
  if (max_memory == 0) return 0;
  return static_cast<int>(std::clamp((room() >> 20) - MIN_BESIDE_NET, i64{1}, MAX_MEMORY));
}

SessionOptions Settings::options(const SessionLimits& limits, u64 net) const {
  const i64 cores = limits.cores;
  const i64 wanted_threads = thread_num > 0 ? thread_num : cores;
  const i64 threads =
      std::clamp(std::min(wanted_threads, THREADS_PER_CORE * cores), i64{1}, MAX_THREADS);
  const auto share = [](i64 amount) {
    return static_cast<i64>(static_cast<double>(amount) * TABLES_SHARE);
  };
  i64 memory = hash_size > 0 ? hash_size >> 10 : limits.memory;
  if (limits.machine > 0) memory = std::min(memory, share(limits.machine));
  if (max_memory > 0) {
    if (hash_size == 0) memory = std::max(memory, USEFUL_TABLES);
    const i64 left = std::max(i64{0}, room() - static_cast<i64>(net));
    memory = std::min(memory, share(left) >> 20);
  }
  if (hash_size == 0) {
    const double time = static_cast<double>(std::clamp(timeout_turn, AT_ONCE, UNLIMITED));
    const auto filled = static_cast<i64>(time * static_cast<double>(threads) * FILLED_PER_MS);
    memory = std::min(memory, std::max(MIN_TABLES, filled));
  }
  return {static_cast<int>(threads), static_cast<int>(std::clamp(memory, MIN_MEMORY, MAX_MEMORY)),
          level_of_strength(static_cast<int>(strength)), net_memory()};
}

}  // namespace tengen::protocol
