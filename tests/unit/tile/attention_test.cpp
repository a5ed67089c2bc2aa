#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/tile/kernels.hpp"

namespace gable::device::tile::test {
namespace {

/// softmax(Q K^T / sqrt(d)) V of one row.
template <class T>
std::vector<double> expected_row(const AttentionCase& size, Index row, const std::vector<T>& q, const std::vector<T>& k,
                                 const std::vector<T>& v) {
  const auto at = [&](const std::vector<T>& matrix, Index r, Index c) {
    return static_cast<double>(widen(matrix[static_cast<std::size_t>(r * size.d + c)]));
  };
  const Index head = row / size.l / (size.h / size.kv) * size.l;
  const Index end = size.causal ? head + row % size.l + 1 : head + size.l;
  std::vector<double> result(static_cast<std::size_t>(size.d));
  double total = 0;
  for (Index j = head; j < end; ++j) {
    double score = 0;
    for (Index c = 0; c < size.d; ++c) score += at(q, row, c) * at(k, j, c);
    const double weight = std::exp(score / std::sqrt(static_cast<double>(size.d)));
    total += weight;
    for (Index c = 0; c < size.d; ++c) result[static_cast<std::size_t>(c)] += weight * at(v, j, c);
  }
  for (double& value : result) value /= total;
  return result;
}

template <class Machine, class T, int value_columns, int warp_rows, bool keeps_rows>
void expect_attention(const AttentionCase& size, double tolerance) {
  SCOPED_TRACE("h " + std::to_string(size.h) + " kv " + std::to_string(size.kv) + " l " + std::to_string(size.l) +
               " d " + std::to_string(size.d) + (size.causal ? " causal" : ""));
  const Index cached = size.kv * size.l * size.d;
  const auto q = values<T>(size.h * size.l * size.d, 1), k = values<T>(cached, 2), v = values<T>(cached, 3);
  const Outcome got = attention<Machine, T, value_columns, warp_rows, keeps_rows>(size, q, k, v);
  EXPECT_EQ(got.report.conflicts, 0);
  for (Index row = 0; row < size.h * size.l; ++row) {
    const auto want = expected_row(size, row, q, k, v);
    for (Index c = 0; c < size.d; ++c) {
      ASSERT_NEAR(got.values[static_cast<std::size_t>(row * size.d + c)], want[static_cast<std::size_t>(c)], tolerance)
          << "row " << row << " column " << c;
    }
  }
}

/// One row, odd, several blocks of keys and rows, edges of aligned rows, shared keys.
const std::vector<AttentionCase> narrow_heads = {
    {1, 1, 1, 1, true}, {2, 2, 5, 3, true}, {1, 1, 131, 33, true}, {2, 1, 136, 64, false}, {1, 1, 70, 40, false}};
/// More than one block of columns, or more items of width than the ring holds.
const std::vector<AttentionCase> wide_heads = {{1, 1, 70, 130, true}, {1, 1, 65, 200, false}};

template <class Machine>
class TileAttention : public testing::Test {};
using Machines = testing::Types<EmulatedMma, EmulatedMfma>;
TYPED_TEST_SUITE(TileAttention, Machines);

TYPED_TEST(TileAttention, Fp64) {
  for (const auto& size : narrow_heads) expect_attention<TypeParam, double, 64, 16, false>(size, 1e-14);
  for (const auto& size : wide_heads) expect_attention<TypeParam, double, 64, 16, false>(size, 1e-14);
}
TYPED_TEST(TileAttention, Fp32) {
  for (const auto& size : narrow_heads) expect_attention<TypeParam, float, 64, 16, true>(size, 3e-6);
  for (const auto& size : wide_heads) expect_attention<TypeParam, float, 64, 16, false>(size, 3e-6);
}
TYPED_TEST(TileAttention, Fp16) {
  for (const auto& size : narrow_heads) expect_attention<TypeParam, Fp16, 64, 32, true>(size, 0x1p-10);
}
TYPED_TEST(TileAttention, Bf16) {
  for (const auto& size : narrow_heads) expect_attention<TypeParam, Bf16, 64, 32, true>(size, 0x1p-7);
}
TYPED_TEST(TileAttention, Bf16WideHeads) {
  expect_attention<TypeParam, Bf16, 128, 16, true>({1, 1, 140, 128, true}, 0x1p-7);
  expect_attention<TypeParam, Bf16, 128, 16, true>({1, 1, 70, 97, false}, 0x1p-7);
  for (const auto& size : wide_heads) expect_attention<TypeParam, Bf16, 128, 16, false>(size, 0x1p-7);
}

}  // namespace
}  // namespace gable::device::tile::test
