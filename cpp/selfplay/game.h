// SPDX-License-Identifier: MIT
// One self-play game as a state machine; it advances until it needs a net evaluation. Covers
// openings, searches, forced lines, training rows and the end of the game. Each game has its own
// random generator, so it does not depend on the thread that advances it.
#pragma once

#include "selfplay/board_packer.h"
#include "selfplay/openings.h"
#include "selfplay/root.h"
#include "selfplay/rows.h"
#include "selfplay/tree.h"

namespace tengen::selfplay {

/// Shared by all games of a run. The openings may only change while no game advances.
struct SelfPlayContext {
  explicit SelfPlayContext(const Settings& settings);

  Settings settings;
  BoardPacker packer;
  Schedule full, small;
  PlayedOpenings openings;
};

/// Policy logits are integers in units of 1 / LOGIT_STEPS: precise enough at half the size of a
/// float.
inline constexpr float LOGIT_STEPS = 256;

/// Net output of a leaf.
struct NetOutput {
  const float* value;  ///< probabilities of win, loss and draw for the side to move
  const i16* policy;   ///< logits of all points in units of 1 / LOGIT_STEPS, row by row
};

/// What was played so far.
struct WorkCounters {
  u64 leaves = 0;  ///< net evaluations
  u64 playouts = 0;
  u64 searches = 0;  ///< searched moves
  u64 moves = 0;     ///< played moves, without openings
  u64 rows = 0;      ///< including rows of unfinished games

  void operator+=(const WorkCounters& other);
};

class Game {
 public:
  /// `seed`: of this game's random generator.
  Game(const SelfPlayContext& common, u64 seed);

  /// The net output of leaf(). Throws std::runtime_error if it is not valid.
  void set_net_output(const NetOutput& output);
  /// Advances until leaf() needs a net evaluation. False: an opening waits for accept_opening(), or
  /// the game is idle.
  bool advance(LeafInspector& inspector);

  /// Plays this opening once instead of sampled ones, then stays idle.
  void play_once(const std::vector<Point>& opening);
  bool is_idle() const { return stage_ == Stage::IDLE; }

  /// The leaf to evaluate: packed board and side to move.
  const std::array<u8, MAX_BYTES>& leaf() const { return leaf_; }
  Colour leaf_side() const { return leaf_side_; }
  /// The side whose move is searched; for a sampled opening, the side to move after it.
  Colour mover() const { return stage_ == Stage::SAMPLING_OPENING ? leaf_side_ : side_; }

  bool has_opening() const { return stage_ == Stage::OPENING_CHOSEN; }
  /// Starts the chosen opening if it is new, otherwise samples others.
  void accept_opening(PlayedOpenings& openings);

  bool has_ended() const { return has_ended_; }
  /// The game that ended in the last advance().
  const FinishedGame& ended() const { return ended_; }
  void clear_ended() { has_ended_ = false; }

  const WorkCounters& counters() const { return counters_; }

 private:
  enum class Stage : u8 { SAMPLING_OPENING, OPENING_CHOSEN, AT_ROOT, SEARCHING, IDLE };

  // game_openings.cpp
  bool sample_next_opening(LeafInspector& inspector);
  void evaluate_opening(const NetOutput& output);
  void begin(const std::vector<Point>& opening);

  // game.cpp
  void inspect_root(LeafInspector& inspector);
  void play_proven(LeafInspector& inspector, ProvenState proven);
  void play_lost(LeafInspector& inspector);
  void place(Point p);
  void play(Point p);
  void end(Stone winner, Ending ending);
  Row& add_row(Source source);
  void add_row_of(const std::vector<Point>& moves, Source source, double share);
  int moves_left() const;
  double temperature() const;

  // game_search.cpp
  void start_search(bool is_full);
  bool start_from_previous_tree();
  void start_without_value(const std::vector<Point>& moves);
  void descend(LeafInspector& inspector);
  void inspect_child(LeafInspector& inspector, u32 child);
  void finish_playout(Result result, ProvenState proven);
  void set_leaf(const Cells& cells, Colour side);
  void read_policy(const NetOutput& output);
  void expand(const NetOutput& output);
  void finish_search();
  void add_searched_row();
  bool is_searched();

  const SelfPlayContext* context_;
  Rng rng_;
  Stage stage_ = Stage::SAMPLING_OPENING;
  bool waits_for_net_ = false;
  bool is_single_ = false;  ///< idle after this game

  // The game.
  Cells cells_;
  Colour side_ = BLACK;
  std::vector<Point> moves_;
  FinishedGame current_, ended_;  ///< `current_` collects rows
  bool has_ended_ = false;
  WorkCounters counters_;

  // Sampled openings.
  int tries_ = 0, resamples_ = 0;
  double best_imbalance_ = 0;  ///< of best_opening_
  std::vector<Point> candidate_, best_opening_;

  // The search of a move.
  Tree tree_, previous_tree_;    ///< of this move and of the previous search
  u32 previous_node_ = NO_NODE;  ///< the game's position in the previous tree
  Root root_;
  bool is_full_ = false;
  bool is_forced_ = false;  ///< a five must be stopped and several moves do so
  int playouts_ = 0, playout_limit_ = 0;
  std::vector<Step> path_;
  u32 leaf_node_ = ROOT;  ///< node of the leaf
  std::vector<Point> leaf_moves_;
  std::vector<MovePrior> priors_;
  std::array<u8, MAX_BYTES> leaf_;
  Colour leaf_side_ = BLACK;
  int leaf_symmetry_ = 0;
};

}  // namespace tengen::selfplay
