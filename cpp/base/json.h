// SPDX-License-Identifier: MIT
// Reads JSON: all of RFC 8259 but duplicate keys (the last counts) and \u escapes beyond ASCII
// (which become `?`: what is read here has none). Writes it with sorted keys, and numbers with four
// decimals at most.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tengen {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  Json() = default;  ///< null
  Json(std::same_as<bool> auto value) : value_(value) {}
  Json(std::integral auto number)
    requires(!std::same_as<decltype(number), bool>)
      : value_(static_cast<double>(number)) {}
  Json(double number) : value_(number) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(Array array) : value_(std::move(array)) {}
  Json(Object object) : value_(std::move(object)) {}

  /// Throws std::invalid_argument.
  static Json parse(std::string_view text);
  /// The text of the value, in one line. Texts are taken as UTF-8; what is not finite becomes null.
  std::string dump() const;

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  /// The value as a truth value, text, number, array or object; nullptr if it is another kind.
  const bool* truth() const { return std::get_if<bool>(&value_); }
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  const double* number() const { return std::get_if<double>(&value_); }
  const Array* array() const { return std::get_if<Array>(&value_); }
  const Object* object() const { return std::get_if<Object>(&value_); }
  /// The member of an object; nullptr if there is none.
  const Json* find(std::string_view key) const;

 private:
  friend class JsonReader;

  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value_ = nullptr;
};

}  // namespace tengen
