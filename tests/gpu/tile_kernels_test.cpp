// What the tile primitive's products compute on the device: whole numbers, whose sums are exact in every accumulator,
// so a wrong descriptor, swizzle or fragment shows as a wrong element.
#include "tests/gpu/tile_kernels.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/kokkos/runtime.hpp"
#include "tests/gpu/usable_device.hpp"

namespace gable::gpu::test {
namespace {

/// Kokkos on the device that is used, while tests run.
class WithKokkos : public testing::Environment {
 public:
  void SetUp() override {
    if (no_device().empty()) runtime_.emplace(0, device_index());
  }
  void TearDown() override { runtime_.reset(); }

 private:
  std::optional<kokkos::Runtime> runtime_;
};
[[maybe_unused]] const auto* const with_kokkos = testing::AddGlobalTestEnvironment(new WithKokkos);

/// Whole numbers from -3 to 3 that depend on nothing but their place and the seed.
std::vector<double> whole_numbers(Index count, std::uint64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::uint64_t state = seed;
  for (double& value : values) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = static_cast<double>((state >> 33) % 7) - 3.0;
  }
  return values;
}

class TileProduct : public NeedsDevice<testing::TestWithParam<TileKernel>> {
 protected:
  void SetUp() override {
    NeedsDevice::SetUp();
    if (IsSkipped()) return;
    // The list has what this architecture must run; an operator would quietly take a slower form.
    ASSERT_GE(GetParam().granted_bytes(), GetParam().needed_bytes)
        << "bytes of scratch that Kokkos " << kokkos::version() << " grants a team, and the bytes it needs";
  }

  static void expect_product(const TileSize& size) {
    const TileKernel& kernel = GetParam();
    const auto a = whole_numbers(size.batch * size.m * size.k, 1), b = whole_numbers(size.batch * size.k * size.n, 2);
    const auto c = kernel.run(size, a, b);
    ASSERT_EQ(c.size(), static_cast<std::size_t>(size.batch * size.m * size.n));
    const Index step_a = kernel.transposed_a ? size.m : 1, step_b = kernel.transposed_b ? 1 : size.n;
    for (Index matrix = 0; matrix < size.batch; ++matrix) {
      const double* const left = a.data() + matrix * size.m * size.k;
      const double* const right = b.data() + matrix * size.k * size.n;
      for (Index i = 0; i < size.m; ++i) {
        for (Index j = 0; j < size.n; ++j) {
          const double* const row = left + (kernel.transposed_a ? i : i * size.k);
          const double* const column = right + (kernel.transposed_b ? j * size.k : j);
          double sum = 0;
          for (Index k = 0; k < size.k; ++k) sum += row[k * step_a] * column[k * step_b];
          ASSERT_EQ(c[static_cast<std::size_t>((matrix * size.m + i) * size.n + j)], kernel.as_stored(sum))
              << "matrix " << matrix << " row " << i << " column " << j;
        }
      }
    }
  }
};

TEST_P(TileProduct, OfWholeBlocks) { expect_product({1, 256, 512, 640}); }
/// Aligned rows, but blocks of which a part is not there, and a depth that is no whole panel.
TEST_P(TileProduct, OfPartsOfBlocks) { expect_product({2, 144, 272, 328}); }
/// Rows that are no multiple of 16 bytes.
TEST_P(TileProduct, OfOddSizes) { expect_product({2, 67, 131, 37}); }
/// More blocks than the device holds at once, in every order of the bands.
TEST_P(TileProduct, OfManyBlocks) { expect_product({1, 3000, 3080, 136}); }

using Layouts = NeedsDevice<>;

/// Kernels read their arguments where the host has written them.
TEST_F(Layouts, OfTheDeviceAreThoseOfTheHost) {
  const auto layouts = kokkos::layouts();
  EXPECT_FALSE(layouts.empty());
  for (const kokkos::Layout& layout : layouts) {
    EXPECT_GT(layout.host, 0U) << layout.of;
    EXPECT_GT(layout.device, 0U) << layout.of;
  }
  EXPECT_EQ(kokkos::layout_fault(layouts), "");
}

INSTANTIATE_TEST_SUITE_P(Every, TileProduct, testing::ValuesIn(tile_kernels()),
                         [](const auto& kernel) { return kernel.param.name; });

}  // namespace
}  // namespace gable::gpu::test
