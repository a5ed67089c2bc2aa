#include <gtest/gtest.h>

#include <memory>

#include "backends/kokkos/runtime.hpp"
#include "backends/openmp/vendor_library.hpp"
#include "tests/conformance/vendor.hpp"

namespace {

/// At least two threads, so that chunks and races are tested on any machine; few, so that tests can run side by side.
constexpr int threads = 2;

std::unique_ptr<gable::VendorLibrary> library;

}  // namespace

gable::VendorLibrary* gable::conformance::vendor() { return library.get(); }

std::function<void()> gable::conformance::captured(OperatorInstance&) { return {}; }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const gable::kokkos::Runtime runtime(threads);
  library = gable::openmp::make_vendor_library({0});
  const int result = RUN_ALL_TESTS();
  library.reset();
  return result;
}
