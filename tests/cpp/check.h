// SPDX-License-Identifier: MIT
// A minimal test runner: TEST(name) { CHECK(condition); CHECK_EQ(found, expected); }. A failed
// check is printed and counted, and the test continues. No library, so that the tests need only a
// compiler.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace check {

struct Case {
  std::string name;
  std::function<void()> run;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int failures = 0;

struct Register {
  Register(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

inline void fail(const char* file, int line, const std::string& what) {
  ++failures;
  std::cerr << file << ":" << line << ": " << what << "\n";
}

template <typename T>
std::string shown(const T& value) {
  std::ostringstream out;
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    out << static_cast<long long>(value);
  }
  return out.str();
}

/// A number of random cases, divided by the environment variable TENGEN_TEST_DIVISOR (slow builds).
inline int reduced(int count) {
  const char* const divisor = std::getenv("TENGEN_TEST_DIVISOR");
  return divisor ? std::max(1, count / std::max(1, std::atoi(divisor))) : count;
}

/// Runs the tests whose names contain the first argument (all, without one). With a second argument
/// "k/n" (k from 0), runs every n-th of them. Ends with the line "N passed, N failed".
inline int run_all(int argc, char** argv) {
  const std::string_view pattern = argc > 1 ? argv[1] : "";
  int shard = 0, shards = 1;
  if (argc > 2 && (std::sscanf(argv[2], "%d/%d", &shard, &shards) != 2 || shards < 1)) return 2;
  int passed = 0, failed = 0, number = 0;
  for (const Case& test : cases()) {
    if (test.name.find(pattern) == std::string::npos || number++ % shards != shard) continue;
    const int before = failures;
    const auto start = std::chrono::steady_clock::now();
    test.run();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const bool good = failures == before;
    ++(good ? passed : failed);
    std::printf("%s %s %.2f s\n", good ? "ok  " : "FAIL", test.name.c_str(), seconds.count());
    std::fflush(stdout);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace check

#define TEST(NAME)                                           \
  static void NAME();                                        \
  static const check::Register register_##NAME(#NAME, NAME); \
  static void NAME()

#define CHECK(CONDITION) \
  ((CONDITION) ? void() : check::fail(__FILE__, __LINE__, "not so: " #CONDITION))

#define CHECK_EQ(FOUND, EXPECTED)                                                                  \
  do {                                                                                             \
    const auto found_ = (FOUND);                                                                   \
    const auto expected_ = (EXPECTED);                                                             \
    if (!(found_ == expected_))                                                                    \
      check::fail(__FILE__, __LINE__,                                                              \
                  #FOUND " is " + check::shown(found_) + ", expected " + check::shown(expected_)); \
  } while (false)
