// What the compute ceilings' kernels compute: a ceiling that computes something else measures something else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/gpu/benchmarks/benchmarks.hpp"
#include "backends/gpu/operands.hpp"
#include "tests/gpu/usable_device.hpp"

namespace gable::gpu::test {
namespace {

std::vector<ComputeKernel> kernels(bool matrix) {
  std::vector<ComputeKernel> found;
  for (const auto& kernel : compute_kernels()) {
    if (kernel.reason.empty() && (kernel.unit == Unit::matrix) == matrix) found.push_back(kernel);
  }
  return found;
}

std::string test_name(const testing::TestParamInfo<ComputeKernel>& info) {
  auto name = fmt::format("{}_{}_in_{}_{}", to_string(info.param.unit), to_string(info.param.storage),
                          to_string(info.param.accumulate), info.param.instruction);
  std::ranges::replace(name, '.', '_');
  return name;
}

class MatrixKernel : public NeedsDevice<testing::TestWithParam<ComputeKernel>> {};
class ChainKernel : public NeedsDevice<testing::TestWithParam<ComputeKernel>> {};

/// Whole numbers: every sum is exact in every accumulator, so a wrong fragment or descriptor shows as a wrong element.
TEST_P(MatrixKernel, IsTheProductTimesTheIterations) {
  const auto& kernel = GetParam();
  const auto factors = whole_factors(kernel, 5);
  const auto once = product(kernel, factors);
  for (const std::uint32_t iterations : {1U, 2U}) {
    const auto found = matrix_results(kernel, factors, iterations);
    ASSERT_EQ(found.size(), once.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      ASSERT_EQ(found[i], iterations * once[i])
          << "row " << i / static_cast<std::size_t>(kernel.n) << ", column " << i % static_cast<std::size_t>(kernel.n);
    }
  }
}

/// One step of a chain as compute_vector.cpp and gpu_math.hpp document it, rounded to the type.
double step(const ComputeKernel& kernel, double x, double c) {
  if (kernel.unit == Unit::convert) return x;  // a pair exchanges its halves an even number of times
  if (kernel.unit == Unit::divide) return 1 / x;
  if (kernel.instruction == "exp2_negated") return std::exp2(-x);
  if (kernel.unit == Unit::exp) return kernel.storage == DType::fp32 ? c - std::exp2(x) : c - std::exp(x);
  if (kernel.storage == DType::fp64) return std::fma(x, x, c);
  if (kernel.storage == DType::fp32) {
    return std::fma(static_cast<float>(x), static_cast<float>(x), static_cast<float>(c));
  }
  return decode(kernel.storage, encode(kernel.storage, std::vector<double>{x * x + c}), 1).front();
}

/// A double as a chain begins with it: 2-byte types by way of fp32.
double started(DType type, double x) {
  const double narrowed = type == DType::fp64 ? x : static_cast<double>(static_cast<float>(x));
  return decode(type, encode(type, std::vector<double>{narrowed}), 1).front();
}

/// The value that chain k of a thread ends with; `half` of a pair.
double expected(const ComputeKernel& kernel, double start, double constant, int half, int steps) {
  const double u = half == 0 ? start : 1.0 - start;
  const double v = half == 0 ? constant : 1.0 - constant;
  const bool exponential = kernel.unit == Unit::exp, reciprocal = kernel.unit == Unit::divide;
  const double offset = kernel.storage == DType::fp32 ? 2.75 : 1.75;
  double x = started(kernel.storage, exponential ? u : reciprocal ? 0.5 + u : 3.5 * u - 1.75);
  const double c = started(kernel.storage, exponential ? offset + 0.25 * v : -1.6875 - 0.25 * v);
  for (int s = 0; s < steps; ++s) x = step(kernel, x, c);
  return x;
}

/// Number `which` of the four of a dual_fmac, whose constant is that of the wave's first lane.
double expected_of_dual(double start, double constant, int which, int steps) {
  float p = static_cast<float>(3.5 * start - 1.75);
  float q = -p;
  float r = -p;
  float s = p;
  const auto c = static_cast<float>(0.25 + 0.25 * constant);
  for (int i = 0; i < steps; ++i) {
    p = std::fma(c, q, p);
    s = std::fma(-c, r, s);
    q = std::fma(-c, p, q);
    r = std::fma(c, s, r);
  }
  return std::vector<float>{p, q, r, s}[static_cast<std::size_t>(which)];
}

std::int32_t expected_integer(const ComputeKernel& kernel, double start, double constant, int steps) {
  auto x = static_cast<std::uint32_t>(start * 0x1p32);
  auto c = static_cast<std::uint32_t>(constant * 0x1p32);
  if (kernel.storage == DType::int32) c = (c & ~7U) | 5U;
  for (int s = 0; s < steps; ++s) {
    if (kernel.storage == DType::int32) {
      x = x * c + c;
      continue;
    }
    std::int32_t sum = 0;
    for (int byte = 0; byte < 4; ++byte) {
      sum += static_cast<std::int8_t>(x >> (8 * byte)) * static_cast<std::int8_t>(c >> (8 * byte));
    }
    x += static_cast<std::uint32_t>(sum);
  }
  return static_cast<std::int32_t>(x);
}

TEST_P(ChainKernel, EveryThreadEndsWhereItsChainsLead) {
  const auto& kernel = GetParam();
  const std::uint32_t iterations = kernel.unit == Unit::divide ? 3 : 2;  // 1 / (1 / x) is what a chain began with
  const auto operands = chain_values(11);
  const bool integer = is_integer(kernel.storage);
  const auto type = integer ? DType::int32 : kernel.storage;
  const auto value_bytes = static_cast<std::size_t>(size_bytes(type)) * static_cast<std::size_t>(kernel.packed);
  const auto stored = chain_results(kernel, operands, iterations, value_bytes);
  const auto found = decode(type, stored, stored.size() / static_cast<std::size_t>(size_bytes(type)));
  const int steps = kernel.steps * static_cast<int>(iterations);
  const bool double_exp = kernel.unit == Unit::exp && kernel.storage == DType::fp64;
  const bool estimated = kernel.unit == Unit::exp || kernel.unit == Unit::divide;
  const double tolerance = double_exp ? 1e-12 : estimated ? 1e-3 : 0.0;
  const bool dual = kernel.instruction == "dual_fmac";
  constexpr int wave = 32;
  const auto first_of = [&](int thread) {
    return static_cast<std::size_t>(thread) * static_cast<std::size_t>(kernel.chains + 1);
  };
  for (int thread = 0; thread < kernel.threads; ++thread) {
    const auto first = first_of(thread);
    const auto constants = dual ? first_of(thread / wave * wave) : first;
    const double constant = operands[(constants + static_cast<std::size_t>(kernel.chains)) % operands.size()];
    for (int k = 0; k < kernel.chains; ++k) {
      const double start = operands[(first + static_cast<std::size_t>(k)) % operands.size()];
      for (int half = 0; half < kernel.packed; ++half) {
        const double value = found[static_cast<std::size_t>((thread * kernel.chains + k) * kernel.packed + half)];
        const double right = integer ? expected_integer(kernel, start, constant, steps)
                             : dual  ? expected_of_dual(start, constant, half, steps)
                                     : expected(kernel, start, constant, half, steps);
        ASSERT_NEAR(value, right, tolerance) << "thread " << thread << ", chain " << k << ", half " << half;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compute, MatrixKernel, testing::ValuesIn(kernels(true)), test_name);
INSTANTIATE_TEST_SUITE_P(Compute, ChainKernel, testing::ValuesIn(kernels(false)), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MatrixKernel);  // an architecture may have none yet

}  // namespace
}  // namespace gable::gpu::test
