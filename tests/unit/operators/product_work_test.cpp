#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/operator.hpp"

namespace gable {
namespace {

std::vector<Stage> work(const char* name, const Params& params, DType dtype) {
  return find_spec(name).work(params, uniform_types(dtype));
}
double gemm_intensity(Index m, Index n, Index k, DType dtype) {
  return intensity(work("gemm", {{"m", m}, {"n", n}, {"k", k}}, dtype));
}

/// 2n / (3s).
TEST(ProductWork, SquareGemmIntensities) {
  EXPECT_NEAR(gemm_intensity(4096, 4096, 4096, DType::fp32), 682.7, 0.05);
  EXPECT_NEAR(gemm_intensity(4096, 4096, 4096, DType::fp16), 1365.3, 0.05);
  EXPECT_NEAR(gemm_intensity(64, 64, 64, DType::fp32), 10.67, 0.005);
  EXPECT_NEAR(gemm_intensity(64, 64, 64, DType::bf16), 21.33, 0.005);
}

/// 2bd / (s (2b + d)), d = 4096, fp16.
TEST(ProductWork, LinearLayerIntensityGrowsWithTheBatch) {
  const std::vector<std::pair<Index, double>> cases{{1, 0.9995}, {8, 7.969},   {16, 15.88},
                                                    {32, 31.51}, {256, 227.6}, {512, 409.6}};
  for (const auto& [batch, want] : cases) {
    EXPECT_NEAR(gemm_intensity(batch, 4096, 4096, DType::fp16), want, 5e-4 * want) << batch;
  }
  EXPECT_LT(gemm_intensity(168, 4096, 4096, DType::fp16), 156);
  EXPECT_GE(gemm_intensity(169, 4096, 4096, DType::fp16), 156);
  EXPECT_LT(gemm_intensity(344, 4096, 4096, DType::fp16), 295.2);
  EXPECT_GE(gemm_intensity(345, 4096, 4096, DType::fp16), 295.2);
}

/// By hand: 2 x 300 x 500 x 700 flop; 4 x (300 x 700 + 700 x 500) and 4 x 300 x 500 bytes.
TEST(ProductWork, TransposedOperandsMoveAsMuch) {
  for (const char* name : {"gemm", "gemm_transposed_a", "gemm_transposed_b"}) {
    const auto stages = work(name, {{"m", 300}, {"n", 500}, {"k", 700}}, DType::fp32);
    EXPECT_EQ(flops(stages), 210e6) << name;
    EXPECT_EQ(stages.front().bytes_read, 2.24e6) << name;
    EXPECT_EQ(stages.front().bytes_written, 0.6e6) << name;
  }
}
TEST(ProductWork, ABatchIsAsManyProducts) {
  const auto batched = work("gemm_batched", {{"batch", 7}, {"m", 300}, {"n", 500}, {"k", 700}}, DType::fp32);
  ASSERT_EQ(batched.size(), 1U);
  EXPECT_EQ(flops(batched), 7 * 210e6);
  EXPECT_EQ(batched.front().bytes_read, 7 * 2.24e6);
  EXPECT_EQ(batched.front().bytes_written, 7 * 0.6e6);
}

/// GEMV is GEMM with one column.
TEST(ProductWork, GemvIsGemmWithOneColumn) {
  const auto gemv = work("gemv", {{"m", 300}, {"n", 500}}, DType::fp32);
  const auto gemm = work("gemm", {{"m", 300}, {"n", 1}, {"k", 500}}, DType::fp32);
  EXPECT_EQ(flops(gemv), flops(gemm));
  EXPECT_EQ(gemv.front().bytes_read, gemm.front().bytes_read);
  EXPECT_EQ(gemv.front().bytes_written, gemm.front().bytes_written);
  EXPECT_NEAR(intensity(work("gemv", {{"m", 65536}, {"n", 65536}}, DType::fp16)), 1.0, 1e-3);
}

/// 2 flop a weight of 1 byte or 1/2; with the int4 scales, 2 bytes for 128 weights: (2 + 2/128) / (1/2 + 2/128).
TEST(ProductWork, QuantisedGemvIntensities) {
  const auto one = [](DType weights, Index m, Index n) {
    const Types types{weights, DType::fp16, DType::fp16, DType::fp32, DType::fp32};
    return find_spec("gemv_quantised").work({{"m", m}, {"n", n}}, types);
  };
  EXPECT_NEAR(intensity(one(DType::int8, 65536, 65536)), 2.0, 1e-3);
  EXPECT_NEAR(intensity(one(DType::fp8_e4m3, 65536, 65536)), 2.0, 1e-3);
  EXPECT_NEAR(intensity(one(DType::int4, 65536, 65536)), 3.909, 1e-3);
  // 10 x 300: a scale a row, and three groups a row
  EXPECT_EQ(flops(one(DType::int8, 10, 300)), 6010);
  EXPECT_EQ(bytes(one(DType::int8, 10, 300)), 3000 + 20 + 600 + 20);
  EXPECT_EQ(flops(one(DType::int4, 10, 300)), 6050);
  EXPECT_EQ(bytes(one(DType::int4, 10, 300)), 1500 + 60 + 600 + 20);
  EXPECT_THROW(one(DType::int8, 10, 5), Error);
}

/// 2 x 30 x 50 x 70 flop; 30 x 70 + 70 x 50 bytes, and 4 x 30 x 50.
TEST(ProductWork, Int8ProductWritesInt32) {
  const OperatorSpec& spec = find_spec("gemm_int8");
  const auto stages = spec.work({{"m", 30}, {"n", 50}, {"k", 70}}, spec.types.front());
  EXPECT_EQ(flops(stages), 210e3);
  EXPECT_EQ(stages.front().bytes_read, 5600);
  EXPECT_EQ(stages.front().bytes_written, 6000);
  EXPECT_NO_THROW(spec.work({{"m", 1}, {"n", 1}, {"k", 131071}}, spec.types.front()));
  EXPECT_THROW(spec.work({{"m", 1}, {"n", 1}, {"k", 131072}}, spec.types.front()), Error);
}

Params attention(Index h, Index kv, Index l, Index d, const char* mask) {
  return {{"h", h}, {"kv", kv}, {"l", l}, {"d", d}, {"mask", mask}};
}

/// By hand, fp16: the product of 30 x 50 x 70 and, per element of C, a sum and gelu's 9.
TEST(ProductWork, EpilogueIsWorkOfTheSameLaunch) {
  const auto stages = work("gemm_bias_gelu", {{"m", 30}, {"n", 50}, {"k", 70}}, DType::fp16);
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(flops(stages), 210e3 + 15e3);
  EXPECT_EQ(stages.front().bytes_read, 2 * (2100 + 3500 + 50));
  EXPECT_EQ(stages.front().bytes_written, 2 * 1500);
}

/// m = 10, d = 20, h = 80, fp16. Fusing saves what the passes over the hidden layer and the result read and write.
TEST(ProductWork, FusedMlpMovesLess) {
  const Params params{{"m", 10}, {"d", 20}, {"h", 80}};
  const auto fused = work("mlp_fused", params, DType::fp16), unfused = work("mlp_unfused", params, DType::fp16);
  ASSERT_EQ(fused.size(), 2U);
  ASSERT_EQ(unfused.size(), 4U);
  EXPECT_EQ(flops(fused), 4 * 16000 + 10 * 800 + 200);
  EXPECT_EQ(flops(unfused), flops(fused));
  EXPECT_EQ(bytes(fused), 2 * ((200 + 1600 + 80 + 800) + (800 + 1600 + 20 + 200)));
  EXPECT_EQ(bytes(unfused), bytes(fused) + 2 * (2 * 800 + 2 * 200));
}

struct AttentionCase {
  Index l;
  double products, three_passes, three_pass_intensity, fused_intensity, reduction;
};

/// d = 64, fp16, one head. The model's intensities are of the products alone; the softmax adds 5 l^2 flop.
TEST(ProductWork, AttentionWithBothAccountings) {
  const AttentionCase cases[] = {{2048, 1.0737e9, 26.214e6, 40.96, 1024, 25.0},
                                 {8192, 17.1799e9, 406.847e6, 42.23, 4096, 97.0}};
  for (const AttentionCase& want : cases) {
    const Params params = attention(1, 1, want.l, 64, "none");
    const auto naive = work("attention_naive", params, DType::fp16);
    const auto fused = work("attention_fused", params, DType::fp16);
    ASSERT_EQ(naive.size(), 3U);
    ASSERT_EQ(fused.size(), 1U);
    const double square = static_cast<double>(want.l) * static_cast<double>(want.l);
    const double products = flops(naive[0]) + flops(naive[2]);
    EXPECT_NEAR(products, want.products, 1e-4 * want.products);
    EXPECT_EQ(flops(naive), products + 5 * square);
    EXPECT_EQ(flops(fused), flops(naive));
    // The third accounting of the literature leaves out one of the four passes over the scores.
    const double three_passes = bytes(naive) - naive[1].bytes_read;
    EXPECT_NEAR(three_passes, want.three_passes, 1e-4 * want.three_passes);
    EXPECT_NEAR(products / three_passes, want.three_pass_intensity, 0.005);
    EXPECT_NEAR(products / bytes(fused), want.fused_intensity, 1e-9);
    EXPECT_NEAR(three_passes / bytes(fused), want.reduction, 0.05);
  }
}

TEST(ProductWork, NaiveAttentionMovesFourPassesOverTheScores) {
  const auto naive = work("attention_naive", attention(1, 1, 2048, 64, "none"), DType::fp16);
  EXPECT_NEAR(bytes(naive), 34.603e6, 1e3);
  EXPECT_NEAR((flops(naive[0]) + flops(naive[2])) / bytes(naive), 31.03, 0.005);
  const auto heads = work("attention_naive", attention(7, 7, 2048, 64, "none"), DType::fp16);
  EXPECT_EQ(bytes(heads), 7 * bytes(naive));
  EXPECT_EQ(flops(heads), 7 * flops(naive));
}

/// l (l + 1) / 2 of l^2 scores. The naive way multiplies, writes and reads all of them; its softmax takes those that
/// are seen.
TEST(ProductWork, CausalAttentionIsTheUsefulHalfAndTheNaiveWayDoesBoth) {
  constexpr double all = 2048.0 * 2048, seen = 2048.0 * 2049 / 2;
  EXPECT_EQ(flops(work("attention_fused", attention(3, 3, 2048, 64, "causal"), DType::fp16)), 3 * seen * (4 * 64 + 5));
  EXPECT_EQ(flops(work("attention_naive", attention(3, 3, 2048, 64, "causal"), DType::fp16)),
            3 * (all * 4 * 64 + seen * 5));
  EXPECT_EQ(bytes(work("attention_fused", attention(1, 1, 2048, 64, "causal"), DType::fp16)), 4 * 2048 * 64 * 2);
  EXPECT_EQ(bytes(work("attention_naive", attention(1, 1, 2048, 64, "causal"), DType::fp16)),
            2 * (4 * 2048 * 64 + 2 * all + 2 * seen));
}

/// Per head of Q: s (2 ld + 2 ld / g).
TEST(ProductWork, GroupedQueriesShareTheBytesOfKeysAndValues) {
  const auto grouped = work("attention_fused", attention(32, 8, 1024, 128, "none"), DType::fp16);
  EXPECT_EQ(bytes(grouped), 32 * 2 * (2 * 1024 * 128 + 2 * 1024 * 128 / 4));
  EXPECT_EQ(flops(grouped), flops(work("attention_fused", attention(32, 32, 1024, 128, "none"), DType::fp16)));
}

Params decode(Index b, Index h, Index kv, Index s, Index d) {
  return {{"b", b}, {"h", h}, {"kv", kv}, {"s", s}, {"d", d}};
}

/// The products' intensity is 2 g / (bytes of an element) towards long caches: 1 for fp16 without groups.
TEST(ProductWork, DecodeIntensityIsThatOfTheGroup) {
  const auto products = [](const std::vector<Stage>& stages) {
    return stages.front().work.front().operations / bytes(stages);
  };
  EXPECT_NEAR(products(work("attention_decode", decode(1, 8, 8, 1 << 20, 128), DType::fp16)), 1.0, 1e-5);
  EXPECT_NEAR(products(work("attention_decode", decode(1, 32, 8, 1 << 20, 128), DType::fp16)), 4.0, 1e-4);
  EXPECT_NEAR(products(work("attention_decode", decode(1, 8, 8, 1 << 20, 128), DType::fp32)), 0.5, 1e-5);
}

TEST(ProductWork, DecodeCountsCacheQueriesAndFactors) {
  const Params params = decode(2, 8, 4, 1000, 64);
  const auto half = work("attention_decode", params, DType::fp16);
  EXPECT_EQ(flops(half), 2 * 8 * 1000 * (4 * 64 + 5));
  EXPECT_EQ(half.front().bytes_read, 2 * 2 * 4 * 1000 * 64 * 2 + 2 * 8 * 64 * 2);
  EXPECT_EQ(half.front().bytes_written, 2 * 8 * 64 * 2);
  const Types quantised{DType::int8, DType::fp16, DType::fp16, DType::fp32, DType::fp32};
  const auto eight = find_spec("attention_decode").work(params, quantised);
  EXPECT_EQ(flops(eight), 2 * 8 * 1000 * (4 * 64 + 7));
  EXPECT_EQ(eight.front().bytes_read, 2 * 2 * 4 * 1000 * (64 + 4) + 2 * 8 * 64 * 2);
  EXPECT_THROW(work("attention_decode", decode(2, 8, 3, 1000, 64), DType::fp16), Error);
}

TEST(ProductWork, HeadsAndMasksThatDoNotGoTogetherAreRefused) {
  for (const char* name : {"attention_naive", "attention_fused"}) {
    EXPECT_THROW(work(name, attention(4, 3, 8, 8, "none"), DType::fp32), Error) << name;
    EXPECT_THROW(work(name, attention(4, 8, 8, 8, "none"), DType::fp32), Error) << name;
    EXPECT_THROW(work(name, attention(4, 2, 8, 8, "window"), DType::fp32), Error) << name;
  }
}

TEST(ProductWork, ScoresThatOverflowAreRefused) {
  const Index huge = Index{1} << 31;
  EXPECT_THROW(work("attention_naive", attention(1, 1, huge, 1, "none"), DType::fp32), Error);
  EXPECT_THROW(work("attention_fused", attention(1, 1, huge, 1, "none"), DType::fp32), Error);
  EXPECT_NO_THROW(work("attention_fused", attention(1, 1, 1 << 20, 1, "none"), DType::fp32));
}

/// Of C: blocks of 128 rows x 256 columns in each of `count` products.
Index blocks(Index count, Index m, Index n) { return count * ((m + 127) / 128) * ((n + 255) / 256); }

/// What a conformance size has of each of its products, at least.
struct GroupProduct {
  Index blocks, depth;
  std::vector<Index> rows;  ///< lengths of the operands' rows, elements
};

/// GPUs of sm_90a have at most 132 multiprocessors, and a product is by warpgroups from three quarters of these on. A
/// ring has at most four panels of 128 bytes, and rows of whole 16 bytes are copied as such.
bool fills_warpgroups(const GroupProduct& product, Index element_bytes) {
  const auto whole = [&](Index row) { return row * element_bytes % 16 == 0; };
  return product.blocks >= 132 * 3 / 4 && product.depth * element_bytes > 4 * 128 &&
         std::ranges::all_of(product.rows, whole);
}

void expect_a_size_for_warpgroups(const char* name, Index element_bytes, GroupProduct (*product)(const Params&)) {
  const auto sizes = find_spec(name).conformance_params();
  EXPECT_TRUE(std::ranges::any_of(sizes, [&](const Params& p) { return fills_warpgroups(product(p), element_bytes); }))
      << name;
}

TEST(ProductConformance, HasASizeThatWarpgroupsMultiplyInAFullRing) {
  const auto one = [](const Params& p) {
    const Index m = p.at("m"), n = p.at("n"), k = p.at("k");
    return GroupProduct{blocks(1, m, n), k, {m, n, k}};
  };
  for (const char* name : {"gemm", "gemm_transposed_a", "gemm_transposed_b", "gemm_bias_gelu"}) {
    expect_a_size_for_warpgroups(name, 2, one);
  }
  expect_a_size_for_warpgroups("gemm_int8", 1, [](const Params& p) {
    return GroupProduct{blocks(1, p.at("m"), p.at("n")), p.at("k"), {p.at("k")}};
  });
  expect_a_size_for_warpgroups("gemm_batched", 2, [](const Params& p) {
    const Index m = p.at("m"), n = p.at("n"), k = p.at("k");
    return GroupProduct{blocks(p.at("batch"), m, n), k, {n, k}};
  });
  for (const char* name : {"mlp_fused", "mlp_unfused"}) {
    expect_a_size_for_warpgroups(name, 2, [](const Params& p) {
      const Index m = p.at("m"), d = p.at("d"), h = p.at("h");
      return GroupProduct{std::min(blocks(1, m, h), blocks(1, m, d)), std::min(d, h), {d, h}};
    });
  }
  expect_a_size_for_warpgroups("attention_naive", 2, [](const Params& p) {
    const Index l = p.at("l"), d = p.at("d"), rows = p.at("h") / p.at("kv") * l;
    return GroupProduct{std::min(blocks(p.at("kv"), rows, l), blocks(p.at("kv"), rows, d)), std::min(l, d), {l, d}};
  });
}

}  // namespace
}  // namespace gable
