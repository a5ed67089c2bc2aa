#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "backends/gpu/captured_graph.hpp"
#include "backends/gpu/library.hpp"
#include "backends/kokkos/runtime.hpp"
#include "tests/conformance/vendor.hpp"
#include "tests/gpu/usable_device.hpp"

namespace {

constexpr int skipped = 77;

std::unique_ptr<gable::VendorLibrary> library;

}  // namespace

gable::VendorLibrary* gable::conformance::vendor() { return library.get(); }

std::function<void()> gable::conformance::captured(OperatorInstance& instance) {
  const auto graph = std::make_shared<gpu::CapturedGraph>(static_cast<gpu::Stream>(instance.stream()),
                                                          [&instance] { instance.run(); });
  return [graph] { graph->replay(); };
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const std::string reason = gable::gpu::test::no_device();
  if (!reason.empty()) {
    std::printf("skipped: %s\n", reason.c_str());
    return skipped;
  }
  const gable::kokkos::Runtime runtime(0, gable::gpu::test::device_index());
  library = gable::gpu::make_vendor_library();
  const int result = RUN_ALL_TESTS();
  library.reset();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::printf("no case has the name asked for\n");
    return 1;
  }
  return result;
}
