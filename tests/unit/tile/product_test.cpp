#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/unit/tile/kernels.hpp"

namespace gable::device::tile::test {
namespace {

/// factor A B in double, and beside it the sum of the products' magnitudes, which rounding errors are relative to.
template <class T, bool Transposed>
void expect_product(const ProductCase& size, double epsilon) {
  SCOPED_TRACE("batch " + std::to_string(size.batch) + " m " + std::to_string(size.m) + " n " + std::to_string(size.n) +
               " k " + std::to_string(size.k) + " stages " + std::to_string(size.stages));
  const auto a = values<T>(size.batch * size.m * size.k, 1), b = values<T>(size.batch * size.k * size.n, 2);
  const double factor = 0.75;
  const Outcome got = product<T, Transposed>(size, a, b, factor);
  EXPECT_EQ(got.report.conflicts, 0);
  for (Index i = 0; i < size.batch * size.m; ++i) {
    const Index matrix = i / size.m;
    for (Index j = 0; j < size.n; ++j) {
      double want = 0, magnitude = 0;
      for (Index k = 0; k < size.k; ++k) {
        const Index at = Transposed ? (matrix * size.n + j) * size.k + k : (matrix * size.k + k) * size.n + j;
        const double term = static_cast<double>(widen(a[static_cast<std::size_t>(i * size.k + k)])) *
                            static_cast<double>(widen(b[static_cast<std::size_t>(at)]));
        want += factor * term;
        magnitude += std::abs(term);
      }
      const double found = got.values[static_cast<std::size_t>(i * size.n + j)];
      ASSERT_LE(std::abs(found - want), epsilon * std::abs(want) + 1e-6 * magnitude) << "row " << i << " column " << j;
    }
  }
}

template <class T>
class TileProduct : public testing::Test {};
using Storage = testing::Types<double, float, Fp16, Bf16>;
TYPED_TEST_SUITE(TileProduct, Storage);

/// Half a unit in the last place of the storage type; fp64 is held to what is far below any wrong index.
template <class T>
constexpr double epsilon = std::is_same_v<T, Bf16>   ? 0x1p-8
                           : std::is_same_v<T, Fp16> ? 0x1p-11
                                                     : 0;

TYPED_TEST(TileProduct, WholeTiles) {
  expect_product<TypeParam, false>({1, 128, 128, 64, 2}, epsilon<TypeParam>);
  expect_product<TypeParam, true>({1, 128, 128, 64, 2}, epsilon<TypeParam>);
}
/// Rows that are no multiple of 16 bytes take the other way into scratch.
TYPED_TEST(TileProduct, OddSizes) {
  expect_product<TypeParam, false>({1, 1, 1, 1, 2}, epsilon<TypeParam>);
  expect_product<TypeParam, false>({2, 131, 133, 37, 2}, epsilon<TypeParam>);
  expect_product<TypeParam, true>({2, 131, 133, 37, 2}, epsilon<TypeParam>);
}
/// Aligned rows, but no whole tiles: the last chunk of a row ends behind the matrix.
TYPED_TEST(TileProduct, EdgesOfAlignedRows) {
  expect_product<TypeParam, false>({2, 130, 136, 40, 2}, epsilon<TypeParam>);
  expect_product<TypeParam, true>({2, 130, 136, 40, 2}, epsilon<TypeParam>);
}
/// A ring that is longer than the depth, as long, and shorter.
TYPED_TEST(TileProduct, Stages) {
  for (const int stages : {3, 4}) {
    for (const Index k : {8, 96, 200}) expect_product<TypeParam, false>({1, 16, 16, k, stages}, epsilon<TypeParam>);
  }
}
/// More row blocks than a band holds.
TYPED_TEST(TileProduct, Bands) { expect_product<TypeParam, false>({1, 1200, 150, 4, 2}, epsilon<TypeParam>); }

}  // namespace
}  // namespace gable::device::tile::test
