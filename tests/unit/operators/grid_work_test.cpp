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

struct Golden {
  const char* name;
  Params params;
  DType dtype;
  double flops, read, written;
};

/// Compulsory work of operators on grids and particles, written out by hand.
TEST(GridWork, MatchesTheModel) {
  const Golden cases[] = {
      // 8 x 8 x 8 points inside, 8 and 30 flop each; 1000 points read and written
      {"stencil7", {{"nx", 10}, {"ny", 10}, {"nz", 10}}, DType::fp64, 4096, 8000, 8000},
      {"stencil7", {{"nx", 10}, {"ny", 10}, {"nz", 10}}, DType::fp32, 4096, 4000, 4000},
      {"stencil27", {{"nx", 10}, {"ny", 10}, {"nz", 10}}, DType::fp64, 15360, 8000, 8000},
      // five steps, but one read and one write
      {"stencil7_blocked", {{"nx", 10}, {"ny", 10}, {"nz", 10}, {"steps", 5}}, DType::fp64, 20480, 8000, 8000},
      // 19 populations of 60 cells, without what lies between the lattices
      {"lbm_d3q19", {{"nx", 3}, {"ny", 4}, {"nz", 5}}, DType::fp64, 252 * 60, 9120, 9120},
      // 20 flop a pair; positions and masses read, accelerations written
      {"nbody", {{"n", 100}}, DType::fp32, 200000, 1600, 1200},
      // N = 4096: 5 N log2 N; complex numbers of 16 bytes
      {"fft3d", {{"nx", 16}, {"ny", 16}, {"nz", 16}}, DType::fp64, 245760, 65536, 65536},
      // nothing but boundary
      {"stencil27", {{"nx", 2}, {"ny", 10}, {"nz", 10}}, DType::fp64, 0, 1600, 1600},
  };
  for (const Golden& golden : cases) {
    const auto stages = find_spec(golden.name).work(golden.params, uniform_types(golden.dtype));
    ASSERT_EQ(stages.size(), 1U) << golden.name;
    EXPECT_EQ(flops(stages), golden.flops) << golden.name;
    EXPECT_EQ(stages[0].bytes_read, golden.read) << golden.name;
    EXPECT_EQ(stages[0].bytes_written, golden.written) << golden.name;
    EXPECT_EQ(stages[0].working_set, golden.read + golden.written) << golden.name;
  }
}

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
