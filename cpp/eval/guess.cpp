// SPDX-License-Identifier: MIT
#include "eval/guess.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/crc32.h"
#include "base/little_endian.h"

namespace tengen {

namespace {

using Lanes = GuessTables::Lanes;

constexpr std::string_view MAGIC = "TGGUESS1";
/// Magic, rule, checksum of what follows the header, number of sides.
constexpr size_t HEADER_BYTES = MAGIC.size() + 12;
constexpr size_t SIDE_BYTES =
    2 * (2 * static_cast<size_t>(COMBO_NB) + THREAT_MASK_NB + GuessTables::HIDDEN_NB) *
        GuessTables::LANE_NB +
    4 * 2 * GuessTables::HIDDEN_NB;

/// Lanes in registers: a plain array would be written back after every row. Sums are modulo 2^16.
class LaneSum {
 public:
  explicit LaneSum(const Lanes& lanes) : low_(half(lanes, 0)), high_(half(lanes, 8)) {}

  void add(const Lanes& more) {
    low_ += half(more, 0);
    high_ += half(more, 8);
  }
  void subtract(const Lanes& less) {
    low_ -= half(less, 0);
    high_ -= half(less, 8);
  }
  Lanes lanes() const {
    Lanes found;
    std::memcpy(found.data(), &low_, sizeof low_);
    std::memcpy(found.data() + 8, &high_, sizeof high_);
    return found;
  }

 private:
  using Half [[gnu::vector_size(16)]] = u16;

  static Half half(const Lanes& lanes, size_t first) {
    Half found;
    std::memcpy(&found, lanes.data() + first, sizeof found);
    return found;
  }

  Half low_, high_;
};

void read_side(LittleEndianReader& reader, std::vector<GuessTables::Row>& rows,
               GuessTables::Head& head) {
  rows.resize(COMBO_NB);
  for (GuessTables::Row& row : rows) reader.numbers(row.to_move);
  for (GuessTables::Row& row : rows) reader.numbers(row.waiting);
  for (Lanes& lanes : head.by_threats) reader.numbers(lanes);
  for (auto& outputs : head.first) reader.numbers(outputs);
  for (i32& bias : head.first_bias) bias = static_cast<i32>(reader.word());
  for (i32& weight : head.second) weight = static_cast<i32>(reader.word());
}

}  // namespace

std::shared_ptr<const GuessTables> GuessTables::parse(std::string_view bytes, Rule rule) {
  if (bytes.substr(0, MAGIC.size()) != MAGIC) throw std::invalid_argument("not a file of guesses");
  if (bytes.size() < HEADER_BYTES) throw std::invalid_argument("the file of guesses is cut short");
  LittleEndianReader reader(bytes.substr(MAGIC.size()));
  const u32 rule_number = reader.word(), checksum = reader.word(), sides = reader.word();
  if (sides < 1 || sides > COLOUR_NB || bytes.size() != HEADER_BYTES + sides * SIDE_BYTES)
    throw std::invalid_argument("the file of guesses is cut short, or something was added");
  if (checksum != crc32(bytes.substr(HEADER_BYTES)))
    throw std::invalid_argument("the guesses are damaged: their checksum is wrong");
  if (rule_number >= static_cast<u32>(RULE_NB) || rule_number != static_cast<u32>(rule))
    throw std::invalid_argument("these guesses are for another rule than " +
                                std::string(RULE_NAMES[static_cast<size_t>(rule)]));
  auto tables = std::make_shared<GuessTables>();
  tables->rule = rule;
  for (u32 side = 0; side < sides; ++side)
    read_side(reader, tables->rows[side], tables->heads[side]);
  if (sides == 1) {
    tables->rows[1] = tables->rows[0];
    tables->heads[1] = tables->heads[0];
  }
  tables->combos = combos_by_shape_set();
  return tables;
}

Value GuessTables::Head::value(const Lanes& lanes) const {
  std::array<i32, HIDDEN_NB> sums = first_bias;
  for (size_t lane = 1; lane < LANE_NB; ++lane) {
    const i32 input = std::max<i32>(lanes[lane], 0) >> LANE_SHIFT;
    for (size_t out = 0; out < HIDDEN_NB; ++out) sums[out] += input * first[lane][out];
  }
  i64 points = 0;
  for (size_t out = 0; out < HIDDEN_NB; ++out)
    points += i64{std::max(sums[out], 0) >> FIRST_SHIFT} * second[out];
  return static_cast<Value>(lanes[0] + (points >> SECOND_SHIFT));
}

GuessEvaluator::GuessEvaluator(std::shared_ptr<const GuessTables> tables,
                               std::shared_ptr<const ClassicalTables> for_moves)
    : tables_(std::move(tables)), for_moves_(std::move(for_moves)), sums_(1) {
  sums_.reserve(MAX_SIZE * MAX_SIZE + 1);
}

void GuessEvaluator::assign(const PatternBoard& patterns) {
  std::array<LaneSum, COLOUR_NB> sums = {LaneSum({}), LaneSum({})};
  for (const Point p : board_points(patterns.size())) {
    if (!patterns.is_empty(p)) continue;
    for (const Colour colour : {BLACK, WHITE}) {
      const auto own = static_cast<size_t>(side_index(colour));
      const GuessTables::Row& row =
          tables_->rows[own][tables_->combos[patterns.shape_set(colour, p)]];
      sums[own].add(row.to_move);
      sums[1 - own].add(row.waiting);
    }
  }
  sums_.assign(1, {sums[0].lanes(), sums[1].lanes()});
}

void GuessEvaluator::play(const PatternBoard& patterns, Point p, Colour) {
  LaneSum black_sum(sums_.back()[0]), white_sum(sums_.back()[1]);
  const u16* const combos = tables_->combos.data();
  const GuessTables::Row* const black = tables_->rows[0].data();
  const GuessTables::Row* const white = tables_->rows[1].data();
  patterns.for_each_change([&](Point changed, u32 before, u32 after) {
    const GuessTables::Row& old_black = black[combos[before & 0xFFFF]];
    const GuessTables::Row& old_white = white[combos[before >> 16]];
    black_sum.subtract(old_black.to_move);
    white_sum.subtract(old_black.waiting);
    white_sum.subtract(old_white.to_move);
    black_sum.subtract(old_white.waiting);
    if (changed == p) return;  // it is not empty any more
    const GuessTables::Row& new_black = black[combos[after & 0xFFFF]];
    const GuessTables::Row& new_white = white[combos[after >> 16]];
    black_sum.add(new_black.to_move);
    white_sum.add(new_black.waiting);
    white_sum.add(new_white.to_move);
    black_sum.add(new_white.waiting);
  });
  sums_.push_back({black_sum.lanes(), white_sum.lanes()});
}

Value GuessEvaluator::value(const PatternBoard& patterns, Colour side) {
  const auto own = static_cast<size_t>(side_index(side));
  const GuessTables::Head& head = tables_->heads[own];
  LaneSum sum(sums_.back()[own]);
  sum.add(head.by_threats[static_cast<size_t>(threat_mask(patterns, side))]);
  return head.value(sum.lanes());
}

void GuessEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                 std::span<ScoredMove> moves) {
  score_by_tables(*for_moves_, patterns, side, moves);
}

}  // namespace tengen
