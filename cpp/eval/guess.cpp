// SPDX-License-Identifier: MIT
#include "eval/guess.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

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

void read_side(LittleEndianReader& reader, size_t colour, std::vector<GuessTables::Row>& rows,
               GuessTables::Head& head) {
  rows.resize(COMBO_NB);
  for (GuessTables::Row& row : rows) reader.numbers(row.by_side[colour]);
  for (GuessTables::Row& row : rows) reader.numbers(row.by_side[1 - colour]);
  for (Lanes& lanes : head.by_threats) reader.numbers(lanes);
  for (size_t lane = 0; lane < GuessTables::LANE_NB; ++lane) {
    std::array<i16, GuessTables::HIDDEN_NB> weights;
    reader.numbers(weights);
    for (size_t hidden = 0; hidden < weights.size(); ++hidden)
      head.net.first[simd::SmallNet::place(lane, hidden)] = lane == 0 ? i16{0} : weights[hidden];
  }
  for (i32& bias : head.net.first_bias) bias = static_cast<i32>(reader.word());
  for (i32& weight : head.net.second) weight = static_cast<i32>(reader.word());
}

/// The same tables for the other colour.
std::vector<GuessTables::Row> turned(std::vector<GuessTables::Row> rows) {
  for (GuessTables::Row& row : rows) std::swap(row.by_side[0], row.by_side[1]);
  return rows;
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
    read_side(reader, side, tables->rows[side], tables->heads[side]);
  if (sides == 1) {
    tables->rows[1] = turned(tables->rows[0]);
    tables->heads[1] = tables->heads[0];
  }
  tables->combos = combos_by_shape_set();
  return tables;
}

GuessEvaluator::GuessEvaluator(std::shared_ptr<const GuessTables> tables,
                               std::shared_ptr<const ClassicalTables> for_moves)
    : tables_(std::move(tables)), for_moves_(std::move(for_moves)), ops_(simd::ops()), sums_(1) {
  sums_.reserve(MAX_SIZE * MAX_SIZE + 1);
}

void GuessEvaluator::assign(const PatternBoard& patterns) {
  GuessTables::Row sums{};
  for (const Point p : board_points(patterns.size())) {
    if (!patterns.is_empty(p)) continue;
    const i16* added[COLOUR_NB];
    for (const Colour colour : {BLACK, WHITE})
      added[side_index(colour)] = row(colour, patterns.shape_set(colour, p));
    ops_.exchange_rows(sums.words(), added, COLOUR_NB, nullptr, 0);
  }
  sums_.assign(1, sums);
}

void GuessEvaluator::play(const PatternBoard& patterns, Point p, Colour) {
  constexpr int MOST_ROWS = COLOUR_NB * PatternBoard::MAX_CHANGES;
  const i16 *added[MOST_ROWS], *removed[MOST_ROWS];
  int adds = 0, removals = 0;
  const auto list = [&](const i16** rows, int& count, u32 shapes) {
    rows[count++] = row(BLACK, shapes & 0xFFFF);
    rows[count++] = row(WHITE, shapes >> 16);
  };
  patterns.for_each_change([&](Point changed, u32 before, u32 after) {
    list(removed, removals, before);
    if (changed != p) list(added, adds, after);  // p is not empty any more
  });
  sums_.push_back(sums_.back());
  ops_.exchange_rows(sums_.back().words(), added, adds, removed, removals);
}

Value GuessEvaluator::value(const PatternBoard& patterns, Colour side) {
  const auto own = static_cast<size_t>(side_index(side));
  const GuessTables::Head& head = tables_->heads[own];
  const Lanes& sums = sums_.back().by_side[own];
  const Lanes& more = head.by_threats[static_cast<size_t>(threat_mask(patterns, side))];
  Lanes lanes, inputs;
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i] = static_cast<i16>(sums[i] + more[i]);
    inputs[i] = static_cast<i16>(std::max<i16>(lanes[i], 0) >> GuessTables::LANE_SHIFT);
  }
  const i64 points = ops_.small_net(head.net, inputs.data(), GuessTables::FIRST_SHIFT);
  return clamp_eval(lanes[0] + (points >> GuessTables::SECOND_SHIFT));
}

void GuessEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                 std::span<ScoredMove> moves) {
  score_by_tables(*for_moves_, patterns, side, moves);
}

}  // namespace tengen
