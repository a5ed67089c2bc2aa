// What is said of layouts that differ. Kokkos is not started; tests/gpu has the layouts of a device.
#include "backends/kokkos/runtime.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gable::kokkos {
namespace {

bool says(const std::string& fault, const std::string& part) { return fault.find(part) != std::string::npos; }

TEST(Layouts, ThatAgreeAreNoFault) {
  EXPECT_EQ(layout_fault({}), "");
  EXPECT_EQ(layout_fault({{"size of a view", 32, 32}, {"size of a range policy", 64, 64}}), "");
}

TEST(Layouts, TheFirstThatDiffersIsNamedWithBothFiguresAndWhoCompiledIt) {
  const std::string fault = layout_fault({{"size of a view", 32, 32}, {"place of what is behind a view", 40, 48}});
  EXPECT_TRUE(says(fault, "place of what is behind a view is 40 bytes for the host and 48 for the device")) << fault;
  EXPECT_TRUE(says(fault, "Kokkos " + version() + ", compiled by ")) << fault;
  EXPECT_TRUE(says(fault, __VERSION__)) << fault;
  EXPECT_EQ(fault.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace gable::kokkos
