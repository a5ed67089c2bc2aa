#include <algorithm>

#include "tests/gpu/emulated/instruction_table.hpp"

namespace gable::emulated {
namespace {

constexpr Bits undefined = 0xffffffff;

/// 100 + its number in each lane.
std::vector<Bits> hundreds() {
  std::vector<Bits> all(32);
  for (std::size_t lane = 0; lane < 32; ++lane) all[lane] = 100 + lane;
  return all;
}
std::vector<Bits> lanes() {
  std::vector<Bits> all(32);
  for (std::size_t lane = 0; lane < 32; ++lane) all[lane] = lane;
  return all;
}

/// Which lane of its segment of `width` lanes a lane reads; -1: none, it keeps its own.
int expected_source(const std::string& mode, int lane, int operand, int width) {
  const int begin = lane / width * width, end = begin + width;
  if (mode == "up") return lane - operand >= begin ? lane - operand : -1;
  if (mode == "down") return lane + operand < end ? lane + operand : -1;
  if (mode == "bfly") return (lane ^ operand) < end ? lane ^ operand : -1;
  return begin + operand % width;
}

TEST(EmulatedExchange, ShufflesInSegments) {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const int width : {2, 8, 32}) {
      for (const int operand : {0, 1, 3, 16, 31}) {
        const int limits = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        const std::string shuffle = "shfl.sync." + mode + ".b32 %r8|%p1, %r0, " + std::to_string(operand) + ", " +
                                    std::to_string(limits) +
                                    ", -1; selp.b32 %r9, 1, 0, %p1; mad.lo.u32 %r9, %r9, 1000, %r8;";
        const auto results = in_lanes(shuffle, "%r9", 32, {hundreds()});
        for (int lane = 0; lane < 32; ++lane) {
          const int source = expected_source(mode, lane, operand, width);
          EXPECT_EQ(results[static_cast<std::size_t>(lane)], static_cast<Bits>(source < 0 ? 100 + lane : 1100 + source))
              << shuffle << " lane " << lane;
        }
      }
    }
  }
}

TEST(EmulatedExchange, LanesReadWhichTheyLike) {
  std::vector<Bits> reversed = lanes();
  std::reverse(reversed.begin(), reversed.end());
  const auto results =
      in_lanes("mov.u32 %r9, %r0; shfl.sync.idx.b32 %r9, %r9, %r1, 31, 0xffffffff;", "%r9", 32, {hundreds(), reversed});
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(results[lane], 100 + 31 - lane);
}

/// Even and odd lanes are two groups: each lane's member mask says which.
TEST(EmulatedExchange, GroupsOfLanes) {
  const std::string groups =
      "and.b32 %r2, %r0, 1; shl.b32 %r3, 0x55555555, %r2; setp.ge.u32 %p1, %r0, 16;"
      "setp.eq.u32 %p2, %r2, 1; setp.lt.u32 %p3, %r0, 32; ";
  struct Exchange {
    std::string statement;
    Bits even, odd;
  };
  const std::vector<Exchange> all{
      {"vote.sync.ballot.b32 %r9, %p1, %r3;", 0x55550000, 0xaaaa0000},
      {"vote.sync.ballot.b32 %r9, !%p1, %r3;", 0x00005555, 0x0000aaaa},
      {"vote.sync.any.pred %p9, %p2, %r3; selp.b32 %r9, 1, 0, %p9;", 0, 1},
      {"vote.sync.all.pred %p9, %p1, %r3; selp.b32 %r9, 1, 0, %p9;", 0, 0},
      {"vote.sync.all.pred %p9, %p3, %r3; selp.b32 %r9, 1, 0, %p9;", 1, 1},
      {"vote.sync.uni.pred %p9, %p2, %r3; selp.b32 %r9, 1, 0, %p9;", 1, 1},
      {"vote.sync.uni.pred %p9, %p1, %r3; selp.b32 %r9, 1, 0, %p9;", 0, 0},
      {"redux.sync.add.u32 %r9, %r0, %r3;", 240, 256},
      {"redux.sync.min.u32 %r9, %r0, %r3;", 0, 1},
      {"redux.sync.max.s32 %r9, %r0, %r3;", 30, 31},
      {"redux.sync.or.b32 %r9, %r0, %r3;", 30, 31},
      {"redux.sync.and.b32 %r9, %r0, %r3;", 0, 1},
      {"redux.sync.xor.b32 %r9, %r0, %r3;", 0, 0},
      {"sub.s32 %r1, %r0, 5; redux.sync.min.s32 %r9, %r1, %r3;", Bits{0xfffffffb}, Bits{0xfffffffc}},
      {"sub.s32 %r1, %r0, 5; redux.sync.max.u32 %r9, %r1, %r3;", Bits{0xffffffff}, Bits{0xfffffffe}},
      {"match.all.sync.b32 %r9|%p9, %r2, %r3;", 0x55555555, 0xaaaaaaaa},
      {"match.all.sync.b32 %r9|%p9, %r0, %r3;", 0, 0},
      {"match.any.sync.b32 %r9, 7, %r3;", 0x55555555, 0xaaaaaaaa},
      {"elect.sync %r9|%p9, %r3;", 0, 1},
      {"activemask.b32 %r9;", 0xffffffff, 0xffffffff},
      {"@%p1 activemask.b32 %r9; @!%p1 mov.u32 %r9, 0xffff0000;", 0xffff0000, 0xffff0000},
  };
  for (const Exchange& exchange : all) {
    const auto results = in_lanes(groups + exchange.statement, "%r9", 32, {lanes()});
    for (std::size_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(results[lane], lane % 2 == 0 ? exchange.even : exchange.odd) << exchange.statement << " lane " << lane;
    }
  }
}

TEST(EmulatedExchange, MatchesOfValues) {
  std::vector<Bits> values(32), high(32);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    values[lane] = lane % 3;
    high[lane] = Bits{lane / 16} << 32 | 5;
  }
  const auto three = in_lanes("match.any.sync.b32 %r9, %r0, -1;", "%r9", 32, {values});
  const auto halves = in_lanes("match.any.sync.b64 %r9, %rd0, -1;", "%r9", 32, {high});
  const auto predicate = in_lanes("match.all.sync.b32 %r8|%p1, %r0, -1; selp.b32 %r9, 1, 0, %p1;", "%r9", 32, {high});
  for (std::size_t lane = 0; lane < 32; ++lane) {
    Bits same = 0;
    for (std::size_t other = lane % 3; other < 32; other += 3) same |= Bits{1} << other;
    EXPECT_EQ(three[lane], same);
    EXPECT_EQ(halves[lane], lane < 16 ? 0x0000ffffU : 0xffff0000U);
    EXPECT_EQ(predicate[lane], 1U);  // of the lower 32 bits
  }
}

TEST(EmulatedExchange, ElectionNamesOneLane) {
  const auto results = in_lanes(
      "mov.u32 %r9, 99; setp.ge.u32 %p1, %r0, 4; @%p1 elect.sync %r8|%p2, 0xfffffff0;"
      "@!%p1 bra after; selp.b32 %r9, %r8, 50, %p2; after:",
      "%r9", 32, {lanes()});
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(results[lane], lane < 4 ? 99U : lane == 4 ? 4U : 50U);
}

TEST(EmulatedExchange, MemberMasksAreChecked) {
  const auto failure = [](const std::string& statements) -> std::string {
    try {
      in_lanes("setp.lt.u32 %p1, %r0, 16; setp.eq.u32 %p2, %r0, 9; selp.b32 %r2, 0xffff, -1, %p1; " + statements, "%r9",
               32, {lanes()});
    } catch (const EmulationError& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<std::pair<std::string, std::string>> faults{
      {"shfl.sync.idx.b32 %r9, %r0, 0, 31, 0xfffffffe;", "lane 0 is not in its own member mask"},
      {"vote.sync.ballot.b32 %r9, %p1, 0xffff;", "lane 16 is not in its own member mask"},
      {"@%p1 shfl.sync.down.b32 %r9, %r0, 1, 31, -1;", "lane 16 is in the member mask and not here"},
      {"@!%p2 redux.sync.add.u32 %r9, %r0, -1;", "lane 9 is in the member mask and not here"},
      {"@!%p2 match.any.sync.b32 %r9, %r0, -1;", "lane 9 is in the member mask and not here"},
      {"@!%p2 elect.sync %r9|%p3, -1;", "lane 9 is in the member mask and not here"},
      {"shfl.sync.idx.b32 %r9, %r0, 0, 31, %r2;", "lanes 16 and 0 name different members"},
      {"vote.ballot.b32 %r9, %p1;", "without .sync"},
  };
  for (const auto& [statement, words] : faults) {
    EXPECT_NE(failure(statement).find(words), std::string::npos) << statement << failure(statement);
  }
  EXPECT_EQ(failure("@%p1 shfl.sync.down.b32 %r9, %r0, 1, 31, 0xffff;"), "");
}

/// Lanes that have ended, or that a block of 16 threads never had, may be in the mask; what is read from them is
/// nothing.
TEST(EmulatedExchange, LanesThatHaveEnded) {
  std::vector<std::uint32_t> results(32);
  PtxKernel kernel{
      "add.s64 %b0, %b0, %o4; cvt.u32.u64 %r0, %o1; shfl.sync.down.b32 %r9, %r0, 8, 31, -1;"
      "st.global.u32 [%b0], %r9;"};
  kernel.threads = 16;
  kernel.run(results);
  for (std::size_t lane = 0; lane < 16; ++lane) EXPECT_EQ(results[lane], lane < 8 ? lane + 8 : undefined);
  // A lane that is here and not in the mask is none to read from either.
  const auto masked = in_lanes(
      "mov.u32 %r9, 0; setp.lt.u32 %p1, %r0, 4; selp.b32 %r2, 0xf, 0xfffffff0, %p1;"
      "shfl.sync.down.b32 %r9, %r0, 2, 31, %r2;",
      "%r9", 32, {lanes()});
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(masked[lane], lane == 2 || lane == 3 ? undefined : lane < 30 ? lane + 2 : lane);
}

}  // namespace
}  // namespace gable::emulated
