// SPDX-License-Identifier: MIT
#include "protocol/search_report.h"

#include <algorithm>
#include <cmath>

#include "protocol/syntax.h"

namespace tengen::protocol {

namespace {

constexpr size_t MAX_LINE_MOVES = 24;  ///< as many as a manager's window shows
/// Seconds of search between two lines with show_detail 1, and with 2 and more.
constexpr double PERIOD = 0.5, SHORT_PERIOD = 0.1;

}  // namespace

std::string format_value(Value value) {
  if (is_win(value)) return "+M" + std::to_string(MATE - value);
  if (is_loss(value)) return "-M" + std::to_string(MATE + value);
  return (value < 0 ? "" : "+") + std::to_string(value);
}

std::string format_info(const SearchLine& line) {
  const SearchInfo& info = line.info;
  std::string text = info.multipv == 1 ? "" : "(" + std::to_string(info.multipv) + ") | ";
  text += "DEPTH " + std::to_string(info.depth) + "-" +
          std::to_string(std::max(info.depth, info.selective_depth));
  text += " | EVAL " + format_value(info.value);
  text += " | NODES " + std::to_string(info.stats.nodes);
  text += " | SPEED " + std::to_string(line.nps);
  text += " | TIME " + std::to_string(std::lround(line.seconds * 1000));
  std::vector<Point> pv(info.pv.begin(), info.pv.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                               info.pv.size(), MAX_LINE_MOVES)));
  std::erase(pv, NO_POINT);
  return pv.empty() ? text : text + " | LINE " + format_points(pv);
}

std::optional<std::string> SearchReport::line(const SearchLine& line, i64 detail) {
  if (detail == 0 || line.seconds < next_) return std::nullopt;
  std::string text = format_info(line);
  if (line.info.multipv == 1) {
    next_ = line.seconds + (detail == 1 ? PERIOD : SHORT_PERIOD);
    last_ = text;
  }
  return text;
}

std::optional<std::string> SearchReport::last_line(const SearchLine& line, i64 detail) const {
  if (detail == 0) return std::nullopt;
  std::string text = format_info(line);
  return text == last_ ? std::nullopt : std::optional(std::move(text));
}

}  // namespace tengen::protocol
