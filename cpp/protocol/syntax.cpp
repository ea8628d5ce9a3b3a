// SPDX-License-Identifier: MIT
#include "protocol/syntax.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tengen::protocol {

namespace {

constexpr std::string_view SPACES = " \t\n\v\f\r";
constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";
constexpr size_t MAX_QUOTE = 60;
constexpr size_t MAX_COORDINATE = 9;  ///< digits
constexpr size_t MAX_DIGITS = 30;
constexpr i64 MAX_NUMBER = i64{1} << 62;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }
/// Whether a byte continues a character of UTF-8.
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// `count` numbers without signs, separated by commas; nullopt for any other text.
template <size_t COUNT>
std::optional<std::array<i64, COUNT>> numbers(std::string_view text) {
  std::array<i64, COUNT> result{};
  for (size_t n = 0; n < COUNT; ++n) {
    const size_t comma = n + 1 < COUNT ? text.find(',') : text.size();
    if (comma == std::string_view::npos) return std::nullopt;
    const std::string_view word = trimmed(text.substr(0, comma));
    if (word.empty() || word.size() > MAX_COORDINATE ||
        !std::all_of(word.begin(), word.end(), is_digit))
      return std::nullopt;
    result[n] = *parse_number(word);
    text.remove_prefix(std::min(text.size(), comma + 1));
  }
  return result;
}

Point on_board(i64 x, i64 y, int size) {
  if (x >= size || y >= size)
    throw Refused(std::to_string(x) + "," + std::to_string(y) +
                  " is off the board: both numbers are 0 to " + std::to_string(size - 1));
  return make_point(static_cast<int>(x), static_cast<int>(y));
}

std::string converted(std::string_view text, char first, char last, int step) {
  std::string result(text);
  for (char& c : result)
    if (c >= first && c <= last) c = static_cast<char>(c + step);
  return result;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(SPACES);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(SPACES) + 1 - first);
}

std::string upper_case(std::string_view text) { return converted(text, 'a', 'z', 'A' - 'a'); }
std::string lower_case(std::string_view text) { return converted(text, 'A', 'Z', 'a' - 'A'); }

std::pair<std::string_view, std::string_view> first_word(std::string_view text) {
  text = trimmed(text);
  const size_t end = std::min(text.find_first_of(SPACES), text.size());
  return {text.substr(0, end), trimmed(text.substr(end))};
}

std::optional<Command> parse_command(std::string_view line) {
  while (line.starts_with(BYTE_ORDER_MARK)) line.remove_prefix(BYTE_ORDER_MARK.size());
  const auto [word, rest] = first_word(line);
  if (word.empty()) return std::nullopt;
  return Command{upper_case(word), std::string(rest), std::string(word)};
}

std::optional<i64> parse_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.size() > MAX_DIGITS || !std::all_of(text.begin(), text.end(), is_digit))
    return std::nullopt;
  i64 number = 0;
  for (const char c : text)
    number = number > MAX_NUMBER / 10 ? MAX_NUMBER : std::min(MAX_NUMBER, number * 10 + (c - '0'));
  return is_negative ? -number : number;
}

Point parse_point(std::string_view text, int size) {
  const auto found = numbers<2>(text);
  if (!found) throw Refused("no point '" + in_quotes(text) + "': expected x,y");
  return on_board((*found)[0], (*found)[1], size);
}

Point parse_move(std::string_view text, int size) {
  std::string word(text);
  std::erase(word, ' ');
  return word == PASS_TEXT ? NO_POINT : parse_point(text, size);
}

std::string format_move(Point move) {
  if (move == NO_POINT) return std::string(PASS_TEXT);
  return std::to_string(x_of(move)) + "," + std::to_string(y_of(move));
}

std::string format_points(const std::vector<Point>& points) {
  std::string text;
  for (const Point p : points) text += (text.empty() ? "" : " ") + format_move(p);
  return text;
}

OwnedStone parse_stone(std::string_view text, int size) {
  const auto found = numbers<3>(text);
  if (!found) throw Refused("no stone '" + in_quotes(text) + "': expected x,y,who");
  const auto [x, y, owner] = *found;
  return {on_board(x, y, size), owner};
}

std::string in_quotes(std::string_view text) {
  std::string result;
  for (const char c : text)
    if (!continues(c)) result += is_printable(c) ? c : '?';
  if (result.size() > MAX_QUOTE) result = result.substr(0, MAX_QUOTE - 3) + "...";
  return result;
}

std::string plain(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c == '"' ? '\'' : static_cast<u8>(c) < ' ' ? ' ' : c;
  return result;
}

std::vector<std::string> LineSplitter::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    rest_ += bytes.substr(0, std::min(end, MAX_LINE - rest_.size()));
    if (end == bytes.size()) break;
    if (auto line = this->end()) lines.push_back(std::move(*line));
    bytes.remove_prefix(end + 1);
  }
  return lines;
}

std::optional<std::string> LineSplitter::end() {
  const std::string line(trimmed(std::exchange(rest_, {})));
  return line.empty() ? std::nullopt : std::optional(line);
}

}  // namespace tengen::protocol
