#include "core/result/row.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/result/for_each_row.hpp"
#include "tests/unit/result/sample.hpp"

namespace gable {
namespace {

/// One row of each kind, put in out of order.
Result one_of_each() {
  Result result;
  add_row(result, test::full_point());
  add_row(result, test::full_curve());
  add_row(result, test::full_ceiling());
  return result;
}

TEST(Row, GoesIntoTheListOfItsKind) {
  const Result result = one_of_each();
  ASSERT_EQ(result.ceilings.size(), 1U);
  ASSERT_EQ(result.curves.size(), 1U);
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_EQ(result.ceilings[0].id, test::full_ceiling().id);
  EXPECT_EQ(&rows_of<Curve>(result), &result.curves);
}

TEST(Row, EveryRowIsVisitedInTheOrderOfTheFile) {
  Result result = one_of_each();
  std::vector<std::string> kinds;
  for_each_row(result, [&](auto& row) {
    kinds.emplace_back(to_string(kind_of(row)));
    row.status = Status::suspect;
  });
  EXPECT_EQ(kinds, (std::vector<std::string>{"ceiling", "curve", "point"}));
  for_each_row(std::as_const(result), [](const auto& row) { EXPECT_EQ(row.status, Status::suspect); });
}

TEST(Row, ABlankOneIsOfItsKind) {
  for (const RowKind kind : {RowKind::ceiling, RowKind::curve, RowKind::point}) {
    EXPECT_EQ(std::visit([](const auto& one) { return kind_of(one); }, blank_row(kind)), kind) << to_string(kind);
    EXPECT_EQ(parse_name<RowKind>(to_string(kind)), kind);
  }
  EXPECT_FALSE(parse_name<RowKind>("triangle"));
}

TEST(Row, WithoutAFigureKeepsItsIdentity) {
  const Row lost = without_figure(test::full_point(), Status::error, "killed");
  EXPECT_EQ(id_of(lost), test::full_point().id);
  EXPECT_EQ(status_of(lost), Status::error);
  const auto& point = std::get<Point>(lost);
  EXPECT_EQ(point.reason, "killed");
  EXPECT_EQ(point.op, test::full_point().op);
  EXPECT_EQ(point.stages.size(), test::full_point().stages.size());
}

}  // namespace
}  // namespace gable
