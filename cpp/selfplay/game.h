// SPDX-License-Identifier: MIT
// One game of self-play, as a machine that goes on until it needs a net: openings are drawn, moves
// searched for, forced lines walked, rows written, ends found. Has random numbers of its own, so
// that a game does not depend on which thread advances it. Relies on tree.h, root.h, openings.h and
// rows.h.
#pragma once

#include "selfplay/openings.h"
#include "selfplay/root.h"
#include "selfplay/rows.h"
#include "selfplay/tree.h"
#include "selfplay/view.h"

namespace tengen::selfplay {

/// What the games of a run share. The openings may only be changed while no game is advanced.
struct Common {
  explicit Common(const Settings& settings);

  Settings settings;
  View view;
  Schedule full, small;
  PlayedOpenings openings;
};

/// Logits of a policy come as whole numbers, so many to one: exact enough, and half a float's size.
inline constexpr float LOGIT_STEPS = 256;

/// What a net said of a leaf.
struct Answer {
  const float* value;  ///< chances of win, loss and draw of the side to move
  const i16* policy;   ///< logits of all points in 1 / LOGIT_STEPS, row by row
};

/// Work done, for those who measure.
struct Work {
  u64 leaves = 0;  ///< answers of nets
  u64 playouts = 0;
  u64 searches = 0;  ///< moves that were searched for
  u64 moves = 0;     ///< made, without openings
  u64 rows = 0;      ///< those of games that go on among them

  void operator+=(const Work& other);
};

class Game {
 public:
  /// `seed` is the game's own.
  Game(const Common& common, u64 seed);

  /// The answer to leaf(). Throws std::runtime_error if it is no answer.
  void take_answer(const Answer& answer);
  /// Goes on until leaf() waits for an answer. False: an opening waits for confirm(), or the game
  /// rests.
  bool advance(Looker& looker);

  /// Plays this opening instead of drawn ones, once, and rests after that.
  void play_once(const std::vector<Point>& opening);
  bool is_resting() const { return stage_ == Stage::RESTING; }

  /// The position that waits: packed, and who is to move.
  const std::array<u8, MAX_BYTES>& leaf() const { return leaf_; }
  Colour leaf_side() const { return leaf_side_; }
  /// Whose move is searched for; of an opening that is weighed, who is to move after it.
  Colour mover() const { return stage_ == Stage::DRAWING ? leaf_side_ : side_; }

  bool has_chosen() const { return stage_ == Stage::CHOSEN; }
  /// Plays the chosen opening if it is a new one, or draws others.
  void confirm(PlayedOpenings& openings);

  bool has_ended() const { return has_ended_; }
  /// The game that has ended in the last advance().
  const EndedGame& ended() const { return ended_; }
  void forget_ended() { has_ended_ = false; }

  const Work& work() const { return work_; }

 private:
  enum class Stage : u8 { DRAWING, CHOSEN, AT_ROOT, SEARCHING, RESTING };

  // game_openings.cpp
  bool draw(Looker& looker);
  void weigh_opening(const Answer& answer);
  void begin(const std::vector<Point>& opening);

  // game.cpp
  void look_at_root(Looker& looker);
  void walk(Looker& looker, Known known);
  void play_lost(Looker& looker);
  void place(Point p);
  void play(Point p);
  void end(Stone winner, Ending ending);
  Row& add_row(Source source);
  void add_row_of(const std::vector<Point>& moves, Source source, double share);
  int moves_left() const;
  double temperature() const;

  // game_search.cpp
  void begin_search(bool is_full);
  bool begin_from_twin();
  void begin_without_value(const std::vector<Point>& moves);
  void descend(Looker& looker);
  void look_at_child(Looker& looker, u32 child);
  void finish_playout(Result result, Known known);
  void set_leaf(const Cells& cells, Colour side);
  void read_policy(const Answer& answer);
  void expand(const Answer& answer);
  void finish_search();
  void add_searched_row();
  bool is_searched();

  const Common* common_;
  Rng rng_;
  Stage stage_ = Stage::DRAWING;
  bool waits_ = false;      ///< for an answer
  bool is_single_ = false;  ///< rests after this game

  // The game.
  Cells cells_;
  Colour side_ = BLACK;
  std::vector<Point> moves_;
  EndedGame current_, ended_;  ///< `current_` gathers rows
  bool has_ended_ = false;
  Work work_;

  // Openings that were tried.
  int tries_ = 0, redraws_ = 0;
  double least_ = 0;  ///< how unbalanced the best one looks
  std::vector<Point> candidate_, best_opening_;

  // The search of a move.
  Tree tree_, old_tree_;  ///< of this move, and of the last one that was searched for
  u32 twin_ = NO_NODE;    ///< the game's position in the old one
  Root root_;
  bool is_full_ = false;
  bool is_faced_ = false;  ///< a four has to be stopped, in one of several ways
  int playouts_ = 0, wanted_ = 0;
  std::vector<Step> path_;
  u32 waiting_ = ROOT;  ///< node of the leaf
  std::vector<Point> leaf_moves_;
  std::vector<Choice> choices_;
  std::array<u8, MAX_BYTES> leaf_;
  Colour leaf_side_ = BLACK;
  int leaf_symmetry_ = 0;
};

}  // namespace tengen::selfplay
