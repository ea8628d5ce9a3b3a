// SPDX-License-Identifier: MIT
// Self-play helpers: nets that are functions, and short runs.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "check.h"
#include "game/rules.h"
#include "selfplay/selfplay.h"

namespace tengen::selfplay {

/// Net input (1 own, 2 the opponent's stones, row by row) and output.
struct Asked {
  std::vector<u8> cells;
  bool black = false;  ///< is to move
};
struct Said {
  float win = 0.4F, loss = 0.4F, draw = 0.2F;
  std::vector<float> logits;  ///< empty: all equal
};
using Net = std::function<Said(const Asked&)>;

/// Knows nothing: values and logits are drawn from a hash of the stones.
inline Said hash_net(const Asked& asked) {
  u64 hash = 7;
  for (const u8 cell : asked.cells) hash = Rng(hash ^ cell).next();
  Rng rng(hash);
  Said said;
  said.draw = 0.1F;
  said.win = 0.9F * static_cast<float>(rng.below(1001)) / 1000;
  said.loss = 0.9F - said.win;
  for (size_t i = 0; i < asked.cells.size(); ++i)
    said.logits.push_back(static_cast<float>(rng.below(4000)) / 1000);
  return said;
}

/// A small run: quick, and still with everything in it.
inline Settings small_settings(Rule rule, int size) {
  Settings settings;
  settings.rule = rule;
  settings.size = size;
  settings.games = 12;
  settings.groups = 2;
  settings.threads = 1;
  settings.playouts = 12;
  settings.small_playouts = 4;
  settings.considered = 6;
  settings.opening_most = size == MIN_SIZE ? 4 : 7;
  settings.won_share = settings.faced_share = 1;
  return settings;
}

/// The cells of a packed board.
inline std::vector<u8> unpacked(const u8* packed, int size) {
  std::vector<u8> cells;
  for (int i = 0; i < size * size; ++i)
    cells.push_back(static_cast<u8>((packed[i / 4] >> (2 * (i % 4))) & 3));
  return cells;
}

/// The groups of a run in turn, each with the net's answers to its last leaves.
class PlayedRun {
 public:
  PlayedRun(const Settings& settings, Net net)
      : games(settings), net_(std::move(net)), lanes_(static_cast<size_t>(settings.groups)) {
    const auto rows = static_cast<size_t>(games.group_size(0));
    for (Lane& lane : lanes_) {
      lane.boards.resize(rows * static_cast<size_t>(bytes_of(settings.size)));
      lane.values.resize(rows * 3);
      lane.policies.resize(rows * static_cast<size_t>(settings.size * settings.size));
    }
  }

  /// One group further.
  Leaves step() {
    Lane& lane = lanes_[static_cast<size_t>(next_)];
    const Leaves leaves =
        games.advance(next_, lane.values.data(), lane.policies.data(), lane.boards.data());
    for (int i = 0; i < leaves.count; ++i) answer(lane, i, i < leaves.black);
    next_ = (next_ + 1) % static_cast<int>(lanes_.size());
    return leaves;
  }
  GameBatch until(size_t rows) {
    while (games.rows_ready() < rows) step();
    return games.take();
  }

  SelfPlay games;

 private:
  struct Lane {
    std::vector<u8> boards;
    std::vector<float> values;
    std::vector<i16> policies;
  };

  void answer(Lane& lane, int i, bool black) {
    const int size = games.settings().size;
    const auto points = static_cast<size_t>(size * size), at = static_cast<size_t>(i);
    const Said said =
        net_({unpacked(&lane.boards[at * static_cast<size_t>(bytes_of(size))], size), black});
    lane.values[3 * at] = said.win;
    lane.values[3 * at + 1] = said.loss;
    lane.values[3 * at + 2] = said.draw;
    for (size_t p = 0; p < points; ++p)
      lane.policies[points * at + p] =
          said.logits.empty() ? i16{0} : static_cast<i16>(said.logits[p] * LOGIT_STEPS);
  }

  Net net_;
  std::vector<Lane> lanes_;
  int next_ = 0;
};

inline Point point_at(int index, int size) { return make_point(index % size, index / size); }

}  // namespace tengen::selfplay
