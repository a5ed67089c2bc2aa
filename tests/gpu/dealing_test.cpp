// Whether an AMD GPU deals the blocks of its ceilings evenly over its compute units: each says where it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/kernels/kernels.hpp"
#include "near_sizes.hpp"
#include "tests/gpu/dealt_blocks.hpp"
#include "tests/gpu/usable_device.hpp"

namespace gable::gpu::test {
namespace {

using Dealing = NeedsDevice<>;

DeviceFacts first_device() {
  const auto devices = query_devices();
  return find_facts(devices, built_for(), make_probe(devices, built_for()).devices.front().id);
}

/// How many of `blocks` blocks each unit has, `each` of which have room in one at once.
std::map<std::uint32_t, int> blocks_of_units(const DeviceFacts& device, int blocks, int each) {
  const double room = std::min(device.shared_per_multiprocessor_bytes / each, device.shared_per_block_bytes);
  std::map<std::uint32_t, int> of_unit;
  for (const HardwareId& place : dealt_blocks(blocks, static_cast<std::size_t>(room) / 1024 * 1024)) {
    ++of_unit[unit_of_wave(device.isa, place)];
  }
  return of_unit;
}

TEST_F(Dealing, BlocksOfAComputeCeilingAndOfANearReadAreSpreadEvenly) {
  const auto device = first_device();
  std::set<int> all_each;
  for (const auto& kernel : compute_kernels()) {
    if (kernel.reason.empty()) all_each.insert(kernel.blocks_per_multiprocessor);
  }
  ASSERT_FALSE(all_each.empty());
  all_each.insert(near_blocks_each);
  for (const int each : all_each) {
    SCOPED_TRACE(testing::Message() << each << " blocks a unit at once");
    const int blocks = compute_blocks(device.isa, device.multiprocessors, each);
    const auto of_unit = blocks_of_units(device, blocks, each);
    // The driver counts RDNA's compute units or its workgroup processors, which are two of them.
    const auto units = static_cast<int>(of_unit.size());
    EXPECT_TRUE(units == device.multiprocessors ||
                (device.isa.starts_with("gfx11") && 2 * units == device.multiprocessors))
        << units << " units had blocks, of " << device.multiprocessors;
    const auto by_count = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, most] = std::ranges::minmax_element(of_unit, by_count);
    const double mean = static_cast<double>(blocks) / units;
    RecordProperty("blocks_of_the_least_laden_unit_of_" + std::to_string(each), least->second);
    RecordProperty("blocks_of_the_most_laden_unit_of_" + std::to_string(each), most->second);
    EXPECT_LE(most->second, 1.07 * mean + 1) << "the last unit decides when all are done";
  }
}

/// Streams launch just the blocks that fit. If full engines are waited for, some units have one less at first, and one
/// more in the end.
TEST_F(Dealing, UnitsDifferByAtMostOneBlockFromTheStreamsBlocksThatFit) {
  const auto device = first_device();
  for (const Access access : {Access::read, Access::write, Access::copy, Access::triad}) {
    SCOPED_TRACE(to_string(access));
    const int each = resident_stream_blocks(access), all = device.multiprocessors * each;
    const auto of_unit = blocks_of_units(device, all, each);
    const int fit = all / static_cast<int>(of_unit.size());
    for (const auto& [unit, blocks] : of_unit) {
      EXPECT_LE(blocks, fit + 1) << "unit " << unit;
      EXPECT_GE(blocks, fit - 1) << "unit " << unit;
    }
  }
}

}  // namespace
}  // namespace gable::gpu::test
