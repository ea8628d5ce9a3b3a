// SPDX-License-Identifier: MIT
#include "eval/guess.h"

#include <algorithm>
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

void add(Lanes& sum, const Lanes& more) {
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<i16>(static_cast<u16>(sum[i]) + static_cast<u16>(more[i]));
}

void subtract(Lanes& sum, const Lanes& less) {
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<i16>(static_cast<u16>(sum[i]) - static_cast<u16>(less[i]));
}

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
  if (bytes.substr(0, MAGIC.size()) != MAGIC)
    throw std::invalid_argument("not a file of guesses");
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
  Sums sums{};
  for (const Point p : board_points(patterns.size())) {
    if (!patterns.is_empty(p)) continue;
    for (const Colour colour : {BLACK, WHITE}) {
      const int own = side_index(colour);
      const GuessTables::Row& row =
          tables_->rows[own][tables_->combos[patterns.shape_set(colour, p)]];
      add(sums[own], row.to_move);
      add(sums[1 - own], row.waiting);
    }
  }
  sums_.assign(1, sums);
}

void GuessEvaluator::play(const PatternBoard& patterns, Point p, Colour) {
  sums_.push_back(sums_.back());
  Lanes black_sum = sums_.back()[0], white_sum = sums_.back()[1];
  const u16* const combos = tables_->combos.data();
  const GuessTables::Row* const black = tables_->rows[0].data();
  const GuessTables::Row* const white = tables_->rows[1].data();
  patterns.for_each_change([&](Point changed, u32 before, u32 after) {
    const GuessTables::Row& old_black = black[combos[before & 0xFFFF]];
    const GuessTables::Row& old_white = white[combos[before >> 16]];
    subtract(black_sum, old_black.to_move);
    subtract(white_sum, old_black.waiting);
    subtract(white_sum, old_white.to_move);
    subtract(black_sum, old_white.waiting);
    if (changed == p) return;  // it is not empty any more
    const GuessTables::Row& new_black = black[combos[after & 0xFFFF]];
    const GuessTables::Row& new_white = white[combos[after >> 16]];
    add(black_sum, new_black.to_move);
    add(white_sum, new_black.waiting);
    add(white_sum, new_white.to_move);
    add(black_sum, new_white.waiting);
  });
  sums_.back() = {black_sum, white_sum};
}

Value GuessEvaluator::value(const PatternBoard& patterns, Colour side) {
  const int own = side_index(side);
  const GuessTables::Head& head = tables_->heads[own];
  Lanes lanes = sums_.back()[own];
  add(lanes, head.by_threats[threat_mask(patterns, side)]);
  return head.value(lanes);
}

void GuessEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                 std::span<ScoredMove> moves) {
  score_by_tables(*for_moves_, patterns, side, moves);
}

}  // namespace tengen
