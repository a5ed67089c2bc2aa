// What is planned of Kokkos' own rows; nothing runs, so Kokkos is not started.
#include "backends/kokkos/items.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace gable::kokkos {
namespace {

constexpr double mib = 1024.0 * 1024.0;

/// 8 cores with L1 and L2 of their own and two L3 of 32 MiB: 8 x 0.5 + 64 + 0.25 MiB of caches.
DeviceInfo cpu(double free_bytes) {
  DeviceInfo device;
  device.id = "openmp";
  device.backend = "openmp";
  device.cores = 8;
  device.memory = {{"L1", mib / 32, 8, 1, 64, "test"},
                   {"L2", mib / 2, 8, 1, 64, "test"},
                   {"L3", 32 * mib, 2, 4, 64, "test"},
                   {"DRAM", 64e9, 1, 8, 64, "test"}};
  device.free_memory_bytes = free_bytes;
  return device;
}
constexpr double caches = (64 + 4 + 0.25) * mib;

TEST(StreamElements, ArraysOfEveryAccessAreFourTimesTheSumOfTheCaches) {
  for (const Access access : {Access::read, Access::copy, Access::triad}) {
    const double bytes = stream_bytes(access, stream_elements(cpu(64e9), access));
    EXPECT_GE(bytes, 4 * caches) << to_string(access);
    EXPECT_LE(bytes, 4.01 * caches) << to_string(access);
  }
}

TEST(StreamElements, StayWithinAQuarterOfTheFreeMemoryOrAreSkipped) {
  EXPECT_GT(stream_elements(cpu(16.1 * caches), Access::read), 0U);
  EXPECT_EQ(stream_elements(cpu(15.9 * caches), Access::read), 0U);
  // A GPU's arrays are as large as there is room, down to four times its caches.
  auto gpu = cpu(4e9);
  gpu.backend = "cuda";
  for (const Access access : {Access::read, Access::copy, Access::triad}) {
    const double bytes = stream_bytes(access, stream_elements(gpu, access));
    EXPECT_LE(bytes, 1e9);
    EXPECT_GE(bytes, 0.99e9);
  }
}

TEST(StreamElements, WhereNobodyTellsWhatIsFreeAllOfTheMemoryCounts) {
  EXPECT_EQ(stream_elements(cpu(0), Access::triad), stream_elements(cpu(64e9), Access::triad));
}

TEST(StreamElements, AreWholeVectorsAndOnlyOfStreamsThatExist) {
  EXPECT_EQ(stream_elements(cpu(64e9), Access::triad) % 64, 0U);
  EXPECT_THROW(stream_elements(cpu(64e9), Access::write), Error);
}

Request request() {
  Request asked;
  asked.threads = 8;
  return asked;
}

TEST(Items, OfACpuAreALaunchAndTheStreamsOfMainMemory) {
  std::vector<std::string> ids;
  for (const Item& item : items(cpu(64e9), request(), 8, {})) ids.push_back(item.id());
  EXPECT_EQ(ids, (std::vector<std::string>{"ceiling/overhead/kokkos_launch/kokkos",
                                           "ceiling/bandwidth/DRAM/read/sustained/kokkos/kokkos",
                                           "ceiling/bandwidth/DRAM/copy/ordinary/sustained/kokkos/kokkos",
                                           "ceiling/bandwidth/DRAM/triad/ordinary/sustained/kokkos/kokkos"}));
}

TEST(Items, WithoutRoomAreSkippedWithTheReason) {
  for (const Item& item : items(cpu(caches), request(), 8, {})) {
    if (item.id().find("bandwidth") == std::string::npos) continue;
    const auto rows = item.run();
    ASSERT_EQ(rows.size(), 1U);
    const auto& row = std::get<Ceiling>(rows.front());
    EXPECT_EQ(row.status, Status::skipped);
    EXPECT_NE(row.reason.find("four times the caches"), std::string::npos) << row.reason;
    EXPECT_EQ(row.threads, 8);
  }
}

}  // namespace
}  // namespace gable::kokkos
