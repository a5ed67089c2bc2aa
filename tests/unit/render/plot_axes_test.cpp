#include "core/render/plot_data.hpp"

#include <gtest/gtest.h>

namespace gable::render {
namespace {

std::vector<double> labelled(double low, double high) {
  std::vector<double> values;
  for (const Tick& tick : ticks({low, high})) {
    if (tick.labelled) values.push_back(tick.value);
  }
  return values;
}

TEST(PlotAxes, LabelsThinOutAsTheDecadesGrow) {
  EXPECT_EQ(labelled(90, 850), (std::vector<double>{100, 200, 300, 500, 700}));
  EXPECT_EQ(labelled(0.9, 60), (std::vector<double>{1, 2, 5, 10, 20, 50}));
  EXPECT_EQ(labelled(0.05, 300), (std::vector<double>{0.1, 1, 10, 100}));
}

TEST(PlotAxes, EveryMultipleOfAPowerOfTenHasAMark) {
  const auto all = ticks({3, 40});
  ASSERT_EQ(all.size(), 11u);  // 3 … 9, 10 … 40
  EXPECT_DOUBLE_EQ(all.front().value, 3);
  EXPECT_DOUBLE_EQ(all.back().value, 40);
  EXPECT_EQ(all.back().multiple, 4);
}

}  // namespace
}  // namespace gable::render
