#include "core/measure/steal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::measure {
namespace {

class Steal : public ScratchRoot {
 protected:
  /// In ticks: of all, then of three cpus, of which number 1 is offline.
  void SetUp() override {
    ScratchRoot::SetUp();
    write("proc/stat",
          "cpu  90 80 70 60 50 40 30 700 9 8\n"
          "cpu0 1 2 3 4 5 6 7 100 0 0\n"
          "cpu2 1 2 3 4 5 6 7 250 0 0\n"
          "cpu10 1 2 3 4 5 6 7 350 0 0\n"
          "intr 12345 1 2 3 4 5 6 7\n");
  }
  double seconds(double ticks) const { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }
};

TEST_F(Steal, IsTheSumOverTheCpusInUse) {
  EXPECT_EQ(stolen_s(std::vector{0}, root()), seconds(100));
  EXPECT_EQ(stolen_s(std::vector{10, 2}, root()), seconds(600));
}

TEST_F(Steal, IsThatOfTheSystemWhereACpuHasNoLine) {
  EXPECT_EQ(stolen_s({}, root()), seconds(700));
  EXPECT_EQ(stolen_s(std::vector{0, 1}, root()), seconds(700));
}

TEST_F(Steal, IsUnknownWithoutTheFileOrTheField) {
  EXPECT_FALSE(stolen_s({}, root() + "/nowhere"));
  write("proc/stat", "cpu  90 80 70 60\ncpu0 1 2 3 4\n");
  EXPECT_FALSE(stolen_s({}, root()));
  EXPECT_FALSE(stolen_s(std::vector{0}, root()));
}

}  // namespace
}  // namespace gable::measure
