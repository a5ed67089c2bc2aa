#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

#include "core/operator.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

TEST(GridWork, TooManyStepsAreRefused) {
  const Params params{{"nx", 8}, {"ny", 8}, {"nz", 8}, {"steps", 33}};
  EXPECT_EQ(error_of([&] { find_spec("stencil7_blocked").work(params, uniform_types(DType::fp64)); }),
            "stencil7_blocked: 'steps' is 33, at most 32");
}

/// The definition, term by term.
std::complex<double> plain_transform(const std::vector<double>& x, const std::array<Index, 3>& n,
                                     const std::array<Index, 3>& k) {
  std::complex<double> sum;
  for (Index z = 0; z < n[2]; ++z) {
    for (Index y = 0; y < n[1]; ++y) {
      for (Index i = 0; i < n[0]; ++i) {
        const auto turn = [](Index a, Index b, Index size) {
          return static_cast<double>(a * b % size) / static_cast<double>(size);
        };
        const double angle = -2 * std::numbers::pi * (turn(i, k[0], n[0]) + turn(y, k[1], n[1]) + turn(z, k[2], n[2]));
        const auto at = static_cast<std::size_t>(2 * ((z * n[1] + y) * n[0] + i));
        sum += std::complex<double>(x[at], x[at + 1]) * std::polar(1.0, angle);
      }
    }
  }
  return sum;
}

TEST(FftReference, IsTheTransformByDefinition) {
  const std::array<Index, 3> n{12, 5, 9};
  const auto points = static_cast<std::size_t>(n[0] * n[1] * n[2]);
  std::vector<std::vector<double>> x(1), y(1, std::vector<double>(2 * points));
  for (std::size_t i = 0; i < 2 * points; ++i) x[0].push_back(static_cast<double>(i * 31 % 101) / 101 - 0.5);
  find_spec("fft3d").reference({{"nx", n[0]}, {"ny", n[1]}, {"nz", n[2]}}, x, y);
  for (Index z = 0; z < n[2]; ++z) {
    for (Index j = 0; j < n[1]; ++j) {
      for (Index i = 0; i < n[0]; ++i) {
        const auto want = plain_transform(x[0], n, {i, j, z});
        const auto at = static_cast<std::size_t>(2 * ((z * n[1] + j) * n[0] + i));
        EXPECT_NEAR(y[0][at], want.real(), 1e-11);
        EXPECT_NEAR(y[0][at + 1], want.imag(), 1e-11);
      }
    }
  }
}

/// What `measure` runs fills what the model asks for: 0.6 of the L2, and five times all caches.
TEST(GridWork, DefaultGridsFillTheirWorkingSets) {
  DeviceInfo device;
  device.memory = {{"L2", 1024.0 * 1024, 2, 1, 64, "test"},
                   {"L3", 32.0 * 1024 * 1024, 1, 2, 64, "test"},
                   {"DRAM", 16e9, 1, 2, 64, "test"}};
  const OperatorSpec& spec = find_spec("stencil7");
  for (const Types& types : spec.types) {
    const auto sizes = spec.default_params(device, types);
    ASSERT_EQ(sizes.size(), 2U);
    const double want[] = {0.6 * 2 * 1024 * 1024, 5 * 34.0 * 1024 * 1024};
    for (int i = 0; i < 2; ++i) {
      const double got = spec.work(sizes[i], types).front().working_set;
      EXPECT_LE(got, want[i]);
      EXPECT_GE(got, 0.9 * want[i]);
      EXPECT_EQ(sizes[i].at("nx") % 32, 0);
    }
  }
}

}  // namespace
}  // namespace gable
