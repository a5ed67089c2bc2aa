#include "core/worker/schedule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/row_item.hpp"

namespace gable::worker {
namespace {

DeviceInfo device(const std::string& id) {
  DeviceInfo made;
  made.id = id;
  made.backend = id.substr(0, id.find(':'));
  made.memory = {{"DRAM", 64e9, 1, 2, 64, ""}};
  return made;
}

ItemInfo info(const DeviceInfo& of, Ceiling row, const std::string& variant, double expected_s) {
  row.device = of.id;
  row.variant = variant;
  row.id = ceiling_id(row);
  return {row, "", expected_s, 1.0};
}

Ceiling read(const std::string& implementation) {
  return {.kind = CeilingKind::bandwidth,
          .name = "DRAM",
          .access = Access::read,
          .at = OperatingPoint::sustained,
          .implementation = implementation,
          .unit = "byte/s"};
}

Ceiling link() { return {.kind = CeilingKind::link, .name = "host_to_device", .unit = "byte/s"}; }

TEST(ConcurrentSchedule, BringsRowsOfOneResourceTogetherWhateverReachesThem) {
  const DeviceInfo cpu = device("openmp"), gpu = device("cuda:0");
  const std::vector<ItemInfo> of_cpu{info(cpu, read("avx2"), "", 0.2), info(cpu, read("avx2"), "with_all", 0.4),
                                     info(cpu, read("avx2"), "with_host_to_device", 0.4)};
  const std::vector<ItemInfo> of_gpu{info(gpu, read("cuda"), "", 0.1), info(gpu, read("cuda"), "with_all", 0.2),
                                     info(gpu, link(), "", 0.3), info(gpu, link(), "with_all", 0.6)};
  const DevicePlan plans[] = {{cpu, of_cpu}, {gpu, of_gpu}};
  const Schedule steps = concurrent_schedule(plans);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].resource, "main memory read");
  ASSERT_EQ(steps[0].parts.size(), 4U);
  EXPECT_EQ(steps[0].parts[2].device, 1U);
  EXPECT_EQ(steps[0].parts[2].item.id(), "ceiling/bandwidth/DRAM/read/sustained/cuda");
  EXPECT_EQ(steps[0].parts[3].item.id(), "ceiling/bandwidth/DRAM/read/sustained/cuda/with_all");
  EXPECT_TRUE(steps[0].parts[3].together);
  EXPECT_DOUBLE_EQ(steps[0].expected_s(), 0.2 + 0.1 + 0.4) << "one after another, then at the same time";
  EXPECT_EQ(steps[1].resource, "host_to_device");
  ASSERT_EQ(steps[1].parts.size(), 4U);
  EXPECT_EQ(steps[1].parts[0].item.id(), "ceiling/bandwidth/DRAM/read/sustained/avx2");
  EXPECT_EQ(steps[1].parts[2].item.id(), "ceiling/link/host_to_device");
}

TEST(SeparateSchedules, HaveTheItemsOfEachDeviceByThemselves) {
  const DeviceInfo cpu = device("openmp"), gpu = device("cuda:0");
  const std::vector<ItemInfo> of_cpu{info(cpu, read("avx2"), "", 0.2)};
  const std::vector<ItemInfo> of_gpu{info(gpu, read("cuda"), "", 0.1), info(gpu, link(), "", 0.3)};
  const DevicePlan plans[] = {{cpu, of_cpu}, {gpu, of_gpu}};
  const auto schedules = separate_schedules(plans);
  ASSERT_EQ(schedules.size(), 2U);
  ASSERT_EQ(schedules[1].size(), 2U);
  ASSERT_EQ(schedules[1][0].parts.size(), 1U);
  EXPECT_EQ(schedules[1][0].parts[0].device, 1U);
  EXPECT_FALSE(schedules[1][0].parts[0].together);
  EXPECT_DOUBLE_EQ(schedules[1][1].expected_s(), 0.3);
}

TEST(ConcurrentSchedule, NeedsTwo) {
  const DeviceInfo cpu = device("openmp"), gpu = device("cuda:0");
  const std::vector<ItemInfo> of_cpu{info(cpu, read("avx2"), "", 0.2), info(cpu, read("avx2"), "with_all", 0.4)};
  const std::vector<ItemInfo> of_gpu{info(gpu, link(), "", 0.3), info(gpu, link(), "with_all", 0.6)};
  const DevicePlan plans[] = {{cpu, of_cpu}, {gpu, of_gpu}};
  EXPECT_THROW(concurrent_schedule(plans), Error);
}

}  // namespace
}  // namespace gable::worker
