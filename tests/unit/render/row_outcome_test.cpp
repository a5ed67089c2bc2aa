#include "core/render/row_outcome.hpp"

#include <gtest/gtest.h>

#include "core/measure/rounds.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::render {
namespace {

Curve suspect_curve(const std::string& reason) {
  return {.id = "working_set_sweep",
          .device = "openmp",
          .name = "working_set_sweep",
          .status = Status::suspect,
          .reason = reason};
}

TEST(HeldBackText, CountsCurvesBesideRowsWithAnEstimate) {
  Result result = test::made_up_result();
  EXPECT_EQ(held_back_text(result), "");
  result.curves = {suspect_curve("something else")};
  EXPECT_EQ(held_back_text(result), "");
  const std::string words = std::string(measure::held_back_prefix) + "a thread with work did not run";
  result.curves.push_back(suspect_curve(words));
  EXPECT_EQ(held_back_text(result).find("1 row has no good figure"), 0U) << held_back_text(result);
  EXPECT_NE(held_back_text(result).find(words), std::string::npos) << held_back_text(result);
  Ceiling& row = test::add_row(result, CeilingKind::latency, "L1", "s", 1e-9);
  const std::vector<Block> blocks(8, {.figure = 1e-9, .batches = 1, .preemption = 5});
  row.value = measure::estimate(blocks, {.larger_is_slower = true});
  row.status = Status::suspect;
  EXPECT_EQ(held_back_text(result).find("2 rows have no good figure"), 0U) << held_back_text(result);
  EXPECT_NE(held_back_text(result).find("80 % of its time"), std::string::npos) << held_back_text(result);
}

}  // namespace
}  // namespace gable::render
