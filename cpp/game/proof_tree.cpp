// SPDX-License-Identifier: MIT
#include "game/proof_tree.h"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <tuple>

namespace tengen {

namespace {

std::span<const ProofReply> replies_of(const Proof& proof, u32 node) {
  const ProofNode& found = proof.nodes[node];
  if (found.reply_count == 0) return {};  // first_reply may then be anything
  return {proof.replies.data() + found.first_reply, found.reply_count};
}

void put(Board& board, Point p) { p == NO_POINT ? board.pass() : board.play(p); }

}  // namespace

ProofTree::ProofTree(const Proof& proof) : proof_(proof), bounds_(proof.nodes.size()) {
  if (const std::string error = structure_error(proof); !error.empty())
    throw std::invalid_argument(error);
  for (u32 node = static_cast<u32>(bounds_.size()); node-- > 0;) {
    i32 most = 0;
    for (const ProofReply& reply : replies_of(proof, node))
      most = std::max(most, bounds_[reply.node]);
    const u32 threat = proof.nodes[node].threat;
    if (threat != NO_NODE) most = std::max(most, bounds_[threat]);
    bounds_[node] = most + 1;
  }
}

std::vector<ProofTree::Reply> ProofTree::resistance(u32 node) const {
  std::vector<Reply> replies;
  for (const ProofReply& reply : replies_of(proof_, node))
    replies.push_back({reply.point, reply.node});
  // NO_POINT, the pass, is less than all points, which are in row order.
  std::sort(replies.begin(), replies.end(), [&](const Reply& one, const Reply& two) {
    const auto key = [&](const Reply& reply) {
      return std::tuple(-bounds_[reply.node], proof_.nodes[reply.node].reply_count, *reply.point);
    };
    return key(one) < key(two);
  });
  if (const u32 threat = proof_.nodes[node].threat; threat != NO_NODE) {
    const auto place = std::find_if(replies.begin(), replies.end(), [&](const Reply& reply) {
      return bounds_[reply.node] < bounds_[threat];
    });
    replies.insert(place, {std::nullopt, threat});
  }
  return replies;
}

Board ProofTree::start() const {
  Board board(proof_.size);
  for (const Point p : board_points(proof_.size))
    if (const Stone stone = proof_.cells[p]; stone != EMPTY) board.set_up(p, stone);
  board.set_side_to_move(proof_.attacker);
  return board;
}

bool ProofTree::is_listed(u32 node, Point p) const {
  const auto replies = replies_of(proof_, node);
  return std::any_of(replies.begin(), replies.end(),
                     [p](const ProofReply& reply) { return reply.point == p; });
}

std::optional<Point> ProofTree::playable(const Board& board, u32 node, const Reply& reply) const {
  if (reply.point == NO_POINT) return NO_POINT;
  const std::vector<Point> legal = legal_points(board, proof_.rule);
  if (reply.point) {
    const bool is_legal = std::find(legal.begin(), legal.end(), *reply.point) != legal.end();
    return is_legal ? reply.point : std::nullopt;
  }
  if (!is_listed(node, NO_POINT)) return NO_POINT;
  const auto other =
      std::find_if(legal.begin(), legal.end(), [&](Point p) { return !is_listed(node, p); });
  return other == legal.end() ? std::nullopt : std::optional(*other);
}

ProofTree::Line ProofTree::line() const {
  Board board = start();
  u32 node = 0;
  while (true) {
    const Point move = proof_.nodes[node].move;
    const std::vector<Point> legal = legal_points(board, proof_.rule);
    if (std::find(legal.begin(), legal.end(), move) == legal.end())
      return {board.moves(), "the next move of the proof is not legal"};
    board.play(move);
    if (outcome(board, proof_.rule, proof_.moves_left).ending != Ending::NONE)
      return {board.moves(), {}};
    const std::vector<Reply> replies = resistance(node);
    const auto next = std::find_if(replies.begin(), replies.end(), [&](const Reply& reply) {
      return playable(board, node, reply).has_value();
    });
    if (next == replies.end()) return {board.moves(), "the proof ends, but the game does not"};
    put(board, *playable(board, node, *next));
    if (outcome(board, proof_.rule, proof_.moves_left).ending != Ending::NONE)
      return {board.moves(), "the reply ends the game"};
    node = next->node;
  }
}

u32 ProofTree::walk(const std::vector<Point>& moves) const {
  u32 node = 0;
  for (size_t number = 0; number < moves.size(); ++number) {
    const ProofNode& now = proof_.nodes[node];
    if (number % 2 == 0) {
      if (moves[number] != now.move) throw std::invalid_argument("the proof has another move");
      continue;
    }
    const auto replies = replies_of(proof_, node);
    const auto found = std::find_if(replies.begin(), replies.end(), [&](const ProofReply& reply) {
      return reply.point == moves[number];
    });
    node = found != replies.end() ? found->node : now.threat;
    if (node == NO_NODE) throw std::invalid_argument("the proof has no refutation");
  }
  return node;
}

}  // namespace tengen
