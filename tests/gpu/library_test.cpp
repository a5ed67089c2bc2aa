// The vendor's library behind core's contract.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/library.hpp"
#include "backends/gpu/operands.hpp"
#include "tests/gpu/usable_device.hpp"

namespace gable::gpu::test {
namespace {

class Library : public NeedsDevice<testing::TestWithParam<DType>> {};

Buffer uploaded(DType type, const std::vector<double>& values) {
  const auto bytes = encode(type, values);
  Buffer buffer(bytes.size());
  copy_async(buffer.as<void>(), bytes.data(), bytes.size(), Copy::to_device, Stream{});
  synchronize();
  return buffer;
}

std::vector<double> downloaded(DType type, const Buffer& buffer) {
  std::vector<std::byte> bytes(buffer.size_bytes());
  copy_async(bytes.data(), buffer.as<void>(), bytes.size(), Copy::to_host, Stream{});
  synchronize();
  return decode(type, bytes, bytes.size() / static_cast<std::size_t>(size_bytes(type)));
}

/// Whole numbers from -2 to 2 in a [rows, columns] matrix whose rows are `stride` elements apart.
std::vector<double> whole(std::int64_t rows, std::int64_t stride, std::uint64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(rows * stride));
  std::uint64_t state = seed;
  for (auto& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(state >> 33 & 3U) - 1.0;
  }
  return values;
}

/// Sizes that miss every tile, rows with gaps: an index that is exchanged anywhere gives another matrix.
TEST_P(Library, GemmIsRowMajorWithStrides) {
  const DType type = GetParam();
  const auto library = make_vendor_library();
  const auto types = uniform_types(type);
  const auto refused = library->refuses_gemm(types);
  if (!refused.empty()) GTEST_SKIP() << refused;
  constexpr std::int64_t m = 40, n = 24, k = 56, lda = 64, ldb = 32, ldc = 48;
  const auto a = whole(m, lda, 1);
  const auto b = whole(k, ldb, 2);
  const auto left = uploaded(type, a);
  const auto right = uploaded(type, b);
  const auto result = uploaded(type, std::vector<double>(static_cast<std::size_t>(m * ldc), 7.0));
  library->gemm({m, n, k, lda, ldb, ldc, types, left.as<void>(), right.as<void>(), result.as<void>(), nullptr});
  const auto c = downloaded(type, result);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < ldc; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k && j < n; ++l) {
        sum += a[static_cast<std::size_t>(i * lda + l)] * b[static_cast<std::size_t>(l * ldb + j)];
      }
      ASSERT_EQ(c[static_cast<std::size_t>(i * ldc + j)], j < n ? sum : 7.0) << i << ", " << j;
    }
  }
}

TEST_P(Library, GemvIsRowMajorWithStrides) {
  const DType type = GetParam();
  const auto library = make_vendor_library();
  const auto types = uniform_types(type);
  const auto refused = library->refuses_gemv(types);
  if (!refused.empty()) GTEST_SKIP() << refused;
  constexpr std::int64_t m = 40, n = 56, lda = 64;
  const auto a = whole(m, lda, 3);
  const auto x = whole(1, n, 4);
  const auto matrix = uploaded(type, a);
  const auto vector = uploaded(type, x);
  const auto result = uploaded(type, std::vector<double>(static_cast<std::size_t>(m), 7.0));
  library->gemv({m, n, lda, types, matrix.as<void>(), vector.as<void>(), result.as<void>(), nullptr});
  const auto y = downloaded(type, result);
  for (std::int64_t i = 0; i < m; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < n; ++j)
      sum += a[static_cast<std::size_t>(i * lda + j)] * x[static_cast<std::size_t>(j)];
    ASSERT_EQ(y[static_cast<std::size_t>(i)], sum) << i;
  }
}

/// What the library ceilings multiply: k contiguous in both factors, which fp8 and int8 need, in the types of their
/// rows.
struct Multiplied {
  DType storage, accumulate, out;
};
class ContiguousK : public NeedsDevice<testing::TestWithParam<Multiplied>> {};

/// fp8 products need compute capability 8.9, those of block-scaled types 10.0 (cuBLAS, cublasLtMatmul()); on AMD, tf32
/// and the FNUZ kinds are gfx942's, OCP's kinds gfx950's (hipBLASLt, supported data types). int8 is on all that can be
/// built for.
bool library_has(DType storage) {
  const bool blocks = is_block_scaled(storage);
  if (built_for().backend == "hip") {
    if (blocks) return false;
    return storage == DType::int8 || built_for().arch == (storage == DType::fp8_e4m3 ? "gfx950" : "gfx942");
  }
  if (storage == DType::fp8_e4m3fnuz) return false;
  const auto inventory = query_devices();
  const auto device = find_facts(inventory, built_for(), built_for().backend + ":" + std::to_string(device_index()));
  if (blocks) return device.major >= 10;
  return storage != DType::fp8_e4m3 || device.major > 8 || device.minor >= 9;
}

/// Sizes are multiples of 16 and strides of 128, as fp8, int8 and types of four bits demand; whole numbers from -1 to
/// 2, whose sums of 64 products bf16 holds exactly.
TEST_P(ContiguousK, GemmIsAByBTransposed) {
  const auto& tested = GetParam();
  if (library_versions().empty()) GTEST_SKIP() << plan_gemm({}).reason;
  if (!library_has(tested.storage)) GTEST_SKIP() << "no " << to_string(tested.storage) << " on this device";
  auto types = uniform_types(tested.storage);
  types.accumulate = tested.accumulate;
  types.out = tested.out;
  constexpr std::int64_t m = 48, n = 32, k = 64, lda = 128, ldb = 256, ldc = 64;
  auto planned = plan_gemm({m, n, k, lda, ldb, ldc, types, true});
  ASSERT_TRUE(planned.plan) << planned.reason;
  const auto a = whole(m, lda, 5);
  const auto b = whole(n, ldb, 6);
  const auto left = uploaded(tested.storage, a);
  const auto right = uploaded(tested.storage, b);
  const auto result = uploaded(tested.out, std::vector<double>(static_cast<std::size_t>(m * ldc), 7.0));
  planned.plan->enqueue(left.as<void>(), right.as<void>(), result.as<void>(), nullptr);
  const auto c = downloaded(tested.out, result);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < ldc; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k && j < n; ++l) {
        sum += a[static_cast<std::size_t>(i * lda + l)] * b[static_cast<std::size_t>(j * ldb + l)];
      }
      ASSERT_EQ(c[static_cast<std::size_t>(i * ldc + j)], j < n ? sum : 7.0) << i << ", " << j;
    }
  }
}

/// cuBLASLt's heuristic would not say it.
TEST(LibraryTypes, TwoFactorsOfFp8E5m2AreRefusedWithTheReason) {
  if (library_versions().empty()) GTEST_SKIP() << plan_gemm({}).reason;
  if (built_for().backend != "cuda") GTEST_SKIP() << "a rule of cuBLASLt";
  auto types = uniform_types(DType::fp8_e5m2);
  types.accumulate = DType::fp32;
  types.out = DType::bf16;
  const auto planned = plan_gemm({64, 64, 64, 64, 64, 64, types, true});
  EXPECT_FALSE(planned.plan);
  EXPECT_NE(planned.reason.find("one factor at most is fp8_e5m2"), std::string::npos) << planned.reason;
}

/// cuBLASLt has no kernels of six bits, and none of four without scales.
TEST(LibraryTypes, OthersOfLessThanEightBitsAreRefusedWithTheReason) {
  if (library_versions().empty()) GTEST_SKIP() << plan_gemm({}).reason;
  if (built_for().backend != "cuda") GTEST_SKIP() << "a rule of cuBLASLt";
  for (const auto type : {DType::fp6_e2m3, DType::mxfp6_e3m2, DType::fp4_e2m1}) {
    auto types = uniform_types(type);
    types.out = DType::bf16;
    const auto planned = plan_gemm({64, 64, 64, 64, 64, 64, types, true});
    EXPECT_FALSE(planned.plan);
    EXPECT_NE(planned.reason.find("scales of blocks"), std::string::npos) << planned.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Vendor, ContiguousK,
                         testing::Values(Multiplied{DType::tf32, DType::fp32, DType::fp32},
                                         Multiplied{DType::fp8_e4m3, DType::fp32, DType::bf16},
                                         Multiplied{DType::fp8_e4m3fnuz, DType::fp32, DType::bf16},
                                         Multiplied{DType::mxfp8_e4m3, DType::fp32, DType::bf16},
                                         Multiplied{DType::nvfp4, DType::fp32, DType::bf16},
                                         Multiplied{DType::int8, DType::int32, DType::int32}),
                         [](const auto& tested) { return std::string(to_string(tested.param.storage)); });
INSTANTIATE_TEST_SUITE_P(Vendor, Library, testing::Values(DType::fp64, DType::fp32, DType::fp16, DType::bf16),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace gable::gpu::test
