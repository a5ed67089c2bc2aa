#include "core/verdict/measured_all_reduce.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "core/questions/plan/inference_plan.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable {
namespace {

/// Four ranks on two hosts; an all-reduce takes 100 us of 8 KiB, 300 us of 24 KiB and 1.3 ms of 124 KiB.
Result measured_network() {
  Result result = test::made_up_result("4 ranks on 2 nodes");
  for (const char* host : {"a", "a", "b", "b"})
    result.devices[0].facts.push_back({"rank", host, "MPI_Get_processor_name"});
  auto& row = test::add_row(result, CeilingKind::link, "all_reduce", "byte/s", 10e9);
  row.variant = "bus_bandwidth_126976_bytes";
  Curve curve{.device = "openmp",
              .threads = 4,
              .name = "collective_times",
              .series = "all_reduce",
              .x = {8192, 24576, 126976},
              .y = {100e-6, 300e-6, 1300e-6}};
  result.curves.push_back(curve);
  return result;
}

/// An H100 with that network as its link, 10 GB/s each way.
MachineModel machine_with(const Result& result) {
  MachineModel machine = machine_of(catalogue::find_device("H100 SXM5 80GB"));
  machine.all_reduce = measured_all_reduce(result, "openmp", host_media);
  machine.network_file = "net.json";
  return machine;
}

questions::InferencePlan plan_of(const MachineModel& machine, questions::Count batch, questions::Count devices = 4) {
  return plan_inference(questions::find_transformer("Llama-3-70B"), machine,
                        {.batch = batch, .context = 16, .devices = devices});
}

/// Its 160 sums are of 8192 values of 2 bytes a token.
TEST(MeasuredAllReduce, CountsAtTheMessageSizeOfALayer) {
  const auto machine = machine_with(measured_network());
  EXPECT_DOUBLE_EQ(machine.all_reduce->bus_byte_per_s, 10e9);
  EXPECT_NEAR(*plan_of(machine, 1).decode.all_reduce_s, 160 * 200e-6, 1e-9) << "16 KiB: between 8 and 24";
  EXPECT_NEAR(machine.all_reduce->seconds_of(8), 100e-6, 1e-12) << "no less than the smallest that was measured";
  EXPECT_NEAR(machine.all_reduce->seconds_of(24576), 300e-6, 1e-12);
  EXPECT_NEAR(machine.all_reduce->seconds_of(2 * 126976), 2600e-6, 1e-12) << "at the rate of the largest";
}

/// Each of 4 ranks sends 2 x 3/4 of a message, at 10 GB/s: 15 kB take 2.25 us.
TEST(MeasuredAllReduce, WithoutTimesItIsTheBusBandwidth) {
  Result result = measured_network();
  result.curves[0].status = Status::error;
  EXPECT_DOUBLE_EQ(measured_all_reduce(result, "openmp", host_media)->seconds_of(15000), 2.25e-6);
}

/// A file may say anything: a curve with a time of zero would make sums free.
TEST(MeasuredAllReduce, TimesThatAreNoneDoNotCount) {
  Result result = measured_network();
  result.curves[0].y[0] = 0;
  EXPECT_DOUBLE_EQ(measured_all_reduce(result, "openmp", host_media)->seconds_of(15000), 2.25e-6);
}

TEST(MeasuredAllReduce, ThePlanSaysWhereItIsFrom) {
  const auto plan = plan_of(machine_with(measured_network()), 1);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(plan.notes[0].find("link: all-reduce of 4 ranks on 2 nodes, host memory, "), 0U) << plan.notes[0];
  EXPECT_NE(plan.notes[0].find("net.json"), std::string::npos) << plan.notes[0];
}

TEST(MeasuredAllReduce, SaysNothingOfOtherNumbersOfDevices) {
  const auto machine = machine_with(measured_network());
  EXPECT_THROW((void)plan_of(machine, 1, 8), Error);
  EXPECT_TRUE(plan_of(machine, 1, 1).notes.empty()) << "one device has no link";
}

TEST(MeasuredAllReduce, IsOfGoodRowsAlone) {
  Result result = measured_network();
  result.ceilings[0].status = Status::suspect;
  EXPECT_FALSE(measured_all_reduce(result, "openmp", host_media)) << "a suspect row counts";
}

}  // namespace
}  // namespace gable
