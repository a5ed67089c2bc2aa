#include <algorithm>
#include <numeric>

#include "tests/gpu/emulated/instruction_table.hpp"

namespace gable::emulated {
namespace {

constexpr Bits undefined = 0xffffffff;

/// `first` + its number in each lane.
std::vector<Bits> lanes_from(Bits first = 0) {
  std::vector<Bits> all(32);
  std::iota(all.begin(), all.end(), first);
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
        const auto results = in_lanes(shuffle, "%r9", 32, {lanes_from(100)});
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
  std::vector<Bits> reversed = lanes_from();
  std::reverse(reversed.begin(), reversed.end());
  const auto results = in_lanes("mov.u32 %r9, %r0; shfl.sync.idx.b32 %r9, %r9, %r1, 31, 0xffffffff;", "%r9", 32,
                                {lanes_from(100), reversed});
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(results[lane], 100 + 31 - lane);
}

/// Even and odd lanes are two groups: each lane's member mask says which.
TEST(EmulatedExchange, GroupsOfLanesVote) {
  const auto results = in_lanes(
      "and.b32 %r2, %r0, 1; shl.b32 %r3, 0x55555555, %r2; setp.ge.u32 %p1, %r0, 16;"
      "vote.sync.ballot.b32 %r9, %p1, %r3;",
      "%r9", 32, {lanes_from()});
  for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(results[lane], lane % 2 == 0 ? 0x55550000 : 0xaaaa0000);
}

TEST(EmulatedExchange, MemberMasksAreChecked) {
  const std::string before = "setp.lt.u32 %p1, %r0, 16; setp.eq.u32 %p2, %r0, 9; selp.b32 %r2, 0xffff, -1, %p1; ";
  const std::vector<std::pair<std::string, std::string>> faults{
      {"shfl.sync.idx.b32 %r9, %r0, 0, 31, 0xfffffffe;", "lane 0 is not in its own member mask"},
      {"vote.sync.ballot.b32 %r9, %p1, 0xffff;", "lane 16 is not in its own member mask"},
      {"@%p1 shfl.sync.down.b32 %r9, %r0, 1, 31, -1; bar.warp.sync -1;", "lane 16 is in the member mask and not here"},
      {"@!%p2 vote.sync.ballot.b32 %r9, %p1, -1; bar.warp.sync -1;", "lane 9 is in the member mask and not here"},
      {"shfl.sync.idx.b32 %r9, %r0, 0, 31, %r2;", "lanes 16 and 0 name different members"},
      {"vote.ballot.b32 %r9, %p1;", "unknown instruction"},
      {"bar.warp.sync 0xfffffffe;", "lane 0 is not in its own member mask"},
      {"bar.warp.sync %r2;", "lanes 16 and 0 name different members"},
  };
  for (const auto& [statement, words] : faults) {
    EXPECT_NE(failure_of(before + statement).find(words), std::string::npos) << statement;
  }
  EXPECT_EQ(failure_of(before + "@%p1 shfl.sync.down.b32 %r9, %r0, 1, 31, 0xffff;"), "");
}

TEST(EmulatedExchange, LanesWaitForThoseThatComeAnotherWay) {
  const auto results = in_lanes(
      "setp.lt.u32 %p1, %r0, 16; mov.u32 %r1, 7; @%p1 bra far; near: shfl.sync.idx.b32 %r9, %r1, 3, 31, -1; bra end;"
      "far: mov.u32 %r1, 8; bra near; end:",
      "%r9", 32, {lanes_from()});
  EXPECT_EQ(results, std::vector<Bits>(32, 8));
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
      "%r9", 32, {lanes_from()});
  for (std::size_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(masked[lane], lane == 2 || lane == 3 ? undefined : lane < 30 ? lane + 2 : lane);
}

}  // namespace
}  // namespace gable::emulated
