// SPDX-License-Identifier: MIT
#include "app/arguments.h"

#include <charconv>
#include <stdexcept>
#include <system_error>

namespace tengen::app {

std::vector<Argument> parse_arguments(const std::vector<std::string>& words) {
  std::vector<Argument> arguments;
  for (size_t n = 0; n < words.size(); ++n) {
    const std::string& word = words[n];
    if (word == "--help" || word == "-h")
      arguments.push_back({"help", ""});
    else if (word == "--version")
      arguments.push_back({"version", ""});
    else if (!word.starts_with("--"))
      throw std::invalid_argument("unknown argument '" + word + "': see --help");
    else if (n + 1 == words.size())
      throw std::invalid_argument("'" + word + "' needs a value: see --help");
    else
      arguments.push_back({word.substr(2), words[++n]});
  }
  return arguments;
}

int positive_number(const Argument& argument) {
  const std::string& text = argument.value;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1)
    throw std::invalid_argument("no " + argument.name + " of '" + text +
                                "': use a whole number of at least 1");
  return number;
}

}  // namespace tengen::app
