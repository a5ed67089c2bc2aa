#include "core/worker/item_plan.hpp"

#include <gtest/gtest.h>

#include "core/row_item.hpp"

namespace gable {
namespace {

DeviceInfo device() {
  DeviceInfo made;
  made.id = "openmp";
  made.memory = {{"L1", 32768, 2, 1, 64, ""}, {"DRAM", 64e9, 1, 2, 64, ""}};
  return made;
}

Ceiling stream(const std::string& level, Access access, Stores stores) {
  auto row = new_row(device(), Scope::node, 2, CeilingKind::bandwidth, level, "byte/s");
  row.access = access;
  row.stores = stores;
  row.at = OperatingPoint::sustained;
  row.implementation = "avx2";
  return row;
}

Item item(Ceiling row) {
  const auto fill = [](Ceiling& measured) { measured.value.value = 2e10; };
  return row_item(std::move(row), "a stream", 0.2, fill, {});
}

TEST(RoofsAgain, AreTheOrdinaryStreamsOfMainMemory) {
  auto compute = new_row(device(), Scope::node, 2, CeilingKind::compute, "vector", "flop/s");
  compute.dtype = DType::fp64;
  auto portable = stream("DRAM", Access::copy, Stores::ordinary);
  portable.variant = "kokkos";
  auto skipped = stream("DRAM", Access::write, Stores::ordinary);
  skipped.status = Status::skipped;
  skipped.reason = "no memory";
  const std::vector<Item> planned = {item(compute),
                                     item(stream("L1", Access::read, Stores::none)),
                                     item(stream("DRAM", Access::read, Stores::none)),
                                     item(stream("DRAM", Access::triad, Stores::ordinary)),
                                     item(stream("DRAM", Access::triad, Stores::non_temporal)),
                                     item(portable),
                                     item(skipped)};
  const auto again = worker::streams_among_operators(planned, device());
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[0].id(), "ceiling/bandwidth/DRAM/read/sustained/avx2/among_operators");
  EXPECT_EQ(again[1].id(), "ceiling/bandwidth/DRAM/triad/ordinary/sustained/avx2/among_operators");
}

TEST(RoofsAgain, YieldRowsBesideTheFirstOnes) {
  const auto again = worker::streams_among_operators({item(stream("DRAM", Access::read, Stores::none))}, device());
  ASSERT_EQ(again.size(), 1U);
  const auto rows = again[0].run();
  ASSERT_EQ(rows.size(), 1U);
  const auto& row = std::get<Ceiling>(rows[0]);
  EXPECT_EQ(row.id, again[0].id());
  EXPECT_EQ(row.id, ceiling_id(row));
  EXPECT_EQ(row.variant, among_operators);
  EXPECT_EQ(row.value.value, 2e10);
}

TEST(RoofsAgain, AreSpreadAmongThePoints) {
  const auto named = [](const std::vector<std::string>& ids) {
    std::vector<Item> items;
    for (const std::string& id : ids) {
      Point point;
      point.id = id;
      items.push_back({point, id, 0.1, 30.0, {}});
    }
    return items;
  };
  const auto order = [](const std::vector<Item>& items) {
    std::string all;
    for (const Item& item : items) all += item.id();
    return all;
  };
  EXPECT_EQ(order(worker::interleave(named({"1", "2", "3", "4", "5"}), named({"r", "t"}))), "123t45r");
  EXPECT_EQ(order(worker::interleave(named({"1"}), named({"r", "w", "t"}))), "1twr");
  EXPECT_EQ(order(worker::interleave(named({"1", "2"}), {})), "12");
  auto half_skipped = named({"1", "2", "s", "s"});
  half_skipped[2].expected_s = half_skipped[3].expected_s = 0;
  EXPECT_EQ(order(worker::interleave(half_skipped, named({"r", "t"}))), "1t2rss");
  auto none = named({"s"});
  none[0].expected_s = 0;
  EXPECT_EQ(order(worker::interleave(none, named({"r"}))), "s");
}

}  // namespace
}  // namespace gable
