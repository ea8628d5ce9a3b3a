// SPDX-License-Identifier: MIT
#include "protocol/game_position.h"

#include <algorithm>
#include <tuple>

namespace tengen::protocol {

namespace {

enum : i64 { OWN = 1, OPPONENT = 2, WON_LINE = 3 };  ///< owners of the stones of BOARD

std::string with_spaces(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string text_of(const Outcome& outcome) {
  const std::string how =
      " (" + with_spaces(ENDING_NAMES[static_cast<size_t>(outcome.ending)]) + ")";
  if (outcome.winner == EMPTY) return "draw" + how;
  return (outcome.winner == BLACK ? "black wins" : "white wins") + how;
}

}  // namespace

GamePosition GamePosition::from_owners(int size, Rule rule, const std::vector<Point>& own,
                                       const std::vector<Point>& others) {
  if (others.size() != own.size() && others.size() != own.size() + 1)
    throw Refused(std::to_string(own.size()) + " own stones and " + std::to_string(others.size()) +
                  " of the opponent: expected as many, or one more of the opponent");
  const auto& [first, second] =
      others.size() > own.size() ? std::tie(others, own) : std::tie(own, others);
  std::vector<Point> stones;
  for (size_t n = 0; n < first.size(); ++n) {
    stones.push_back(first[n]);
    if (n < second.size()) stones.push_back(second[n]);
  }
  return from_order(size, rule, stones);
}

GamePosition GamePosition::from_order(int size, Rule rule, const std::vector<Point>& stones) {
  GamePosition position(size, rule);
  for (const Point p : stones)
    position.stones_.push_back({p, position.stones() % 2 ? WHITE : BLACK});
  position.rebuild();
  return position;
}

Forbidden GamePosition::forbidden(Point p) const {
  if (!has_forbidden_moves(rule_, board_.side_to_move())) return Forbidden::NONE;
  return Referee(board_.cells(), rule_).forbidden(p);
}

bool GamePosition::is_legal(Point p) const {
  return board_.at(p) == EMPTY && forbidden(p) == Forbidden::NONE;
}

void GamePosition::require_open() const {
  const Outcome found = outcome(board_, rule_);
  if (found.ending != Ending::NONE) throw Refused("the game is over: " + text_of(found));
}

std::optional<std::string> GamePosition::put(Point move) {
  require_open();
  if (move == NO_POINT) {
    board_.pass();
    return std::nullopt;
  }
  if (board_.at(move) != EMPTY) throw Refused(format_move(move) + " is occupied");
  const Forbidden why = forbidden(move);
  stones_.push_back({move, board_.side_to_move()});
  if (why == Forbidden::NONE) {
    board_.play(move);
    return std::nullopt;
  }
  rebuild();
  return format_move(move) + " is forbidden to black (" +
         with_spaces(FORBIDDEN_NAMES[static_cast<size_t>(why)]) + ")";
}

void GamePosition::take_back(Point p) {
  const auto it = std::find_if(stones_.begin(), stones_.end(),
                               [p](const Placed& stone) { return stone.point == p; });
  if (it == stones_.end()) throw Refused(format_move(p) + " is empty");
  if (it->colour == board_.side_to_move())
    throw Refused(format_move(p) + " is a stone of the side to move: it was not the last");
  stones_.erase(it);
  if (board_.ply() > 0 && board_.last_move() == p)
    board_.undo();
  else
    rebuild();
}

void GamePosition::use(Rule rule) {
  if (rule == rule_) return;
  rule_ = rule;
  rebuild();
}

void GamePosition::rebuild() {
  board_ = Board(size());
  for (const Placed& stone : stones_) {
    if (stone.colour == board_.side_to_move() && !is_over() && is_legal(stone.point)) {
      board_.play(stone.point);
      continue;
    }
    board_ = Board(size());
    int more = 0;  // black's stones
    for (const Placed& other : stones_) {
      board_.set_up(other.point, other.colour);
      more += other.colour == BLACK ? 1 : -1;
    }
    board_.set_side_to_move(more > 0 ? WHITE : BLACK);
    return;
  }
}

StoneBlock::StoneBlock(std::string verb, int size)
    : verb_(std::move(verb)),
      size_(size),
      fault_(size > 0 ? "" : "there is no board yet: send START first") {}

void StoneBlock::reject(const std::string& fault) {
  if (fault_.empty()) fault_ = fault;
}

void StoneBlock::add(std::string_view line) {
  if (!fault_.empty()) return;
  try {
    OwnedStone stone{NO_POINT, OPPONENT};
    if (verb_ == "BOARD")
      stone = parse_stone(line, size_);
    else
      stone.point = parse_point(line, size_);
    if (stone.owner == WON_LINE)
      throw Refused("a stone of a line that has won (3): continuous games are not played");
    if (stone.owner != OWN && stone.owner != OPPONENT)
      throw Refused("no owner " + std::to_string(stone.owner) +
                    ": 1 is an own stone, 2 the opponent's");
    if (std::find(all_.begin(), all_.end(), stone.point) != all_.end())
      throw Refused(format_move(stone.point) + " is given twice");
    all_.push_back(stone.point);
    (stone.owner == OWN ? own_ : others_).push_back(stone.point);
  } catch (const Refused& error) {
    reject(error.what());
  }
}

void StoneBlock::check() const {
  if (!fault_.empty()) throw Refused(fault_);
}

}  // namespace tengen::protocol
