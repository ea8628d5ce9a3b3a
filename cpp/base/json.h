// SPDX-License-Identifier: MIT
// Reads JSON: all of RFC 8259 but duplicate keys (the last counts) and \u escapes beyond ASCII
// (which become `?`: the files that are read here have none).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tengen {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::map<std::string, Json, std::less<>>;

  /// Throws std::invalid_argument.
  static Json parse(std::string_view text);

  /// The value as a text, whole number, array or object; nullptr (nullopt) if it is another kind.
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
