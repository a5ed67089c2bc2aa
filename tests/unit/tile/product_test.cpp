#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "operators/device/tile/size.hpp"
#include "tests/unit/tile/kernels.hpp"

namespace gable::device::tile::test {
namespace {

/// factor A B in double against check(found, wanted, magnitude); the magnitude is the sum of the products', which
/// rounding errors are relative to.
template <class Machine, class T, bool TransposedB, bool TransposedA, class Check>
void check_product(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b, double factor,
                   const Check& check) {
  SCOPED_TRACE("batch " + std::to_string(size.batch) + " m " + std::to_string(size.m) + " n " + std::to_string(size.n) +
               " k " + std::to_string(size.k) + " stages " + std::to_string(size.stages));
  const Outcome got = product<Machine, T, TransposedB, TransposedA>(size, a, b, factor);
  if (loads_matrices<Machine, T> && !TransposedA) {
    EXPECT_GT(got.report.matrix_loads, 0);
  }
  EXPECT_EQ(got.report.conflicts, 0);
  EXPECT_EQ(got.report.copy_conflicts, 0);
  for (Index i = 0; i < size.batch * size.m; ++i) {
    const Index matrix = i / size.m;
    for (Index j = 0; j < size.n; ++j) {
      double want = 0, magnitude = 0;
      for (Index k = 0; k < size.k; ++k) {
        const Index at = TransposedB ? (matrix * size.n + j) * size.k + k : (matrix * size.k + k) * size.n + j;
        const Index from = TransposedA ? (matrix * size.k + k) * size.m + i % size.m : i * size.k + k;
        const double term = static_cast<double>(widen(a[static_cast<std::size_t>(from)])) *
                            static_cast<double>(widen(b[static_cast<std::size_t>(at)]));
        want += factor * term;
        magnitude += std::abs(term);
      }
      const double found = got.values[static_cast<std::size_t>(i * size.n + j)];
      ASSERT_TRUE(check(found, want, magnitude))
          << "row " << i << " column " << j << ": " << found << " instead of " << want;
    }
  }
}
template <class Machine, class T, bool TransposedB, bool TransposedA>
void expect_product(const ProductCase& size, double epsilon) {
  check_product<Machine, T, TransposedB, TransposedA>(
      size, values<T>(size.batch * size.m * size.k, 1), values<T>(size.batch * size.k * size.n, 2),
      std::is_integral_v<T> ? 1 : 0.75, [epsilon](double found, double want, double magnitude) {
        const double allowed = std::is_integral_v<T> ? 0 : epsilon * std::abs(want) + 1e-6 * magnitude;
        return std::abs(found - want) <= allowed;
      });
}
/// Whole numbers, exactly: sums are exact in every machine, and rounded once where they are stored.
template <class Machine, class T, bool TransposedB, bool TransposedA>
void expect_whole_product(const ProductCase& size) {
  check_product<Machine, T, TransposedB, TransposedA>(
      size, whole_values<T>(size.batch * size.m * size.k, 3), whole_values<T>(size.batch * size.k * size.n, 4), 1,
      [](double found, double want, double) {
        return found == static_cast<double>(widen(from_double<Result<T>>(want)));
      });
}

template <class Machine_, class T_>
struct On {
  using Machine = Machine_;
  using T = T_;
};
template <class Case>
class TileProduct : public testing::Test {};
using Cases =
    testing::Types<On<EmulatedMma, double>, On<EmulatedMma, float>, On<EmulatedMma, Fp16>, On<EmulatedMma, Bf16>,
                   On<EmulatedWgmma, Fp16>, On<EmulatedWgmma, Bf16>, On<EmulatedMfma, double>, On<EmulatedMfma, float>,
                   On<EmulatedMfma, Fp16>, On<EmulatedMfma, Bf16>, On<EmulatedMfma950, Fp16>, On<EmulatedMfma950, Bf16>,
                   On<EmulatedWmma, Fp16>, On<EmulatedWmma, Bf16>>;
TYPED_TEST_SUITE(TileProduct, Cases);

/// Half a unit in the last place of the storage type; fp64 is held to what is far below any wrong index.
template <class T>
constexpr double epsilon = std::is_same_v<T, Bf16>   ? 0x1p-8
                           : std::is_same_v<T, Fp16> ? 0x1p-11
                                                     : 0;

template <class Case, bool TransposedB, bool TransposedA = false>
void expect(const ProductCase& size) {
  using T = typename Case::T;
  expect_product<typename Case::Machine, T, TransposedB, TransposedA>(size, epsilon<T>);
}

TYPED_TEST(TileProduct, WholeTiles) {
  expect<TypeParam, false>({1, 128, 128, 64, 2});
  expect<TypeParam, true>({1, 128, 128, 64, 2});
  expect<TypeParam, false, true>({1, 128, 128, 64, 2});
}
/// Blocks that are whole, for which addresses are worked out once, beside blocks at the edge; in the second matrix,
/// too.
TYPED_TEST(TileProduct, WholeBlocksBesideOthers) {
  expect<TypeParam, false>({2, 256, 144, 96, 3});
  expect<TypeParam, true>({2, 144, 256, 96, 3});
  expect<TypeParam, false, true>({2, 256, 144, 96, 3});
}
/// Rows that are no multiple of 16 bytes take the other way into scratch.
TYPED_TEST(TileProduct, OddSizes) {
  expect<TypeParam, false>({1, 1, 1, 1, 2});
  expect<TypeParam, false>({2, 131, 133, 37, 2});
  expect<TypeParam, true>({2, 131, 133, 37, 2});
  expect<TypeParam, false, true>({2, 131, 133, 37, 2});
}
/// Aligned rows, but no whole tiles: segments of a panel lie behind the matrix.
TYPED_TEST(TileProduct, EdgesOfAlignedRows) {
  expect<TypeParam, false>({2, 130, 136, 40, 2});
  expect<TypeParam, true>({2, 130, 136, 40, 2});
  expect<TypeParam, false, true>({2, 136, 130, 40, 2});
}
/// A ring that is longer than the depth, as long, and shorter.
TYPED_TEST(TileProduct, Stages) {
  for (const Index k : {8, 96, 200}) expect<TypeParam, false>({1, 16, 16, k, 3});
}
/// More row blocks than a band holds.
TYPED_TEST(TileProduct, Bands) { expect<TypeParam, false>({1, 1200, 150, 4, 2}); }

/// int8 on all machines, exactly: whole tiles, odd sizes and edges of aligned rows.
template <class Machine>
class TileProductOfInt8 : public testing::Test {};
using Machines = testing::Types<EmulatedMma, EmulatedWgmma, EmulatedMfma, EmulatedMfma950, EmulatedWmma>;
TYPED_TEST_SUITE(TileProductOfInt8, Machines);
TYPED_TEST(TileProductOfInt8, IsExact) {
  for (const ProductCase& size :
       {ProductCase{1, 128, 128, 128, 2}, {1, 1, 1, 1, 2}, {2, 131, 133, 37, 2}, {1, 130, 136, 80, 3}}) {
    expect_product<TypeParam, std::int8_t, true, false>(size, 0);
  }
}

/// Whole numbers through wgmma in all four types, with the shortest and the longest ring: whole blocks beside others,
/// rows and columns of a block that are not there, depths of less than a step and of more stages than the ring has,
/// rows that are no multiple of 16 bytes.
template <class T>
class TileProductByGroups : public testing::Test {};
using GroupTypes = testing::Types<Fp16, Bf16, std::int8_t, Fp8E4m3>;
TYPED_TEST_SUITE(TileProductByGroups, GroupTypes);
TYPED_TEST(TileProductByGroups, IsExact) {
  for (const int stages : {3, 4}) {
    for (const ProductCase& size : {ProductCase{1, 256, 512, 128, stages},
                                    {2, 144, 272, 640, stages},
                                    {1, 1, 1, 1, stages},
                                    {2, 67, 131, 37, stages}}) {
      expect_whole_product<EmulatedWgmma, TypeParam, true, false>(size);
      if constexpr (sizeof(TypeParam) == 2) {
        expect_whole_product<EmulatedWgmma, TypeParam, false, false>(size);
        expect_whole_product<EmulatedWgmma, TypeParam, false, true>(size);
      }
    }
  }
}

/// The sum of the products of row i of A [m, k] and column j of B [k, n], of k from `begin` on, in whole numbers.
template <class T>
double whole_sum(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b, Index i, Index j,
                 Index begin, Index end, bool transposed_b = false, bool transposed_a = false) {
  double sum = 0;
  for (Index k = begin; k < end; ++k) {
    sum += static_cast<double>(widen(a[static_cast<std::size_t>(transposed_a ? k * size.m + i : i * size.k + k)])) *
           static_cast<double>(widen(b[static_cast<std::size_t>(transposed_b ? j * size.k + k : k * size.n + j)]));
  }
  return sum;
}

/// A row vector is added to every row: in whole tiles, in tiles at the edge, and where rows are no whole segments.
template <class Case>
class TileProductWithBias : public testing::Test {};
using BiasCases =
    testing::Types<On<EmulatedMma, double>, On<EmulatedMma, float>, On<EmulatedMma, Bf16>, On<EmulatedWgmma, Bf16>,
                   On<EmulatedMfma, float>, On<EmulatedMfma, Bf16>, On<EmulatedWmma, Fp16>>;
TYPED_TEST_SUITE(TileProductWithBias, BiasCases);
TYPED_TEST(TileProductWithBias, IsExact) {
  using T = typename TypeParam::T;
  for (const ProductCase& size : {ProductCase{1, 128, 256, 16, 3}, {1, 140, 264, 8, 3}, {1, 67, 133, 5, 3}}) {
    const auto a = whole_values<T>(size.m * size.k, 3), b = whole_values<T>(size.k * size.n, 4),
               bias = whole_values<T>(size.n, 5);
    const Outcome got = product_with_bias<typename TypeParam::Machine, T>(size, a, b, bias);
    for (Index i = 0; i < size.m; ++i) {
      for (Index j = 0; j < size.n; ++j) {
        const double want =
            whole_sum(size, a, b, i, j, 0, size.k) + static_cast<double>(widen(bias[static_cast<std::size_t>(j)]));
        ASSERT_EQ(got.values[static_cast<std::size_t>(i * size.n + j)],
                  static_cast<double>(widen(from_double<T>(want))))
            << "row " << i << " column " << j << " of " << size.m << " x " << size.n;
      }
    }
  }
}

/// Parts of the depth are whole panels, 64 of bf16 and 128 of int8: 200 in three parts are 128, 72 and nothing.
template <class T, bool TransposedB, bool TransposedA>
void expect_parts(const ProductCase& size, Index parts, Index part_depth) {
  const auto a = whole_values<T>(size.m * size.k, 3), b = whole_values<T>(size.k * size.n, 4);
  const Outcome got = sums_of_parts<EmulatedWgmma, T, TransposedB, TransposedA>(size, parts, a, b);
  for (Index at = 0; at < parts * size.m * size.n; ++at) {
    const Index part = at / (size.m * size.n), i = at / size.n % size.m, j = at % size.n;
    const Index begin = std::min(size.k, part * part_depth), end = std::min(size.k, begin + part_depth);
    ASSERT_EQ(got.values[static_cast<std::size_t>(at)],
              whole_sum(size, a, b, i, j, begin, end, TransposedB, TransposedA))
        << "part " << part << " row " << i << " column " << j << " of depth " << size.k;
  }
}
TEST(TileProductInParts, SumsOfEachPart) {
  expect_parts<Bf16, false, false>({1, 128, 256, 256, 4}, 2, 128);
  expect_parts<Bf16, true, false>({1, 130, 264, 200, 4}, 3, 128);
  expect_parts<Bf16, false, true>({1, 67, 24, 100, 4}, 2, 64);
  expect_parts<std::int8_t, true, false>({1, 16, 40, 300, 4}, 3, 128);
}

}  // namespace
}  // namespace gable::device::tile::test
