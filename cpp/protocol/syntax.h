// SPDX-License-Identifier: MIT
// The syntax of the Gomocup protocol: lines, commands, points.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "game/point.h"

namespace tengen::protocol {

/// A command that cannot be done; the message is the text of the ERROR line.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr std::string_view PASS_TEXT = "-1,-1";  ///< an extension
/// Bytes of a line that are kept. A line of BOARD has 8, the longest command (a folder) some
/// hundred.
inline constexpr size_t MAX_LINE = 4096;

/// One line. `verb` is its first word in upper case, `rest` what follows.
struct Command {
  std::string verb, rest;
  std::string word;  ///< the first word as it was sent

  /// The line.
  std::string text() const { return rest.empty() ? word : word + " " + rest; }
};

/// The command of a line; nullopt if it is empty.
std::optional<Command> parse_command(std::string_view line);

/// A whole number, limited to 62 bits; nullopt for any other text.
std::optional<i64> parse_number(std::string_view text);

/// The point of `x,y`, both from 0; `0,0` is the first cell of the first row, as in Piskvork's
/// records. Throws Refused.
Point parse_point(std::string_view text, int size);
/// A point or PASS_TEXT, which is NO_POINT. Throws Refused.
Point parse_move(std::string_view text, int size);
std::string format_move(Point move);
std::string format_points(const std::vector<Point>& points);

/// A line of BOARD: `x,y,who`.
struct OwnedStone {
  Point point;
  i64 owner;  ///< 1 own, 2 the opponent's
};
/// Throws Refused.
OwnedStone parse_stone(std::string_view text, int size);

/// A text for a reply: short, printable ASCII.
std::string in_quotes(std::string_view text);
/// `text` as one line, with single quotes for double ones.
std::string plain(std::string_view text);

std::string_view trimmed(std::string_view text);
std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);
/// The first word and what follows it, without spaces around both.
std::pair<std::string_view, std::string_view> first_word(std::string_view text);

/// Splits a stream of bytes into lines, which end in CR, LF or both. Skips empty lines, and cuts
/// lines off after MAX_LINE bytes.
class LineSplitter {
 public:
  /// The lines that the bytes complete.
  std::vector<std::string> feed(std::string_view bytes);
  /// The incomplete line at the end of the stream, if any.
  std::optional<std::string> end();

 private:
  std::string rest_;
};

}  // namespace tengen::protocol
