#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "operators/device/tile/warp/attention_block.hpp"
#include "operators/device/tile/warp/decode_block.hpp"
#include "operators/device/tile/warp/decode_tile_block.hpp"
#include "operators/device/tile/warp/group_attention_block.hpp"
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

template <class Machine, class T, class Block>
void expect_attention_by(const AttentionCase& size, double tolerance) {
  SCOPED_TRACE("h " + std::to_string(size.h) + " kv " + std::to_string(size.kv) + " l " + std::to_string(size.l) +
               " d " + std::to_string(size.d) + (size.causal ? " causal" : ""));
  const Index cached = size.kv * size.l * size.d;
  const auto q = values<T>(size.h * size.l * size.d, 1), k = values<T>(cached, 2), v = values<T>(cached, 3);
  const Outcome got = attention<Block>(size, q, k, v);
  if (loads_matrices<Machine, T>) {
    EXPECT_GT(got.report.matrix_loads, 0);
  }
  EXPECT_EQ(got.report.conflicts, 0);
  for (Index row = 0; row < size.h * size.l; ++row) {
    const auto want = expected_row(size, row, q, k, v);
    for (Index c = 0; c < size.d; ++c) {
      ASSERT_NEAR(got.values[static_cast<std::size_t>(row * size.d + c)], want[static_cast<std::size_t>(c)], tolerance)
          << "row " << row << " column " << c;
    }
  }
}

template <class Machine, class T, int value_columns, int warp_rows, bool keeps_rows>
void expect_attention(const AttentionCase& size, double tolerance) {
  expect_attention_by<Machine, T, warp::AttentionBlock<Machine, T, value_columns, warp_rows, keeps_rows>>(size,
                                                                                                          tolerance);
}

/// One row, odd, several blocks of keys and rows, edges of aligned rows, shared keys; the last two are whole.
const std::vector<AttentionCase> narrow_heads = {{1, 1, 1, 1, true},     {2, 2, 5, 3, true},    {1, 1, 131, 33, true},
                                                 {2, 1, 136, 64, false}, {1, 1, 70, 40, false}, {2, 1, 192, 64, true},
                                                 {1, 1, 128, 64, false}};
/// More than one block of columns, or more items of width than the ring holds; the last one is whole.
const std::vector<AttentionCase> wide_heads = {{1, 1, 70, 130, true}, {1, 1, 65, 200, false}, {2, 1, 128, 256, true}};

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
  for (const auto& size : narrow_heads) expect_attention<TypeParam, Fp16, 64, 16, true>(size, 0x1p-10);
}
TYPED_TEST(TileAttention, Bf16) {
  for (const auto& size : narrow_heads) expect_attention<TypeParam, Bf16, 64, 16, true>(size, 0x1p-7);
}
TYPED_TEST(TileAttention, Bf16WideHeads) {
  expect_attention<TypeParam, Bf16, 128, 16, true>({1, 1, 140, 128, true}, 0x1p-7);
  expect_attention<TypeParam, Bf16, 128, 16, true>({1, 1, 70, 97, false}, 0x1p-7);
  expect_attention<TypeParam, Bf16, 128, 16, true>({2, 2, 192, 128, true}, 0x1p-7);
  for (const auto& size : wide_heads) expect_attention<TypeParam, Bf16, 128, 16, false>(size, 0x1p-7);
  // The first block of columns is whole, and its width has three items, while the ring holds two.
  expect_attention<TypeParam, Bf16, 128, 16, false>({1, 1, 128, 192, true}, 0x1p-7);
}
/// The form that NVIDIA's GPUs run: whole blocks of 32 keys.
TEST(TileAttentionOfMma, Fp64) {
  for (const auto& size : narrow_heads) expect_attention<EmulatedMma, double, 32, 16, false>(size, 1e-14);
  expect_attention<EmulatedMma, double, 32, 16, false>({1, 1, 96, 64, true}, 1e-14);
}

/// A block that keeps Q takes a head's scores once: it has all of its columns, or does not take it.
TYPED_TEST(TileAttention, BlocksThatKeepQTakeWholeHeads) {
  using Of64 = warp::AttentionBlock<TypeParam, Bf16, 64, 16, true>;
  using Of128 = warp::AttentionBlock<TypeParam, Bf16, 128, 16, true>;
  EXPECT_TRUE(Of64::fits(64) && Of128::fits(65) && Of128::fits(128));
  EXPECT_FALSE(Of64::fits(65));
  EXPECT_FALSE(Of128::fits(129));
  EXPECT_FALSE((warp::AttentionBlock<TypeParam, float, 64, 16, true>::fits(65)));
}

/// Two steps of keys at once.
TEST(TileAttentionOfGfx950, TypesOfTwoBytes) {
  for (const auto& size : narrow_heads) expect_attention<EmulatedMfma950, Fp16, 64, 16, true>(size, 0x1p-10);
  for (const auto& size : wide_heads) expect_attention<EmulatedMfma950, Bf16, 128, 16, false>(size, 0x1p-7);
}

/// By warpgroups, two of 64 rows: less than a tile, whole ones, parts of them, more than the ring holds, shared keys.
template <class T, int width>
void expect_attention_by_groups(double tolerance) {
  using Block = warp::GroupAttentionBlock<EmulatedWgmma, T, width>;
  for (const AttentionCase& size : std::vector<AttentionCase>{{1, 1, 1, width, true},
                                                              {2, 1, 65, width, false},
                                                              {2, 2, 128, width, true},
                                                              {1, 1, 200, width, true},
                                                              {1, 1, 200, width, false},
                                                              {4, 2, 385, width, true},
                                                              {1, 1, 512, width, false}}) {
    expect_attention_by<EmulatedWgmma, T, Block>(size, tolerance);
  }
}
TEST(TileAttentionOfGroups, Fp16) { expect_attention_by_groups<Fp16, 64>(0x1p-10); }
TEST(TileAttentionOfGroups, Bf16WideHeads) { expect_attention_by_groups<Bf16, 128>(0x1p-7); }

/// Arrays of a case: queries, cache, factors of an int8 cache, and room for the parts.
template <class C, class T>
struct Arrays {
  std::vector<T> q, o;
  std::vector<C> k, v;
  std::vector<float> k_factor, v_factor, largest, total, sums;

  /// Factors of values are up to `factor`.
  Arrays(const DecodeSize& size, Index splits, Index stride, float factor)
      : q(values<T>(size.rows * size.group * size.d, 1)),
        o(q.size()),
        k(cached(size, 2)),
        v(cached(size, 3)),
        largest(static_cast<std::size_t>(size.rows * splits * size.group), NAN),
        total(largest),
        sums(largest.size() * static_cast<std::size_t>(stride), NAN) {
    if constexpr (std::is_integral_v<C>) {
      k_factor.assign(static_cast<std::size_t>(size.rows * size.tokens), 0.01F);
      for (std::size_t i = 0; i < k_factor.size(); i += 3) k_factor[i] = 0.005F;
      v_factor.assign(k_factor.size(), factor);
      for (std::size_t i = 0; i < v_factor.size() / 2; ++i) v_factor[i] *= i % 2 == 0 ? 0x1p-4F : 0x1p-6F;
    }
  }
  static std::vector<C> cached(const DecodeSize& size, unsigned seed) {
    const Index count = size.rows * size.tokens * size.d;
    if constexpr (std::is_integral_v<C>) {
      std::vector<C> list;
      for (const float x : values<float>(count, seed)) list.push_back(static_cast<C>(x * 127));
      return list;
    } else {
      return values<C>(count, seed);
    }
  }
  double value(const std::vector<C>& cache, const std::vector<float>& factor, Index token, Index c, Index d) const {
    const double stored = static_cast<double>(widen(cache[static_cast<std::size_t>(token * d + c)]));
    return factor.empty() ? stored : stored * factor[static_cast<std::size_t>(token)];
  }
};

/// softmax(q K^T / sqrt(d)) V of one query of all rows.
template <class C, class T>
std::vector<double> expected(const DecodeSize& size, const Arrays<C, T>& arrays, Index query) {
  std::vector<double> result(static_cast<std::size_t>(size.d));
  double total = 0;
  for (Index i = 0; i < size.tokens; ++i) {
    const Index token = query / size.group * size.tokens + i;
    double score = 0;
    for (Index c = 0; c < size.d; ++c) {
      score += widen(arrays.q[static_cast<std::size_t>(query * size.d + c)]) *
               arrays.value(arrays.k, arrays.k_factor, token, c, size.d);
    }
    const double weight = std::exp(score / std::sqrt(static_cast<double>(size.d)));
    total += weight;
    for (Index c = 0; c < size.d; ++c) {
      result[static_cast<std::size_t>(c)] += weight * arrays.value(arrays.v, arrays.v_factor, token, c, size.d);
    }
  }
  for (double& value : result) value /= total;
  return result;
}

/// All blocks twice, in both orders, because the last one of a row's splits is another one.
template <class Block, class C, class T>
void expect_decode(const DecodeSize& size, Index splits, double tolerance, float factor) {
  SCOPED_TRACE("group " + std::to_string(size.group) + " tokens " + std::to_string(size.tokens) + " d " +
               std::to_string(size.d));
  const Index stride = (size.d + 15) / 16 * 16;
  Arrays<C, T> arrays(size, splits, stride, factor);
  std::vector<int> finished(static_cast<std::size_t>(Block::blocks_of(size)));
  const DecodeParts parts{
      splits, size.group, stride, arrays.largest.data(), arrays.total.data(), arrays.sums.data(), finished.data()};
  const bool scaled = !arrays.k_factor.empty();
  const Block block(size, parts,
                    {arrays.q.data(), arrays.k.data(), arrays.v.data(), scaled ? arrays.k_factor.data() : nullptr,
                     scaled ? arrays.v_factor.data() : nullptr, arrays.o.data()});
  const auto bytes = static_cast<std::size_t>(block.scratch_bytes() + 127) / 128 * 128;
  const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(128, bytes), &std::free);
  const std::vector<Allowed> memory{
      allowed(arrays.k.data(), arrays.k.size()), allowed(arrays.v.data(), arrays.v.size()),
      allowed(arrays.k_factor.data(), arrays.k_factor.size()), allowed(arrays.v_factor.data(), arrays.v_factor.size())};
  for (const bool backwards : {false, true}) {
    arrays.o.assign(arrays.o.size(), narrow<T>(NAN));
    for (Index i = 0; i < block.count(); ++i) {
      const Index own = backwards ? block.count() - 1 - i : i;
      run_block(block.lanes, block.threads, {static_cast<std::byte*>(scratch.get()), bytes}, memory,
                [&](int thread) { block(own, thread, static_cast<unsigned char*>(scratch.get())); });
    }
    for (Index query = 0; query < size.rows * size.group; ++query) {
      const auto want = expected(size, arrays, query);
      for (std::size_t c = 0; c < want.size(); ++c) {
        const double got = widen(arrays.o[static_cast<std::size_t>(query * size.d) + c]);
        ASSERT_NEAR(got, want[c], tolerance) << "query " << query << ", " << c;
      }
    }
  }
}

template <class Machine, class C, class T, int elements, int heads, int loads = 8 / elements>
void expect_lanes(const DecodeSize& size, Index splits) {
  const double tolerance = std::is_same_v<T, float> ? 2e-6 : std::is_same_v<T, Fp16> ? 0x1p-12 : 0x1p-9;
  expect_decode<warp::DecodeBlock<Machine, C, T, elements, heads, loads>, C, T>(size, splits, tolerance, 0.01F);
}
template <class C, class T>
void expect_tiles(const DecodeSize& size, Index splits, double tolerance, float factor = 0.01F) {
  expect_decode<warp::DecodeTileBlock<EmulatedMma, C, T>, C, T>(size, splits, tolerance, factor);
}

template <class Machine>
class TileDecode : public testing::Test {};
using Machines = testing::Types<EmulatedMma, EmulatedMfma>;
TYPED_TEST_SUITE(TileDecode, Machines);

/// Groups of lanes of all widths, tokens that do not fill a step, splits without tokens, groups that do not fill a
/// tile.
TYPED_TEST(TileDecode, OneQuery) {
  expect_lanes<TypeParam, float, float, 4, 1>({2, 1, 130, 64}, 2);
  expect_lanes<TypeParam, Fp16, Fp16, 8, 1>({1, 1, 75, 128}, 3);
  expect_lanes<TypeParam, Bf16, Bf16, 8, 1>({1, 1, 5, 8}, 4);
}
TYPED_TEST(TileDecode, SharedTokens) {
  expect_lanes<TypeParam, float, float, 4, 4>({1, 4, 37, 128}, 1);
  expect_lanes<TypeParam, float, float, 4, 4, 1>({2, 5, 130, 36}, 2);
  expect_lanes<TypeParam, Fp16, Fp16, 8, 4>({2, 6, 90, 64}, 2);
}
TYPED_TEST(TileDecode, Factors) {
  expect_lanes<TypeParam, std::int8_t, Fp16, 8, 1>({1, 2, 70, 64}, 1);
  expect_lanes<TypeParam, std::int8_t, Fp16, 8, 4>({2, 4, 41, 128}, 2);
}
/// Elements one by one, and several blocks of columns.
TYPED_TEST(TileDecode, UnalignedAndWideHeads) {
  expect_lanes<TypeParam, Fp16, Fp16, 1, 1>({1, 2, 33, 70}, 1);
  expect_lanes<TypeParam, float, float, 1, 1>({1, 1, 9, 3}, 1);
  expect_lanes<TypeParam, float, float, 4, 2>({1, 3, 35, 260}, 2);
}

/// On the matrix unit: items that are not whole, splits without tokens, heads that are narrower than the block, more
/// queries than a tile has rows.
TEST(TileDecodeOfMma, TypesOfTwoBytes) {
  expect_tiles<Bf16, Bf16>({2, 4, 300, 128}, 2, 0x1p-8);
  expect_tiles<Fp16, Fp16>({1, 1, 75, 72}, 3, 0x1p-11);
  expect_tiles<Fp16, Fp16>({2, 19, 37, 96}, 1, 0x1p-11);
  expect_tiles<Bf16, Bf16>({1, 9, 5, 8}, 4, 0x1p-8);
  expect_tiles<Fp16, Fp16>({2, 7, 700, 64}, 1, 0x1p-11);
}
TEST(TileDecodeOfMma, Factors) {
  expect_tiles<std::int8_t, Fp16>({2, 4, 300, 128}, 2, 0x1p-11);
  expect_tiles<std::int8_t, Fp16>({1, 12, 75, 80}, 1, 0x1p-11);
  expect_tiles<std::int8_t, Fp16>({1, 1, 5, 16}, 4, 0x1p-11);
  expect_tiles<std::int8_t, Fp16>({1, 4, 300, 128}, 2, 0x1.4p-25, 0.01F * 0x1p-11F);  // a weight times it is no fp16
}

}  // namespace
}  // namespace gable::device::tile::test
