// What the experiments run.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/experiment/experiment.hpp"
#include "tests/unit/experiment/made_up.hpp"

namespace gable::experiment {
namespace {

TEST(Plan, EveryCaseIsOneThatItsOperatorTakes) {
  const DeviceInfo device = test::made_up_result().devices.front();
  for (const Experiment& one : experiments()) {
    const auto cases = one.plan(device);
    EXPECT_FALSE(cases.empty()) << one.name;
    for (const Case& planned : cases) {
      const OperatorSpec& spec = find_spec(planned.op);
      EXPECT_FALSE(planned.params.empty()) << one.name;
      for (const Params& params : planned.params) EXPECT_NO_THROW(spec.work(params, uniform_types(DType::fp32)));
    }
    EXPECT_TRUE(one.answers(Result{}).empty()) << one.name << ": nothing was measured";
  }
  EXPECT_THROW(find_experiment("none"), Error);
}

TEST(Plan, OverheadIsTheSameWorkInEveryNumberOfLaunches) {
  const auto cases = plan_overhead(test::made_up_result().devices.front());
  std::set<Index> totals;
  std::set<std::pair<int, bool>> manners;
  for (const Case& one : cases) {
    totals.insert(one.params.front().at("n") * one.launches);
    manners.emplace(one.launches, one.graph);
  }
  EXPECT_EQ(totals.size(), 1U);
  EXPECT_EQ(manners.size(), 8U) << "1, 10, 100, 1000, each as launches and as a graph";
}

TEST(Plan, BytesReachEveryLevelAndMainMemoryThrice) {
  const auto device = test::made_up_result().devices.front();
  const auto cases = plan_bytes(device);
  int cached = 0, memory = 0;
  for (const Params& params : cases.front().params) {
    const double set_bytes = 8 * static_cast<double>(params.at("n"));
    cached += set_bytes <= 1024 * 1024;
    memory += set_bytes > 4 * 1024 * 1024;
  }
  EXPECT_GE(cached, 3);
  EXPECT_GE(memory, 3);
}

TEST(Missing, ReasonsAreToldOnce) {
  Result result = test::made_up_result();
  for (int i = 0; i < 2; ++i) {
    result.points.push_back(test::made_up_point("relu", {{"n", 8}}, 1));
    result.points.back().status = Status::unsupported;
    result.points.back().reason = "no graphs on CPUs";
  }
  EXPECT_EQ(missing(result), std::vector<std::string>{"unsupported: no graphs on CPUs"});
}

}  // namespace
}  // namespace gable::experiment
