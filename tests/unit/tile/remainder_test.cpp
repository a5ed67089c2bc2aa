#include "operators/device/remainder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace gable::device {
namespace {

TEST(Remainder, IsThatOfADivision) {
  constexpr std::int64_t beyond = std::int64_t{1} << 62;
  std::mt19937_64 random(20260101);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int shift = 1; shift <= 62; ++shift) {
    const std::int64_t power = std::int64_t{1} << shift;
    for (const std::int64_t d : {power / 2, power - 1, power, power / 2 + 1, 1 + below(power), 1 + below(power)}) {
      const Remainder remainder(d);
      for (const std::int64_t i : {std::int64_t{0}, d - 1, d, beyond - 1, beyond / d * d - 1, beyond / d * d - d}) {
        if (i < 0 || i >= beyond) continue;
        ASSERT_EQ(remainder.of(i), i % d) << i << " mod " << d;
      }
      for (int k = 0; k < 2000; ++k) {
        const std::int64_t i = below(k % 2 == 0 ? beyond : 1 + below(beyond));
        ASSERT_EQ(remainder.of(i), i % d) << i << " mod " << d;
      }
    }
  }
}

}  // namespace
}  // namespace gable::device
