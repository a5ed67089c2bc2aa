// What the experiments run.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/error.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "tests/unit/questions/experiment/made_up.hpp"

namespace gable::experiment {
namespace {

TEST(Plan, EveryCaseIsOneThatItsOperatorTakes) {
  const DeviceInfo device = test::made_up_result().devices.front();
  for (const Experiment& one : experiments()) {
    const auto cases = one.plan(device, operator_specs());
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
  const auto cases = plan_overhead(test::made_up_result().devices.front(), operator_specs());
  std::set<double> totals;
  std::set<std::pair<int, bool>> manners;
  for (const Case& one : cases) {
    totals.insert(static_cast<double>(one.params.front().at("n") * one.launches) * size_bytes(one.dtypes.at(0)));
    manners.emplace(one.launches, one.graph);
  }
  EXPECT_LE(*totals.rbegin() / *totals.begin(), 1.001) << "in every type";
  EXPECT_EQ(manners.size(), 8U) << "1, 10, 100, 1000, each as launches and as a graph";
}

TEST(Plan, BytesReachEveryLevelAndMainMemoryThrice) {
  const auto device = test::made_up_result().devices.front();
  const auto cases = plan_bytes(device, operator_specs());
  for (const Case& one : cases) {
    int cached = 0, memory = 0;
    for (const Params& params : one.params) {
      const double set_bytes = 2 * size_bytes(one.dtypes.at(0)) * static_cast<double>(params.at("n"));
      cached += set_bytes <= 1024 * 1024;
      memory += set_bytes > 4 * 1024 * 1024;
    }
    EXPECT_GE(cached, 3);
    EXPECT_GE(memory, 3);
  }
}

/// With caches as large as those of this device, what main memory does not serve would be seen.
DeviceInfo with_large_caches() {
  DeviceInfo device = test::made_up_result().devices.front();
  device.memory.front().size_bytes = 100e6;
  device.free_memory_bytes = 64e9;
  return device;
}

/// Least working set of any stage of the cases in the types they run in.
double least_working_set(const std::vector<Case>& cases, std::string_view op) {
  double least = 1e30;
  for (const Case& one : cases) {
    if (one.op != op) continue;
    for (const Types& types : find_spec(one.op).types) {
      if (!one.dtypes.empty() && std::ranges::count(one.dtypes, types.a) == 0) continue;
      for (const Params& params : one.params) {
        for (const Stage& stage : find_spec(one.op).work(params, types)) least = std::min(least, stage.working_set);
      }
    }
  }
  return least;
}

TEST(Plan, MainMemoryServesEveryPassInEveryType) {
  const DeviceInfo device = with_large_caches();
  const double set_bytes = main_memory_set_bytes(device);
  ASSERT_EQ(set_bytes, 500e6);
  EXPECT_GE(least_working_set(plan_fusion(device, operator_specs()), "elementwise_chain_unfused"), 0.999 * set_bytes);
  EXPECT_GE(least_working_set(plan_precision(device, operator_specs()), "relu"), 0.999 * set_bytes);
  EXPECT_GE(least_working_set(plan_batch(device, operator_specs()), "gemm"), 0.999 * set_bytes)
      << "of the weights alone";
}

TEST(Plan, SizesFitWhatARunMayTake) {
  DeviceInfo device = with_large_caches();
  device.free_memory_bytes = 3.5e9;  // with less, sets that main memory serves do not fit, and are skipped
  for (const auto plan : {plan_fusion, plan_precision}) {
    for (const Case& one : plan(device, operator_specs())) {
      for (const Types& types : find_spec(one.op).types) {
        if (!one.dtypes.empty() && std::ranges::count(one.dtypes, types.a) == 0) continue;
        for (const Params& params : one.params) {
          double all = 0;
          for (const BufferSpec& buffer : find_spec(one.op).buffers(params, types))
            all += static_cast<double>(buffer.count) * size_bytes(buffer.dtype);
          EXPECT_LE(all, run_memory_bytes(device)) << one.op << " " << params.to_string();
        }
      }
    }
  }
}

TEST(Plan, ALayerIsWideEnoughButNotTooWide) {
  DeviceInfo device = test::made_up_result().devices.front();
  const auto widths = [&] {
    std::set<Index> all;
    for (const Case& one : plan_batch(device, operator_specs())) {
      for (const Params& params : one.params) all.insert({params.at("n"), params.at("k")});
    }
    return all;
  };
  EXPECT_EQ(*widths().begin(), 4096) << "fp64 on 1 MiB of cache";
  for (const Index width : widths()) EXPECT_EQ(width % 128, 0);
  device.memory.front().size_bytes = 1e9;
  device.free_memory_bytes = 1e12;
  EXPECT_EQ(widths(), std::set<Index>{16384});
}

TEST(Types, AreThoseThatAnyCaseTakes) {
  EXPECT_EQ(types_of(operator_specs(),
                     {{.op = "relu", .dtypes = {DType::bf16, DType::int8}}, {.op = "axpy", .dtypes = {DType::fp64}}}),
            (std::vector{DType::bf16, DType::fp64}));
  EXPECT_GE(types_of(operator_specs(), plan_precision(test::made_up_result().devices.front(), operator_specs())).size(),
            4U);
}

TEST(Missing, ReasonsAreToldOnce) {
  Result result = test::made_up_result();
  for (int i = 0; i < 2; ++i) {
    result.points.push_back(test::made_up_point("relu", {{"n", 8}}, 1));
    result.points.back().id = "r" + std::to_string(i);
    result.points.back().status = Status::unsupported;
    result.points.back().reason = "no graphs on CPUs";
  }
  EXPECT_EQ(missing(result), std::vector<std::string>{"not judged: r0, r1: unsupported: no graphs on CPUs"});
}

}  // namespace
}  // namespace gable::experiment
