#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "imported_file.hpp"

namespace gable {
namespace {

// A generous limit: it catches work that grows with the square of the kernels, not a slow machine.
constexpr double most_seconds = 20;

/// 10^5 launches of 10^5 kernels in Nsight Compute's wide form, which must come back with the figures of each.
TEST(ManyKernels, AreReadInSeconds) {
  constexpr int kernels = 100000;
  std::string text =
      "\"ID\",\"Process ID\",\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n\"\",\"\",\"\",\"ns\",\"byte\"\n";
  for (int i = 0; i < kernels; ++i)
    text += "\"" + std::to_string(i) + "\",\"1\",\"kernel_" + std::to_string(i) + "(int)\",\"" +
            std::to_string(1000 + i) + "\",\"64\"\n";
  const test::ImportedFiles files;
  const auto start = std::chrono::steady_clock::now();
  const auto result = files.read(text);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(result.points.size(), static_cast<std::size_t>(kernels));
  EXPECT_DOUBLE_EQ(result.points.back().time.value, (1000 + kernels - 1) * 1e-9);
  EXPECT_LT(taken.count(), most_seconds);
}

}  // namespace
}  // namespace gable
