// SPDX-License-Identifier: MIT
// The settings of INFO: one table of keys, and the limits and options of the searches that follow.
// Unknown keys and invalid values change nothing: INFO has no answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/limit.h"
#include "game/rule.h"

namespace tengen::protocol {

/// Options of the engine that a session sets. Memory is in MiB.
struct SessionOptions {
  int threads = 1;
  int memory = 128;
  int level = 10;
  int net_memory = 0;  ///< 0: no limit

  bool operator==(const SessionOptions&) const = default;
};

/// The machine and the defaults of the command line. Memory is in MiB.
struct SessionLimits {
  int cores = 1;
  int memory = 128;  ///< default size of the tables
  i64 machine = 0;   ///< memory of the machine; 0: unknown
};

/// The values of all keys; times in ms.
struct Settings {
  i64 timeout_turn = 5000;           ///< for a move; 0: as fast as possible
  std::optional<i64> timeout_match;  ///< for the whole match; 0: no limit
  std::optional<i64> time_left;      ///< of the match
  i64 time_increment = 0;            ///< that the match gains with each move
  i64 max_memory = 0;                ///< bytes for the whole process; 0: no limit
  i64 hash_size = 0;                 ///< KiB for the tables; 0: not sent
  i64 thread_num = 1;                ///< 0: as many as there are cores
  i64 max_depth = 0;                 ///< 0: no limit
  i64 max_node = 0;                  ///< 0: no limit
  Rule rule = Rule::FREESTYLE;
  bool pondering = false;  ///< whether to search while the opponent does
  i64 show_detail = 1;     ///< 0 no lines about the search, 1 some, 2 and more many
  i64 strength = 100;      ///< 0 to 100

  /// Applies `INFO text`. Returns the key in lower case; nullopt if nothing is valid.
  std::optional<std::string> apply(std::string_view text);

  /// The limit of the next search, `spent` ms of search after the last time_left.
  Limit limit(i64 spent) const;
  /// The option net_memory: MiB that a net may take, at least 1; 0: any number.
  int net_memory() const;
  /// `net`: bytes that the net takes.
  SessionOptions options(const SessionLimits& limits, u64 net) const;

 private:
  std::optional<double> clock(i64 spent) const;
  /// Bytes for tables and nets together, if there is a limit.
  i64 room() const;
};

}  // namespace tengen::protocol
