#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "operators/device/moments.hpp"

namespace gable::conformance {
namespace {

using namespace gable::device;

/// Relative error of the variance of a row whose first element lies far outside the others.
template <class T>
double variance_error(double first, Index n) {
  std::mt19937 random(5);
  std::vector<T> row(static_cast<std::size_t>(n));
  for (T& x : row) x = narrow<T>(static_cast<double>(random() >> 8) * 0x1p-24);
  row[0] = narrow<T>(first);
  long double mean = 0, squares = 0;
  for (const T& x : row) mean += static_cast<long double>(widen(x)) / static_cast<long double>(n);
  for (const T& x : row) squares += (widen(x) - mean) * (widen(x) - mean);
  const long double want = squares / static_cast<long double>(n);
  constexpr int pack = pack_size<T>;
  const Accumulate<T> about = widen(row[0]);
  const auto sums = row_sums<pack, T>(n, OneThread{}, about,
                                      [&](auto access, Index k) { return access.fetch(row.data() + k, about); });
  const auto got = moments_from<pack>(sums, about, row.data(), n, OneThread{});
  EXPECT_NEAR(static_cast<double>(got.mean), static_cast<double>(mean), 1e-3);
  return static_cast<double>(std::abs(got.variance - want) / want);
}

/// (x[0] - mean)^2 is n times the variance here: taken about x[0], that many units of the sum's rounding are lost.
TEST(RowMoments, AreExactWhereTheFirstElementIsFarFromTheOthers) {
  constexpr Index n = 65536 + 3;
  EXPECT_LT(variance_error<double>(1024.0, n), 0x1p-46);
  EXPECT_LT(variance_error<float>(1024.0, n), 0x1p-17);
  EXPECT_LT(variance_error<Fp16>(1024.0, n), 0x1p-17);
  EXPECT_LT(variance_error<Bf16>(1024.0, n), 0x1p-17);
}

TEST(RowMoments, AreExactWhereTheFirstElementIsOneOfThem) {
  constexpr Index n = 4096 + 3;
  EXPECT_LT(variance_error<double>(0.25, n), 0x1p-46);
  EXPECT_LT(variance_error<float>(0.25, n), 0x1p-17);
}

}  // namespace
}  // namespace gable::conformance
