// SPDX-License-Identifier: MIT
#include "game/proof.h"

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <utility>

#include "base/rng.h"
#include "game/names.h"

namespace tengen {

namespace {

constexpr u64 MOVES_PER_CHECK = 4096;

/// A node without continuation: valid only if its move makes a five.
bool is_last(const ProofNode& node) { return node.threat == NO_NODE && node.reply_count == 0; }

std::span<const ProofReply> replies_of(const Proof& proof, const ProofNode& node) {
  if (node.reply_count == 0) return {};  // first_reply may then be anything
  return {proof.replies.data() + node.first_reply, node.reply_count};
}

bool is_on_board(Point p, const Cells& cells) { return p < GRID_CELLS && cells[p] != EDGE; }

/// Error of the starting position; empty if it is valid.
std::string start_error(const Proof& proof) {
  if (proof.size < MIN_SIZE || proof.size > MAX_SIZE)
    return "no board has size " + std::to_string(proof.size);
  if (static_cast<int>(proof.rule) >= RULE_NB) return "the rule is unknown";
  if (proof.attacker != BLACK && proof.attacker != WHITE) return "the attacker is no colour";
  if (proof.moves_left < 0) return "the number of moves left is negative";
  const Cells empty = empty_cells(proof.size);
  for (int i = 0; i < GRID_CELLS; ++i) {
    const bool is_edge = proof.cells[i] == EDGE;
    if (proof.cells[i] > EDGE || is_edge != (empty[i] == EDGE))
      return "the cells are not those of a board of size " + std::to_string(proof.size);
  }
  const Outcome start = outcome_of_set_up(proof.cells, proof.size, proof.rule, proof.attacker);
  if (start.ending == Ending::FIVE)
    return std::string(colour_name(start.winner)) + " has won already";
  return "";
}

/// Structural error of the replies of a node; independent of the position.
std::string replies_error(const Proof& proof, u32 index) {
  const ProofNode& node = proof.nodes[index];
  // Bounded first: nodes may share replies, and long lists would make the check quadratic.
  if (node.reply_count > static_cast<u32>(proof.size * proof.size) + 1)
    return "it lists more replies than there are";
  if (u64{node.first_reply} + node.reply_count > proof.replies.size())
    return "its replies are out of range";
  std::array<bool, GRID_CELLS> seen{};
  for (const ProofReply& reply : replies_of(proof, node)) {
    if (reply.point != NO_POINT && !is_on_board(reply.point, proof.cells))
      return "a reply is off the board";
    if (seen[reply.point]) return "a reply is listed twice";
    seen[reply.point] = true;
    if (reply.node >= proof.nodes.size()) return "a reply points to no node";
    if (reply.node <= index) return "a reply points to an earlier node";
  }
  return "";
}

std::string node_error(const Proof& proof, u32 index) {
  const ProofNode& node = proof.nodes[index];
  if (!is_on_board(node.move, proof.cells)) return "its move is off the board";
  if (node.threat != NO_NODE && node.threat >= proof.nodes.size()) return "its threat is no node";
  if (node.threat <= index) return "its threat points to an earlier node";
  return node.reply_count > 0 ? replies_error(proof, index) : "";
}

/// Cache of verified pairs of position (64-bit hash) and node. Grows up to a limit; a new pair may
/// replace an old one, which is then verified again.
class Memo {
 public:
  Memo() : entries_(1024) {}

  bool contains(u64 position, u32 node) const {
    const Entry& entry = entries_[slot(position, node)];
    return entry.position == position && entry.node == node;
  }

  void store(u64 position, u32 node) {
    if (used_ * 2 >= entries_.size() && entries_.size() < MAX_ENTRIES) grow();
    put({position, node});
  }

 private:
  struct Entry {
    u64 position = 0;
    u32 node = NO_NODE;  ///< NO_NODE: the entry is free
  };
  static constexpr size_t MAX_ENTRIES = size_t{1} << 22;  // 64 MiB

  size_t slot(u64 position, u32 node) const {
    return (position + node * 0x9E3779B97F4A7C15ULL) & (entries_.size() - 1);
  }

  void put(const Entry& entry) {
    Entry& stored = entries_[slot(entry.position, entry.node)];
    used_ += stored.node == NO_NODE;
    stored = entry;
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    used_ = 0;
    for (const Entry& entry : old)
      if (entry.node != NO_NODE) put(entry);
  }

  std::vector<Entry> entries_;  ///< size is a power of two
  size_t used_ = 0;
};

/// How the attacker reaches a node: as the root, as the refutation of a listed reply, or by
/// executing the threat.
enum class Role : u8 { FIRST, REFUTATION, THREAT };

/// Replays a structurally valid proof. The recursion depth is bounded by the number of empty
/// points: each attacking move takes one.
class Checker {
 public:
  Checker(const Proof& proof, const ShouldContinue& should_continue);

  ProofCheck run();

 private:
  /// A move or pass that is undone by the destructor.
  class Played {
   public:
    Played(Checker& checker, Point p, Colour colour) : checker_(checker), p_(p), colour_(colour) {
      checker_.put(p_, colour_, colour_);
      checker_.path_.push_back(p_);
    }
    ~Played() {
      checker_.put(p_, colour_, EMPTY);
      checker_.path_.pop_back();
    }
    Played(const Played&) = delete;
    Played& operator=(const Played&) = delete;

   private:
    Checker& checker_;
    Point p_;
    Colour colour_;
  };

  bool attack(u32 index, Role role);
  bool beats_all(const ProofNode& node);
  bool beats(const ProofNode& node, Point reply);
  bool refutes(const ProofNode& node, Point reply);
  bool defender_has_no_five();

  Stone at(Point p) const { return referee_.cells()[p]; }
  void put(Point p, Colour colour, Stone stone);
  bool is_forbidden(Point p, Colour colour);
  bool makes_five(Point p, Colour colour);
  std::string reply_text(Point p) const;
  bool fail(std::string error);
  bool fail_move(Point move, Role role, const char* why);

  const Proof& proof_;
  const ShouldContinue& should_continue_;
  const std::vector<Point>& points_;
  const Colour attacker_, defender_;
  Referee referee_;
  std::vector<Point> path_;
  u64 hash_ = 0;  ///< of the stones played since the start
  std::array<std::array<u64, GRID_CELLS>, COLOUR_NB> keys_;
  Memo memo_;
  /// By node: whether it is cached. Nodes followed only by a five are not: verifying them is cheap,
  /// and there are a hundred times as many.
  std::vector<bool> is_cached_;
  ProofCheck result_;
};

Checker::Checker(const Proof& proof, const ShouldContinue& should_continue)
    : proof_(proof),
      should_continue_(should_continue),
      points_(board_points(proof.size)),
      attacker_(proof.attacker),
      defender_(opponent(proof.attacker)),
      referee_(proof.cells, proof.rule) {
  const auto has_continuation = [&](u32 index) {
    return index != NO_NODE && !is_last(proof.nodes[index]);
  };
  is_cached_.reserve(proof.nodes.size());
  for (const ProofNode& node : proof.nodes) {
    const auto replies = replies_of(proof, node);
    is_cached_.push_back(has_continuation(node.threat) ||
                         std::any_of(replies.begin(), replies.end(),
                                     [&](auto& reply) { return has_continuation(reply.node); }));
  }
  path_.reserve(2 * points_.size());
  // Random keys: a forged proof cannot exploit hash collisions.
  std::random_device random;
  Rng rng((u64{random()} << 32) | random());
  for (auto& side : keys_)
    for (u64& key : side) key = rng.next();
}

ProofCheck Checker::run() {
  result_.is_valid = attack(0, Role::FIRST) && !result_.interrupted;
  if (result_.interrupted) {  // an error reported while stopping may be behind a forbidden reply
    result_.error.clear();
    result_.path.clear();
  }
  return std::move(result_);
}

/// Whether the attacker, to move, wins by this node.
bool Checker::attack(u32 index, Role role) {
  const ProofNode& node = proof_.nodes[index];
  if (at(node.move) != EMPTY) return fail_move(node.move, role, "is no empty point");
  if (is_cached_[index] && memo_.contains(hash_, index)) return true;

  const bool five = makes_five(node.move, attacker_);
  if (result_.interrupted) return false;
  if (five)
    return is_last(node) ||
           fail_move(node.move, role, "is wrong: a five needs no threat and no replies");
  if (is_last(node))
    return fail_move(node.move, role, role == Role::THREAT ? "is no five any more" : "is no five");
  if (is_forbidden(node.move, attacker_)) return fail_move(node.move, role, "is forbidden");
  {
    const Played move(*this, node.move, attacker_);
    if (!beats_all(node)) return false;
  }
  if (is_cached_[index]) memo_.store(hash_, index);
  return true;
}

/// Whether the attacker, who has just played the node's move, wins against every reply.
bool Checker::beats_all(const ProofNode& node) {
  if (!defender_has_no_five()) return false;
  // The reply counts towards the move limit.
  if (proof_.moves_left > 0 && static_cast<int>(path_.size()) + 1 >= proof_.moves_left)
    return fail("the game is drawn before the next move: it had " +
                std::to_string(proof_.moves_left) + " left");
  bool is_full = true;
  for (const Point p : points_) {
    if (at(p) != EMPTY) continue;
    is_full = false;
    if (!beats(node, p)) return false;
  }
  if (is_full) return fail("the game is drawn: the board is full");
  return beats(node, NO_POINT);
}

/// True unless the defender can make a five.
bool Checker::defender_has_no_five() {
  for (const Point p : points_) {
    if (at(p) != EMPTY || !makes_five(p, defender_)) continue;
    const Played reply(*this, p, defender_);
    return fail(reply_text(p) + " makes a five");
  }
  return !result_.interrupted;
}

/// Whether the reply is refuted or forbidden. The forbidden test comes last because it is slow.
bool Checker::beats(const ProofNode& node, Point reply) {
  if (refutes(node, reply)) return true;
  if (result_.interrupted || reply == NO_POINT || !is_forbidden(reply, defender_)) return false;
  result_.error.clear();
  result_.path.clear();
  return true;
}

bool Checker::refutes(const ProofNode& node, Point reply) {
  const Played played(*this, reply, defender_);
  for (const ProofReply& listed : replies_of(proof_, node))
    if (listed.point == reply) return attack(listed.node, Role::REFUTATION);
  if (node.threat != NO_NODE) return attack(node.threat, Role::THREAT);
  return fail(reply_text(reply) + " is not refuted: it is not listed, and there is no threat");
}

/// Places or removes a stone of the colour; a pass changes nothing.
void Checker::put(Point p, Colour colour, Stone stone) {
  if (p == NO_POINT) return;
  referee_.set(p, stone);
  hash_ ^= keys_[side_index(colour)][p];
}

bool Checker::is_forbidden(Point p, Colour colour) {
  return has_forbidden_moves(proof_.rule, colour) && referee_.forbidden(p) != Forbidden::NONE;
}

bool Checker::makes_five(Point p, Colour colour) {
  if (++result_.moves_played % MOVES_PER_CHECK == 0 && should_continue_ &&
      !should_continue_(result_.moves_played))
    result_.interrupted = true;
  return referee_.makes_five(p, colour);
}

std::string Checker::reply_text(Point p) const {
  const std::string whose = std::string(colour_name(defender_)) + "'s ";
  return whose + (p == NO_POINT ? "pass" : "reply " + name_of(p));
}

/// Records an error in the current position. Returns false.
bool Checker::fail(std::string error) {
  result_.error = std::move(error);
  result_.path = path_;
  return false;
}

bool Checker::fail_move(Point move, Role role, const char* why) {
  const std::string what = name_of(move) + " " + why;
  switch (role) {
    case Role::FIRST: return fail("the first move " + what);
    case Role::REFUTATION:
      return fail(reply_text(path_.back()) + " is not refuted: the listed refutation " + what);
    case Role::THREAT:
      return fail(reply_text(path_.back()) + " is not refuted: the threat " + what);
  }
  return false;
}

}  // namespace

std::string structure_error(const Proof& proof) {
  if (std::string error = start_error(proof); !error.empty()) return error;
  if (proof.nodes.empty()) return "there are no nodes";
  if (proof.nodes.size() >= NO_NODE) return "there are too many nodes";
  for (u32 i = 0; i < proof.nodes.size(); ++i)
    if (std::string error = node_error(proof, i); !error.empty())
      return "node " + std::to_string(i) + ": " + error;
  return "";
}

ProofCheck verify(const Proof& proof, const ShouldContinue& should_continue) {
  if (std::string error = structure_error(proof); !error.empty()) {
    ProofCheck broken;
    broken.error = std::move(error);
    return broken;
  }
  return Checker(proof, should_continue).run();
}

}  // namespace tengen
