#include <gtest/gtest.h>

#include "backends/openmp/system_file.hpp"
#include "tests/unit/openmp/scratch_root.hpp"

namespace gable::openmp {
namespace {

using Ids = std::vector<int>;

TEST(CpuList, RangesAndSingleNumbers) {
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11"), (Ids{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5"), Ids{5});
  EXPECT_EQ(parse_cpu_list(""), Ids{});
  EXPECT_EQ(parse_cpu_list("1,x,3"), Ids{1}) << "what follows is left out";
}

TEST(CpuList, IsWrittenAsTheKernelWritesIt) {
  EXPECT_EQ(cpu_list({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(cpu_list({7}), "7");
  EXPECT_EQ(cpu_list({}), "none");
}

class Cgroup : public ScratchRoot {};

TEST_F(Cgroup, NoLimitWithoutFiles) {
  EXPECT_FALSE(cpu_quota(root()));
  EXPECT_FALSE(memory_limit_bytes(root()));
  EXPECT_FALSE(memory_left_bytes(root()));
}

TEST_F(Cgroup, Version2QuotaIsQuotaOverPeriod) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root()).value(), 1.5);
}

TEST_F(Cgroup, EveryGroupOnTheWayUpTellsHowLongItsQuotaStoppedIt) {
  EXPECT_TRUE(cpu_stat_files(root()).empty());
  write("proc/self/cgroup", "5:cpu,cpuacct:/box\n0::/\n");
  const std::string groups = root() + "/sys/fs/cgroup/";
  EXPECT_EQ(cpu_stat_files(root()),
            (std::vector<std::string>{groups + "cpu/box/cpu.stat", groups + "cpu/cpu.stat", groups + "cpu.stat"}));
}

TEST_F(Cgroup, MaxMeansNoLimit) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_FALSE(cpu_quota(root()));
  EXPECT_FALSE(memory_limit_bytes(root()));
}

TEST_F(Cgroup, TheTightestGroupOnTheWayUpCounts) {
  write("proc/self/cgroup", "0::/user/job/step\n");
  write("sys/fs/cgroup/user/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/user/job/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/user/job/memory.max", "1000\n");
  write("sys/fs/cgroup/user/job/memory.current", "400\n");
  write("sys/fs/cgroup/user/job/step/memory.max", "5000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root()).value(), 2.0);
  EXPECT_DOUBLE_EQ(memory_limit_bytes(root()).value(), 1000.0);
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 600.0);
}

TEST_F(Cgroup, Version1) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/box\n4:memory:/box\n0::/\n");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "5000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root()).value(), 0.5);
  EXPECT_DOUBLE_EQ(memory_limit_bytes(root()).value(), 4096.0) << "the inner group's figure means no limit";
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 0.0) << "never negative";
}

TEST_F(Cgroup, Version1WithoutQuota) {
  write("proc/self/cgroup", "5:cpu:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(cpu_quota(root()));
}

/// 6 GiB, of which 5.95 GiB are used, nearly all by copies of files. Pages of shared memory count as files, too, but
/// stay: they are neither active nor inactive files.
TEST_F(Cgroup, CopiesOfFilesAreLeft) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "6000\n");
  write("sys/fs/cgroup/job/memory.current", "5900\n");
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 100.0) << "no memory.stat: nothing is known to be dropped";
  write("sys/fs/cgroup/job/memory.stat",
        "anon 400\nfile 5500\nshmem 700\ninactive_anon 900\ninactive_file 3000\nactive_file 1800\n"
        "slab_reclaimable 90\nslab_unreclaimable 60\n");
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 100.0 + 3000 + 1800 + 90);
  write("sys/fs/cgroup/job/memory.stat", "inactive_file 99000\n");
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 6000.0) << "never more than the limit";
}

TEST_F(Cgroup, MemoryHighIsALimitToo) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "max\n");
  write("sys/fs/cgroup/job/memory.high", "5000\n");
  write("sys/fs/cgroup/job/memory.current", "4000\n");
  EXPECT_DOUBLE_EQ(memory_limit_bytes(root()).value(), 5000.0);
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 1000.0);
  write("sys/fs/cgroup/job/memory.max", "4500\n");
  EXPECT_DOUBLE_EQ(memory_limit_bytes(root()).value(), 4500.0);
}

/// The outer group has more room by its limits, but what others keep in it cannot be dropped.
TEST_F(Cgroup, OfNestedGroupsTheOneThatLeavesLeastCounts) {
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/memory.max", "9000\n");
  write("sys/fs/cgroup/outer/memory.current", "8800\n");
  write("sys/fs/cgroup/outer/memory.stat", "anon 8000\ninactive_file 500\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "2000\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "1900\n");
  write("sys/fs/cgroup/outer/inner/memory.stat", "inactive_file 1500\n");
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 200.0 + 500);
}

/// Version 1 counts the groups inside in usage_in_bytes, and their copies of files in total_… only.
TEST_F(Cgroup, Version1HasTotalsOfTheGroupsInside) {
  write("proc/self/cgroup", "4:memory:/box\n");
  write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "6000\n");
  write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "5900\n");
  write("sys/fs/cgroup/memory/box/memory.stat",
        "cache 100\ninactive_file 60\nactive_file 30\nhierarchical_memory_limit 6000\ntotal_cache 5000\n"
        "total_inactive_file 2600\ntotal_active_file 2000\n");
  EXPECT_DOUBLE_EQ(memory_left_bytes(root()).value(), 100.0 + 2600 + 2000);
}

}  // namespace
}  // namespace gable::openmp
