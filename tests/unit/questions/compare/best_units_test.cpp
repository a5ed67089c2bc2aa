#include <gtest/gtest.h>

#include "core/questions/compare/comparison.hpp"

namespace gable::questions {
namespace {

/// 2614.9 against 1978.9 Tflop/s in the datasheets, of two flavours of one type.
TEST(BestUnits, FlavoursOfFp8AreOneType) {
  const std::vector<Subject> subjects{subject_of(catalogue::find_device("MI300X")),
                                      subject_of(catalogue::find_device("H200 SXM 141GB"))};
  const auto answer = compare(subjects, {.dtypes = {DType::fp8_e4m3}});
  ASSERT_EQ(answer.best_units.size(), 1U);
  const auto& cells = answer.best_units[0].cells;
  EXPECT_EQ(cells[0]->key.dtype, DType::fp8_e4m3fnuz);
  EXPECT_EQ(cells[1]->key.dtype, DType::fp8_e4m3);
  EXPECT_NEAR(cells[1]->ratio->value, 1978.9 / 2614.9, 1e-3);
}

/// A T4 has no bf16 unit: its fp32 one stands in, unless an own one was measured badly in that scope.
TEST(BestUnits, OnlyABadFigureOfArithmeticInItsScopeKeepsOthersFromStandingIn) {
  std::vector<Subject> subjects{subject_of(catalogue::find_device("T4")),
                                subject_of(catalogue::find_device("H200 SXM 141GB"))};
  const auto stands_in = [&](CeilingKind kind, Scope scope) {
    Ceiling bad{.device = subjects[0].device.id,
                .scope = scope,
                .kind = kind,
                .name = kind == CeilingKind::compute ? "vector" : "conversion",
                .dtype = DType::bf16,
                .status = Status::suspect};
    subjects[0].suspects = {bad};
    const auto rows = best_units(subjects, {DType::bf16});
    return rows.size() == 1 && rows[0].cells[0].has_value();
  };
  EXPECT_FALSE(stands_in(CeilingKind::compute, Scope::node));
  EXPECT_TRUE(stands_in(CeilingKind::compute, Scope::core));
  EXPECT_TRUE(stands_in(CeilingKind::latency, Scope::node));
}

}  // namespace
}  // namespace gable::questions
