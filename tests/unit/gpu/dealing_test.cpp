#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/hip/near_sizes.hpp"
#include "tests/gpu/unit_of_wave.hpp"

namespace gable::gpu::test {
namespace {

/// How a die deals blocks to its compute units: its shader engines take turns, and a block goes to the unit of the
/// engine that has the fewest. A full engine is passed over, or everything waits for it: documents do not say which.
struct Die {
  std::vector<int> units;  ///< of each engine
  int room;                ///< blocks that fit into a unit at once
  bool passes_over;
};

/// What a grid of blocks of equal work reaches of the die's rate: 1 if all units finish together. Blocks of a unit
/// share its rate, so it is as fast with one as with several.
double reached(const Die& die, int blocks) {
  std::vector<std::vector<std::vector<double>>> left(die.units.size());  // [engine][unit][block], work
  for (std::size_t e = 0; e < left.size(); ++e) left[e].resize(static_cast<std::size_t>(die.units[e]));
  const auto room = static_cast<std::size_t>(die.room);
  std::size_t turn = 0;
  int waiting = blocks;
  const auto deal = [&] {
    for (std::size_t passed = 0; waiting > 0 && passed < left.size();) {
      auto& engine = left[turn];
      const auto unit = std::ranges::min_element(engine, {}, [](const auto& held) { return held.size(); });
      if (unit->size() < room) {
        unit->push_back(1.0);
        --waiting;
        passed = 0;
      } else if (die.passes_over) {
        ++passed;
      } else {
        return;
      }
      turn = (turn + 1) % left.size();
    }
  };
  double time = 0;
  for (deal();; deal()) {
    double next = std::numeric_limits<double>::infinity();
    for (const auto& engine : left) {
      for (const auto& unit : engine) {
        for (const double work : unit) next = std::min(next, work * static_cast<double>(unit.size()));
      }
    }
    if (next == std::numeric_limits<double>::infinity()) break;
    time += next;
    for (auto& engine : left) {
      for (auto& unit : engine) {
        const double done = next / static_cast<double>(unit.size());
        for (double& work : unit) work -= done;
        std::erase_if(unit, [](double work) { return work < 1e-9; });
      }
    }
  }
  int units = 0;
  for (const int of_engine : die.units) units += of_engine;
  return static_cast<double>(blocks) / units / time;
}

/// A die of an MI300X has 38 units on four engines, one of an MI250X 110 on eight: as even as that can be.
const std::vector<int> mi300x_die = {10, 10, 9, 9};
const std::vector<int> mi250x_die = {14, 14, 14, 14, 14, 14, 13, 13};

/// Two blocks for each unit: the smaller engines get more than two for each of theirs, and one unit works alone at the
/// end.
TEST(Dealing, AGridOfJustTheBlocksThatAUnitNeedsIsUneven) {
  EXPECT_NEAR(reached({mi300x_die, 8, true}, 38 * 2), 2.0 / 3, 1e-6);
  EXPECT_NEAR(reached({mi250x_die, 8, true}, 110 * 2), 2.0 / 3, 1e-6);
  EXPECT_NEAR(reached({{10, 10, 10, 10}, 8, true}, 40 * 2), 1.0, 1e-6) << "even engines";
}

/// The near reads' LDS leaves room for just those of their blocks that a unit needs; where a full engine holds up all
/// others, a grid of no more leaves units with fewer.
TEST(Dealing, ExactlyWhatFitsIsUnevenWhereAFullEngineIsWaitedFor) {
  EXPECT_NEAR(reached({mi300x_die, near_blocks_each, true}, 38 * near_blocks_each), 1.0, 1e-6);
  EXPECT_LT(reached({mi300x_die, near_blocks_each, false}, 38 * near_blocks_each), 0.93);
  EXPECT_LT(reached({mi250x_die, 2 * near_blocks_each, true}, 110 * near_blocks_each), 0.93) << "L1: room for more";
}

/// Streams launch just the blocks that fit (memory_benchmark.cpp has the reason): eight a unit. Where a full engine
/// holds up all others, its last blocks begin when most are done.
TEST(Dealing, AGridOfStreamsIsEvenUnlessAFullEngineIsWaitedFor) {
  constexpr int resident = 8;
  for (const auto& units : {mi300x_die, mi250x_die}) {
    const int blocks = std::accumulate(units.begin(), units.end(), 0) * resident;
    EXPECT_NEAR(reached({units, resident, true}, blocks), 1.0, 1e-6);
    EXPECT_NEAR(reached({units, resident, false}, blocks), 8.0 / 9, 1e-6);
  }
}

TEST(Dealing, TheGridsOfComputeKernelsAndNearReadsAreDealtEvenly) {
  for (const bool passes_over : {true, false}) {
    for (const int each : {2, near_blocks_each}) {
      for (const int room : {2, 4, 8}) {
        EXPECT_GE(reached({mi300x_die, room, passes_over}, compute_blocks("gfx942", 38, each)), 0.93) << room << each;
        EXPECT_GE(reached({mi250x_die, room, passes_over}, compute_blocks("gfx90a", 110, each)), 0.93) << room << each;
      }
    }
  }
}

/// What the GPU test of dealing reads: a number for each unit. Registers as the ISA guides lay them out, with another
/// unit, array, engine or die in each.
TEST(Dealing, HardwareIdsNameUnits) {
  const auto cdna = [](std::uint32_t engine, std::uint32_t array, std::uint32_t unit) {
    return 3U | 2U << 4 | 1U << 6 | unit << 8 | array << 12 | engine << 13 | 5U << 16;  // wave, SIMD and pipe; group
  };
  std::set<std::uint32_t> seen;
  for (const std::uint32_t unit : {0U, 13U, 15U}) {
    for (const std::uint32_t engine : {0U, 4U, 7U}) seen.insert(unit_of_wave("gfx90a", {cdna(engine, 0, unit), 0}));
  }
  EXPECT_EQ(seen.size(), 9U);
  seen.clear();
  for (const std::uint32_t die : {0U, 7U}) {
    for (const std::uint32_t engine : {0U, 3U}) {
      for (const std::uint32_t unit : {0U, 9U}) {
        // Bit 15 is not of the engine here.
        EXPECT_EQ(unit_of_wave("gfx942", {cdna(engine, 0, unit) | 1U << 15, die}),
                  unit_of_wave("gfx942", {cdna(engine, 0, unit), die}));
        seen.insert(unit_of_wave("gfx942", {cdna(engine, 0, unit), die}));
      }
    }
  }
  EXPECT_EQ(seen.size(), 8U);
  seen.clear();
  for (const std::uint32_t engine : {0U, 5U}) {
    for (const std::uint32_t array : {0U, 1U}) {
      for (const std::uint32_t processor : {0U, 3U}) {
        const std::uint32_t hw_id1 = 7U | processor << 10 | array << 16 | engine << 18;
        // SIMDs of one workgroup processor are one unit.
        EXPECT_EQ(unit_of_wave("gfx1100", {hw_id1 | 3U << 8, 0}), unit_of_wave("gfx1100", {hw_id1, 0}));
        seen.insert(unit_of_wave("gfx1100", {hw_id1, 0}));
      }
    }
  }
  EXPECT_EQ(seen.size(), 8U);
}

/// NVIDIA's are dealt to whichever multiprocessor has room, and all are there from the start.
TEST(Dealing, GridsOfOthersAreWhatFits) { EXPECT_EQ(compute_blocks("sm_90", 132, 4), 132 * 4); }

}  // namespace
}  // namespace gable::gpu::test
