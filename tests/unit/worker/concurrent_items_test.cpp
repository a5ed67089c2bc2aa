#include "core/worker/concurrent_items.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/row_item.hpp"

namespace gable::worker {
namespace {

DeviceInfo cpu(const std::string& id) {
  DeviceInfo made;
  made.id = id;
  made.backend = "openmp";
  made.memory = {{"L1", 32768, 2, 1, 64, ""}, {"DRAM", 64e9, 1, 2, 64, ""}};
  return made;
}

Ceiling row(CeilingKind kind, const std::string& name, OperatingPoint at) {
  auto made = new_row(cpu("openmp"), Scope::node, 2, kind, name, kind == CeilingKind::compute ? "flop/s" : "byte/s");
  made.at = at;
  made.implementation = "avx2";
  return made;
}

Ceiling stream(const std::string& level, Access access, Stores stores) {
  auto made = row(CeilingKind::bandwidth, level, OperatingPoint::sustained);
  made.access = access;
  made.stores = stores;
  return made;
}

Ceiling compute(const std::string& unit, DType dtype, OperatingPoint at) {
  auto made = row(CeilingKind::compute, unit, at);
  made.dtype = dtype;
  return made;
}

Item item(Ceiling planned) {
  return row_item(std::move(planned), "a row", 0.2, [](Ceiling& measured) { measured.value.value = 1e10; }, {});
}

std::vector<std::string> ids(const std::vector<Item>& items) {
  std::vector<std::string> found;
  for (const Item& one : items) found.push_back(one.id());
  return found;
}

TEST(ConcurrentItems, AreOfResourcesThatDevicesShare) {
  auto portable = stream("DRAM", Access::triad, Stores::ordinary);
  portable.variant = "kokkos";
  auto beyond = compute("matrix", DType::bf16, OperatingPoint::sustained);
  beyond.status = Status::unsupported;
  beyond.reason = "no such unit";
  std::vector<Item> planned;
  for (const Ceiling& one :
       {compute("vector", DType::fp64, OperatingPoint::burst),
        compute("vector", DType::fp64, OperatingPoint::sustained),
        compute("vector", DType::bf16, OperatingPoint::sustained),
        compute("scalar", DType::fp64, OperatingPoint::burst),
        compute("matrix", DType::int8, OperatingPoint::sustained), beyond, stream("L1", Access::read, Stores::none),
        stream("DRAM", Access::read, Stores::none), stream("DRAM", Access::copy, Stores::ordinary),
        stream("DRAM", Access::triad, Stores::ordinary), stream("DRAM", Access::triad, Stores::non_temporal), portable,
        row(CeilingKind::latency, "DRAM", OperatingPoint::none)})
    planned.push_back(item(one));
  const std::vector<std::string> devices{"openmp:core0", "openmp:core1"};
  const auto items = concurrent_items(planned, cpu("openmp:core0"), devices, {});
  EXPECT_EQ(ids(items),
            (std::vector<std::string>{
                "ceiling/compute/vector/fp64/sustained/avx2", "ceiling/compute/vector/fp64/sustained/avx2/with_cores",
                "ceiling/compute/matrix/int8/sustained/avx2", "ceiling/compute/matrix/int8/sustained/avx2/with_cores",
                "ceiling/bandwidth/DRAM/read/sustained/avx2", "ceiling/bandwidth/DRAM/read/sustained/avx2/with_cores",
                "ceiling/bandwidth/DRAM/triad/ordinary/sustained/avx2",
                "ceiling/bandwidth/DRAM/triad/ordinary/sustained/avx2/with_cores"}));
}

TEST(ConcurrentItems, YieldRowsThatSaySo) {
  int asked = 0;
  const std::vector<std::string> devices{"openmp:core0", "openmp:core1"};
  const auto conditions = [&] {
    ++asked;
    return Conditions{};
  };
  const auto items =
      concurrent_items({item(stream("DRAM", Access::read, Stores::none))}, cpu("openmp:core0"), devices, conditions);
  ASSERT_EQ(items.size(), 2U);
  const auto alone = std::get<Ceiling>(items[0].run().at(0)), together = std::get<Ceiling>(items[1].run().at(0));
  EXPECT_EQ(asked, 2) << "a mean power since the last row would be that of the pause";
  EXPECT_FALSE(is_together(alone));
  EXPECT_TRUE(is_together(together));
  EXPECT_EQ(together.id, items[1].id());
  EXPECT_EQ(together.id, ceiling_id(together));
  EXPECT_EQ(together.value.value, 1e10);
  EXPECT_EQ(resource_of(alone, cpu("openmp:core0")), "main memory read");
  EXPECT_EQ(resource_of(together, cpu("openmp:core0")), "main memory read");
}

TEST(ConcurrentItems, ACpuReadsWhileGpusCopy) {
  const std::vector<std::string> devices{"openmp", "cuda:0"};
  const auto items = concurrent_items({item(stream("DRAM", Access::read, Stores::none))}, cpu("openmp"), devices, {});
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[1].id(), "ceiling/bandwidth/DRAM/read/sustained/avx2/with_all");
  std::vector<std::string> resources;
  for (const Item& one : items) resources.push_back(*resource_of(std::get<Ceiling>(one.planned), cpu("openmp")));
  EXPECT_EQ(resources,
            (std::vector<std::string>{"main memory read", "main memory read", "host_to_device", "device_to_host"}));
}

TEST(ConcurrentItems, LinksShareTheCopiesOfPinnedMemory) {
  DeviceInfo gpu;
  gpu.id = "cuda:0";
  gpu.backend = "cuda";
  gpu.memory = {{"HBM", 80e9, 1, 1, 64, ""}};
  auto pageable = row(CeilingKind::link, "host_to_device", OperatingPoint::none);
  pageable.variant = "pageable";
  EXPECT_EQ(resource_of(row(CeilingKind::link, "host_to_device", OperatingPoint::none), gpu), "host_to_device");
  EXPECT_FALSE(resource_of(pageable, gpu));
  EXPECT_FALSE(resource_of(row(CeilingKind::link, "both_directions", OperatingPoint::none), gpu));
  EXPECT_EQ(resource_of(stream("HBM", Access::read, Stores::none), gpu), "main memory read");
}

}  // namespace
}  // namespace gable::worker
