// SPDX-License-Identifier: MIT
#include "eval/lazy_tables.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/crc32.h"
#include "base/little_endian.h"

namespace tengen {

namespace {

using Lanes = LazyTables::Lanes;

constexpr std::string_view MAGIC = "TGGUESS1";
/// Magic, rule, checksum of the rest, number of sides.
constexpr size_t HEADER_BYTES = MAGIC.size() + 12;
constexpr size_t SIDE_BYTES =
    2 * (2 * static_cast<size_t>(COMBO_NB) + THREAT_MASK_NB + LazyTables::HIDDEN_NB) *
        LazyTables::LANE_NB +
    4 * 2 * LazyTables::HIDDEN_NB;

void read_side(LittleEndianReader& reader, size_t colour, std::vector<LazyTables::Row>& rows,
               LazyTables::Head& head) {
  rows.resize(COMBO_NB);
  for (LazyTables::Row& row : rows) reader.numbers(row.by_side[colour]);
  for (LazyTables::Row& row : rows) reader.numbers(row.by_side[1 - colour]);
  for (Lanes& lanes : head.by_threats) reader.numbers(lanes);
  for (size_t lane = 0; lane < LazyTables::LANE_NB; ++lane) {
    std::array<i16, LazyTables::HIDDEN_NB> weights;
    reader.numbers(weights);
    for (size_t hidden = 0; hidden < weights.size(); ++hidden) {
      const size_t index = simd::SmallNet::weight_index(lane, hidden);
      head.net.first[index] = lane == 0 ? i16{0} : weights[hidden];
    }
  }
  for (i32& bias : head.net.first_bias) bias = static_cast<i32>(reader.word());
  for (i32& weight : head.net.second) weight = static_cast<i32>(reader.word());
}

/// The same tables with colours swapped.
std::vector<LazyTables::Row> swap_colours(std::vector<LazyTables::Row> rows) {
  for (LazyTables::Row& row : rows) std::swap(row.by_side[0], row.by_side[1]);
  return rows;
}

}  // namespace

Rule LazyTables::rule_of(std::string_view bytes) {
  if (bytes.substr(0, MAGIC.size()) != MAGIC)
    throw std::invalid_argument("not a file of lazy tables");
  if (bytes.size() < HEADER_BYTES)
    throw std::invalid_argument("the file of lazy tables is cut short");
  const u32 rule = LittleEndianReader(bytes.substr(MAGIC.size())).word();
  if (rule >= static_cast<u32>(RULE_NB))
    throw std::invalid_argument("the lazy tables are for a rule that is not known");
  return static_cast<Rule>(rule);
}

std::shared_ptr<const LazyTables> LazyTables::parse(std::string_view bytes, Rule rule) {
  const Rule found_rule = rule_of(bytes);
  LittleEndianReader reader(bytes.substr(MAGIC.size() + 4));
  const u32 checksum = reader.word(), sides = reader.word();
  if (sides < 1 || sides > COLOUR_NB || bytes.size() != HEADER_BYTES + sides * SIDE_BYTES)
    throw std::invalid_argument("the file of lazy tables is cut short, or something was added");
  if (checksum != crc32(bytes.substr(HEADER_BYTES)))
    throw std::invalid_argument("the lazy tables are damaged: their checksum is wrong");
  if (found_rule != rule)
    throw std::invalid_argument("these lazy tables are for another rule than " + rule_name(rule));
  auto tables = std::make_shared<LazyTables>();
  tables->rule = rule;
  for (u32 side = 0; side < sides; ++side)
    read_side(reader, side, tables->rows[side], tables->heads[side]);
  if (sides == 1) {
    tables->rows[1] = swap_colours(tables->rows[0]);
    tables->heads[1] = tables->heads[0];
  }
  tables->combos = combos_by_shape_set();
  return tables;
}

LazyTablesEvaluator::LazyTablesEvaluator(std::shared_ptr<const LazyTables> tables,
                                         std::shared_ptr<const ClassicalTables> for_moves)
    : tables_(std::move(tables)), for_moves_(std::move(for_moves)), ops_(simd::ops()), sums_(1) {
  sums_.reserve(MAX_SIZE * MAX_SIZE + 1);
}

void LazyTablesEvaluator::assign(const PatternBoard& patterns) {
  LazyTables::Row sums{};
  for (const Point p : board_points(patterns.size())) {
    if (!patterns.is_empty(p)) continue;
    const i16* added[COLOUR_NB];
    for (const Colour colour : {BLACK, WHITE})
      added[side_index(colour)] = row(colour, patterns.shape_set(colour, p));
    ops_.exchange_rows(sums.words(), added, COLOUR_NB, nullptr, 0);
  }
  sums_.assign(1, sums);
}

void LazyTablesEvaluator::play(const PatternBoard& patterns, Point p, Colour) {
  constexpr int MAX_CHANGED_ROWS = COLOUR_NB * PatternBoard::MAX_CHANGES;
  const i16 *added[MAX_CHANGED_ROWS], *removed[MAX_CHANGED_ROWS];
  int adds = 0, removals = 0;
  const auto list = [&](const i16** rows, int& count, u32 shapes) {
    rows[count++] = row(BLACK, shapes & 0xFFFF);
    rows[count++] = row(WHITE, shapes >> 16);
  };
  patterns.for_each_change([&](Point changed, u32 before, u32 after) {
    list(removed, removals, before);
    if (changed != p) list(added, adds, after);  // p is no longer empty
  });
  sums_.push_back(sums_.back());
  ops_.exchange_rows(sums_.back().words(), added, adds, removed, removals);
}

Value LazyTablesEvaluator::value(const PatternBoard& patterns, Colour side) {
  const auto own = static_cast<size_t>(side_index(side));
  const LazyTables::Head& head = tables_->heads[own];
  const Lanes& sums = sums_.back().by_side[own];
  const Lanes& more = head.by_threats[static_cast<size_t>(threat_mask(patterns, side))];
  Lanes lanes, inputs;
  for (size_t i = 0; i < lanes.size(); ++i) {
    lanes[i] = static_cast<i16>(sums[i] + more[i]);
    inputs[i] = static_cast<i16>(std::max<i16>(lanes[i], 0) >> LazyTables::LANE_SHIFT);
  }
  const i64 output = ops_.small_net(head.net, inputs.data(), LazyTables::FIRST_SHIFT);
  return clamp_eval(lanes[0] + (output >> LazyTables::SECOND_SHIFT));
}

void LazyTablesEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                      std::span<ScoredMove> moves) {
  score_by_tables(*for_moves_, patterns, side, moves);
}

}  // namespace tengen
