// SPDX-License-Identifier: MIT
#include "eval/classical.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "base/crc32.h"
#include "base/little_endian.h"

namespace tengen {

namespace {

/// The file: magic, rule, checksum of the rest, then 16-bit numbers, all little-endian.
constexpr std::string_view MAGIC = "TGCLASS1";
constexpr size_t HEADER_BYTES = MAGIC.size() + 8;
constexpr size_t NUMBERS = COLOUR_NB * (4 * static_cast<size_t>(COMBO_NB) + THREAT_MASK_NB + 1);
constexpr size_t FILE_BYTES = HEADER_BYTES + 2 * NUMBERS;

using ByCombo = std::array<std::array<i16, COMBO_NB>, COLOUR_NB>;

void spread(const ByCombo& to_move, const ByCombo& waiting,
            std::array<std::vector<ClassicalTables::Pair>, COLOUR_NB>& out) {
  const std::vector<u16> combos = combos_by_shape_set();
  for (int side = 0; side < COLOUR_NB; ++side) {
    out[side].clear();
    for (const u16 combo : combos)
      out[side].push_back({to_move[side][combo], waiting[side][combo]});
  }
}

}  // namespace

std::shared_ptr<const ClassicalTables> ClassicalTables::parse(std::string_view bytes, Rule rule) {
  if (bytes.substr(0, MAGIC.size()) != MAGIC)
    throw std::invalid_argument("not a file of classical tables");
  if (bytes.size() != FILE_BYTES)
    throw std::invalid_argument("classical tables have " + std::to_string(FILE_BYTES) +
                                " bytes, not " + std::to_string(bytes.size()));
  LittleEndianReader reader(bytes.substr(MAGIC.size()));
  const u32 rule_number = reader.word();
  if (reader.word() != crc32(bytes.substr(HEADER_BYTES)))
    throw std::invalid_argument("the classical tables are damaged: their checksum is wrong");
  if (rule_number >= static_cast<u32>(RULE_NB))
    throw std::invalid_argument("the classical tables are for a rule that is not known");
  if (rule_number != static_cast<u32>(rule))
    throw std::invalid_argument("these classical tables are for " +
                                rule_name(static_cast<Rule>(rule_number)) + ", not for " +
                                rule_name(rule));
  auto tables = std::make_shared<ClassicalTables>();
  tables->rule = rule;
  const auto read_two = [&](auto& out) {
    const auto to_move = std::make_unique<ByCombo>(), waiting = std::make_unique<ByCombo>();
    for (ByCombo* table : {to_move.get(), waiting.get()})
      for (auto& side : *table) reader.numbers(side);
    spread(*to_move, *waiting, out);
  };
  read_two(tables->value);
  read_two(tables->move);
  for (auto& side : tables->by_threats) reader.numbers(side);
  reader.numbers(tables->bias);
  return tables;
}

ClassicalEvaluator::ClassicalEvaluator(std::shared_ptr<const ClassicalTables> tables)
    : tables_(std::move(tables)), sums_(1) {
  sums_.reserve(MAX_SIZE * MAX_SIZE + 1);
}

void ClassicalEvaluator::assign(const PatternBoard& patterns) {
  Sums sums{};
  for (const Point p : board_points(patterns.size())) {
    if (!patterns.is_empty(p)) continue;
    for (const Colour colour : {BLACK, WHITE})
      sums[side_index(colour)].add(
          tables_->value[side_index(colour)][patterns.shape_set(colour, p)]);
  }
  sums_.assign(1, sums);
}

void ClassicalEvaluator::play(const PatternBoard& patterns, Point p, Colour) {
  Sums sums = sums_.back();
  const ClassicalTables::Pair* const black = tables_->value[0].data();
  const ClassicalTables::Pair* const white = tables_->value[1].data();
  patterns.for_each_change([&](Point changed, u32 before, u32 after) {
    sums[0].subtract(black[before & 0xFFFF]);
    sums[1].subtract(white[before >> 16]);
    if (changed == p) return;  // no longer empty
    sums[0].add(black[after & 0xFFFF]);
    sums[1].add(white[after >> 16]);
  });
  sums_.push_back(sums);
}

Value ClassicalEvaluator::value(const PatternBoard& patterns, Colour side) {
  const Sums& sums = sums_.back();
  const int own = side_index(side);
  return sums[own].to_move - sums[1 - own].waiting +
         tables_->by_threats[own][threat_mask(patterns, side)] + tables_->bias[own];
}

void ClassicalEvaluator::score_moves(const PatternBoard& patterns, Colour side,
                                     std::span<ScoredMove> moves) {
  score_by_tables(*tables_, patterns, side, moves);
}

void score_by_tables(const ClassicalTables& tables, const PatternBoard& patterns, Colour side,
                     std::span<ScoredMove> moves) {
  const Colour other = opponent(side);
  const auto& own_table = tables.move[side_index(side)];
  const auto& other_table = tables.move[side_index(other)];
  for (ScoredMove& move : moves)
    move.score = own_table[patterns.shape_set(side, move.point)].to_move +
                 other_table[patterns.shape_set(other, move.point)].waiting;
}

int threat_mask(const PatternBoard& patterns, Colour side) {
  const auto groups = [&patterns](Colour colour) {
    const PatternBoard::Counts& counts = patterns.counts(colour);
    const auto has = [&counts](Threat threat) { return counts[static_cast<int>(threat)] != 0; };
    return (has(Threat::OPEN_FOUR) || has(Threat::DOUBLE_FOUR)) |
           (has(Threat::FOUR_THREE) || has(Threat::FOUR_DOUBLE_THREE)) << 1 |
           has(Threat::FOUR) << 2 | has(Threat::DOUBLE_THREE) << 3 | has(Threat::OPEN_THREE) << 4;
  };
  return groups(side) | groups(opponent(side)) << THREAT_GROUP_NB;
}

}  // namespace tengen
