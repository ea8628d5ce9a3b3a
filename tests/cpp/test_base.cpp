// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <stdexcept>

#include <algorithm>

#include "base/parallel.h"
#include "base/rng.h"
#include "base/tunable.h"
#include "check.h"

using namespace tengen;

TUNABLE(TEST_MARGIN, 62, 20, 160, 6, "a number for this test");

TEST(rng_has_published_values) {
  Rng rng(1234567);  // first outputs of splitmix64 for this seed, as its author published them
  CHECK_EQ(rng.next(), 6457827717110365317ULL);
  CHECK_EQ(rng.next(), 3203168211198807973ULL);
  CHECK_EQ(rng.next(), 9817491932198370423ULL);
}

TEST(rng_below_stays_below) {
  Rng rng(7);
  std::array<int, 10> seen{};
  for (int i = 0; i < 10000; ++i) ++seen.at(rng.below(10));
  for (const int count : seen) CHECK(count > 800 && count < 1200);
}

TEST(tunables_are_listed_and_constants_or_settable) {
  CHECK_EQ(static_cast<int>(TEST_MARGIN), 62);
  const auto found = std::find_if(tunables().begin(), tunables().end(),
                                  [](const Tunable* t) { return t->name == "TEST_MARGIN"; });
  CHECK(found != tunables().end());
  if (found == tunables().end()) return;
  CHECK_EQ((*found)->value, 62);
  CHECK_EQ((*found)->max, 160);
#ifdef TENGEN_TUNING
  (*found)->value = 70;
  CHECK_EQ(static_cast<int>(TEST_MARGIN), 70);
  (*found)->value = 62;
#else
  static_assert(TEST_MARGIN == 62);
#endif
}

TEST(parallel_ranges_visit_everything_once) {
  for (const int threads : {-1, 0, 1, 2, 7, 1000000}) {
    std::vector<std::atomic<int>> visits(1001);
    parallel_ranges(visits.size(), threads, [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) ++visits[i];
    });
    for (const auto& count : visits) CHECK_EQ(count.load(), 1);
  }
  parallel_ranges(0, 2, [](size_t, size_t) { CHECK(false); });
}

TEST(parallel_ranges_pass_exceptions_on) {
  bool caught = false;
  try {
    parallel_ranges(1000, 2, [](size_t first, size_t) {
      if (first == 128) throw std::runtime_error("thrown");
    });
  } catch (const std::runtime_error& error) {
    caught = std::string_view(error.what()) == "thrown";
  }
  CHECK(caught);
}
