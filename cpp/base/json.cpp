// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/number_text.h"
#include "base/types.h"

namespace tengen {

/// A recursive-descent parser.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  Json read() {
    Json value = read_value(0);
    skip_spaces();
    if (!rest_.empty()) fail();
    return value;
  }

 private:
  static constexpr int MAX_DEPTH = 64;

  [[noreturn]] static void fail() { throw std::invalid_argument("not valid JSON"); }

  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  /// The next character, which is taken.
  char take() {
    if (rest_.empty()) fail();
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }

  bool take_if(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void take_word(std::string_view word) {
    if (!rest_.starts_with(word)) fail();
    rest_.remove_prefix(word.size());
  }

  Json read_value(int depth) {
    if (depth > MAX_DEPTH) fail();
    Json json;
    skip_spaces();
    if (rest_.empty()) fail();
    switch (rest_[0]) {
      case '{': json.value_ = read_object(depth); break;
      case '[': json.value_ = read_array(depth); break;
      case '"': json.value_ = read_text(); break;
      case 't':
        take_word("true");
        json.value_ = true;
        break;
      case 'f':
        take_word("false");
        json.value_ = false;
        break;
      case 'n': take_word("null"); break;
      default: json.value_ = read_number();
    }
    return json;
  }

  Json::Object read_object(int depth) {
    Json::Object object;
    take();
    if (take_if('}')) return object;
    do {
      skip_spaces();
      std::string key = read_text();
      if (!take_if(':')) fail();
      object[std::move(key)] = read_value(depth + 1);
    } while (take_if(','));
    if (!take_if('}')) fail();
    return object;
  }

  Json::Array read_array(int depth) {
    Json::Array array;
    take();
    if (take_if(']')) return array;
    do {
      array.push_back(read_value(depth + 1));
    } while (take_if(','));
    if (!take_if(']')) fail();
    return array;
  }

  std::string read_text() {
    if (take() != '"') fail();
    std::string text;
    for (char c = take(); c != '"'; c = take()) {
      if (static_cast<unsigned char>(c) < ' ') fail();
      text += c == '\\' ? read_escape() : c;
    }
    return text;
  }

  char read_escape() {
    switch (const char c = take()) {
      case '"':
      case '\\':
      case '/': return c;
      case 'b': return '\b';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case 'u': break;
      default: fail();
    }
    unsigned code = 0;
    const std::string_view digits = rest_.substr(0, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || end != digits.data() + 4) fail();
    rest_.remove_prefix(4);
    return code < 0x80 ? static_cast<char>(code) : '?';
  }

  double read_number() {
    const size_t length = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
    const std::optional<double> number = number_of(rest_.substr(0, length));
    if (!number) fail();
    rest_.remove_prefix(length);
    return *number;
  }

  std::string_view rest_;
};

namespace {

constexpr double DECIMALS = 10'000;              ///< numbers are multiples of 1 / DECIMALS
constexpr double MAX_DECIMAL = 9e15 / DECIMALS;  ///< larger numbers are written as whole ones

void write_text(std::string& out, std::string_view text) {
  constexpr std::string_view HEX = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (code >= ' ') {
      out += c;
    } else {
      out += "\\u00";
      out += HEX[code >> 4];
      out += HEX[code & 15];
    }
  }
  out += '"';
}

void write_number(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  const bool has_decimals = std::abs(number) < MAX_DECIMAL;
  const double limit = 9e18;  // within i64
  const i64 scaled =
      std::llround(has_decimals ? number * DECIMALS : std::clamp(number, -limit, limit));
  if (!has_decimals) {
    out += std::to_string(scaled);
    return;
  }
  const i64 one = static_cast<i64>(DECIMALS), size = scaled < 0 ? -scaled : scaled;
  out += scaled < 0 ? "-" : "";
  out += std::to_string(size / one);
  if (size % one == 0) return;
  std::string decimals = std::to_string(one + size % one);  // 1, then the digits
  decimals[0] = '.';
  out += decimals.substr(0, decimals.find_last_not_of('0') + 1);
}

}  // namespace

/// Appends values to a text.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void write(const Json& json) {
    if (json.is_null()) out_ += "null";
    if (const bool* const truth = json.truth()) out_ += *truth ? "true" : "false";
    if (const double* const number = json.number()) write_number(out_, *number);
    if (const std::string* const text = json.text()) write_text(out_, *text);
    if (const Json::Array* const array = json.array()) {
      char before = '[';
      for (const Json& one : *array) {
        out_ += std::exchange(before, ',');
        write(one);
      }
      out_ += array->empty() ? "[]" : "]";
    }
    if (const Json::Object* const object = json.object()) {
      char before = '{';
      for (const auto& [key, value] : *object) {
        out_ += std::exchange(before, ',');
        write_text(out_, key);
        out_ += ':';
        write(value);
      }
      out_ += object->empty() ? "{}" : "}";
    }
  }

 private:
  std::string& out_;
};

std::string Json::dump() const {
  std::string out;
  JsonWriter(out).write(*this);
  return out;
}

Json Json::parse(std::string_view text) { return JsonReader(text).read(); }

const Json* Json::find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto it = members->find(key);
  return it == members->end() ? nullptr : &it->second;
}

}  // namespace tengen
