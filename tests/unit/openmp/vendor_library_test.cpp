#include "backends/openmp/vendor_library.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>

#include "backends/openmp/binding.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "backends/openmp/topology.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

Types of(DType storage, DType out, DType accumulate) { return {storage, storage, out, accumulate, accumulate}; }
const Types fp64 = of(DType::fp64, DType::fp64, DType::fp64);
const Types fp32 = of(DType::fp32, DType::fp32, DType::fp32);
const Types bf16 = of(DType::bf16, DType::fp32, DType::fp32);
const Types int8 = of(DType::int8, DType::int32, DType::int32);

constexpr double untouched = -777.0;

std::unique_ptr<VendorLibrary> library() { return make_vendor_library(select(read_topology(), Scope::node, 0).cpus); }

/// Matrices with row strides beyond their widths, small integers so that every product is exact in every type.
template <class In, class Out>
struct Problem {
  std::int64_t m, n, k, lda, ldb, ldc;
  std::vector<In> a, b;
  std::vector<Out> c;

  Problem(std::int64_t rows, std::int64_t columns, std::int64_t inner, In (*convert)(int))
      : m(rows), n(columns), k(inner), lda(k + 3), ldb(n + 5), ldc(n + 2) {
    std::mt19937 random(42);
    std::uniform_int_distribution<int> value(-4, 4);
    a.resize(static_cast<std::size_t>(m * lda));
    b.resize(static_cast<std::size_t>(k * ldb));
    c.assign(static_cast<std::size_t>(m * ldc), static_cast<Out>(untouched));
    for (auto& x : a) x = convert(value(random));
    for (auto& x : b) x = convert(value(random));
  }

  GemmCall call(const Types& types) { return {m, n, k, lda, ldb, ldc, types, a.data(), b.data(), c.data(), nullptr}; }

  void check(double (*value)(In)) const {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < ldc; ++j) {
        double want = untouched;
        if (j < n) {
          want = 0.0;
          for (std::int64_t p = 0; p < k; ++p) {
            want += value(a[static_cast<std::size_t>(i * lda + p)]) * value(b[static_cast<std::size_t>(p * ldb + j)]);
          }
        }
        ASSERT_EQ(static_cast<double>(c[static_cast<std::size_t>(i * ldc + j)]), want) << i << ", " << j;
      }
    }
  }
};

template <class T>
T plain(int value) {
  return static_cast<T>(value);
}
template <class T>
double widened(T value) {
  return static_cast<double>(value);
}
std::uint16_t to_bf16(int value) {
  const float number = static_cast<float>(value);
  std::uint32_t bits{};
  std::memcpy(&bits, &number, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}
double from_bf16(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float number{};
  std::memcpy(&number, &wide, sizeof number);
  return number;
}

constexpr std::int64_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 1, 33}, {64, 129, 31}};

template <class In, class Out>
void gemm_is_exact(const Types& types, In (*convert)(int), double (*value)(In)) {
  const auto libraries = library();
  if (const auto reason = libraries->refuses_gemm(types); !reason.empty()) {
    Problem<In, Out> problem(2, 2, 2, convert);
    EXPECT_THROW(libraries->gemm(problem.call(types)), std::exception) << "refused, yet it ran: " << reason;
    GTEST_SKIP() << reason;
  }
  EXPECT_FALSE(libraries->name(types).empty());
  for (const auto& [m, n, k] : shapes) {
    Problem<In, Out> problem(m, n, k, convert);
    libraries->gemm(problem.call(types));
    problem.check(value);
  }
}

template <class In, class Out>
void gemv_is_exact(const Types& types, In (*convert)(int), double (*value)(In)) {
  const auto libraries = library();
  if (const auto reason = libraries->refuses_gemv(types); !reason.empty()) GTEST_SKIP() << reason;
  for (const auto& [m, n, unused] : {std::array<std::int64_t, 3>{1, 1, 0}, {7, 13, 0}, {65, 31, 0}}) {
    Problem<In, Out> matrix(m, 1, n, convert);
    std::vector<In> x;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(matrix.b[static_cast<std::size_t>(i * matrix.ldb)]);
    std::vector<Out> y(static_cast<std::size_t>(m) + 1, static_cast<Out>(untouched));
    libraries->gemv({m, n, matrix.lda, types, matrix.a.data(), x.data(), y.data(), nullptr});
    for (std::int64_t i = 0; i < m; ++i) {
      double want = 0.0;
      for (std::int64_t j = 0; j < n; ++j) {
        want += value(matrix.a[static_cast<std::size_t>(i * matrix.lda + j)]) * value(x[static_cast<std::size_t>(j)]);
      }
      EXPECT_EQ(static_cast<double>(y[static_cast<std::size_t>(i)]), want);
    }
    EXPECT_EQ(static_cast<double>(y.back()), untouched);
  }
}

TEST(VendorLibrary, GemmFp64) { gemm_is_exact<double, double>(fp64, plain, widened); }
TEST(VendorLibrary, GemmFp32) { gemm_is_exact<float, float>(fp32, plain, widened); }
TEST(VendorLibrary, GemmBf16) { gemm_is_exact<std::uint16_t, float>(bf16, to_bf16, from_bf16); }
TEST(VendorLibrary, GemmInt8) { gemm_is_exact<std::int8_t, std::int32_t>(int8, plain, widened); }
TEST(VendorLibrary, GemvFp64) { gemv_is_exact<double, double>(fp64, plain, widened); }
TEST(VendorLibrary, GemvFp32) { gemv_is_exact<float, float>(fp32, plain, widened); }
TEST(VendorLibrary, GemvBf16) { gemv_is_exact<std::uint16_t, float>(bf16, to_bf16, from_bf16); }
TEST(VendorLibrary, GemvInt8) { gemv_is_exact<std::int8_t, std::int32_t>(int8, plain, widened); }

TEST(VendorLibrary, RefusalsNameTheType) {
  const auto libraries = library();
  for (const DType type : {DType::fp8_e4m3, DType::int4}) {
    const auto types = of(type, DType::fp32, DType::fp32);
    EXPECT_NE(libraries->refuses_gemm(types).find(to_string(type)), std::string::npos);
    EXPECT_NE(libraries->refuses_gemv(types).find(to_string(type)), std::string::npos);
    EXPECT_THROW(libraries->gemm({1, 1, 1, 1, 1, 1, types, nullptr, nullptr, nullptr, nullptr}), Error);
  }
  EXPECT_FALSE(libraries->refuses_gemm({DType::fp64, DType::fp32, DType::fp64, DType::fp64, DType::fp64}).empty());
}

TEST(VendorLibrary, MakingItLeavesAPinnedThreadPinned) {
  const auto cpus = select(read_topology(), Scope::node, 0).cpus;
  PinnedThreads pinned(cpus);
  const auto before = cpus_of_this_thread();
  EXPECT_EQ(before, std::vector<int>{cpus.front()});
  const auto libraries = make_vendor_library(cpus);
  EXPECT_EQ(cpus_of_this_thread(), before);
}

TEST(VendorLibrary, EveryLibraryHasANameAndAVersion) {
  std::set<std::string> names;
  for (const auto& [name, version] : library_versions()) {
    names.insert(name);
    EXPECT_TRUE(std::any_of(version.begin(), version.end(), [](unsigned char c) { return std::isdigit(c); }))
        << name << " " << version;
  }
  for (const char* name : {"Highway", "hwloc", "OpenMP"}) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace gable::openmp
