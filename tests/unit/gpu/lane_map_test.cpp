#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "backends/cuda/kernels/lane_map.hpp"
#include "backends/hip/kernels/lane_map.hpp"

namespace gable::gpu::test {
namespace {

/// Rows of D in the registers of the lanes that hold its column 0, in the order of the lanes.
using Rows = std::vector<std::vector<int>>;

template <class Map>
void expect_rows(const Rows& rows, int side, const Map& map) {
  for (std::size_t group = 0; group < rows.size(); ++group) {
    for (std::size_t element = 0; element < rows[group].size(); ++element) {
      for (int column = 0; column < side; ++column) {
        const int lane = static_cast<int>(group) * side + column;
        EXPECT_EQ(map(lane, static_cast<int>(element)), rows[group][element]) << "lane " << lane << ", v" << element;
      }
    }
  }
}

/// What AMD's matrix instruction calculator prints as the register layout of D, for gfx90a and gfx942 alike; gfx950:
/// the instructions that AMD's Composable Kernel has for it keep its groups of four rows.
TEST(LaneMap, ResultsOfMfmaLieWhereAmdsTablesHaveThem) {
  // All of 32 x 32 with one block, whatever they multiply: v_mfma_f32_32x32x2_f32, ..._32x32x4_xf32, ..._32x32x8_f16,
  // ..._32x32x8_bf16, ..._32x32x16_fp8_fp8, ..._32x32x16_bf8_bf8, v_mfma_i32_32x32x8i8, ..._32x32x16_i8; gfx950:
  // v_mfma_f32_32x32x16_f16, ..._32x32x16_bf16, ..._32x32x64_f8f6f4, v_mfma_i32_32x32x32_i8
  expect_rows({{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27},
               {4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31}},
              32, mfma32_row);
  // v_mfma_f64_16x16x4_f64
  expect_rows({{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}, 16, mfma_fp64_row);
}

/// RDNA3 Instruction Set Architecture, WMMA, layout of C and D in wave32.
TEST(LaneMap, ResultsOfWmmaLieWhereAmdsTableHasThem) {
  expect_rows({{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}}, 16, wmma_row);
}

/// Depths of A and B in the elements of the lanes that hold their row (column) 0, in the order of the lanes. A kernel
/// that reads a lane's `bits` wide elements as one piece of memory asks where that begins, in bytes.
struct Operands {
  std::string_view instruction;
  int bits;
  Rows depths;
};
void expect_depths(const Operands& operands, int side, int groups) {
  SCOPED_TRACE(operands.instruction);
  const Rows& depths = operands.depths;
  for (std::size_t group = 0; group < depths.size(); ++group) {
    const auto count = static_cast<int>(depths[group].size());
    for (int row = 0; row < side; ++row) {
      const int lane = static_cast<int>(group) * side + row;
      EXPECT_EQ(operand_row(lane, side), row) << "lane " << lane;
      for (int element = 0; element < count; ++element) {
        EXPECT_EQ(operand_k(lane, element, side, groups, count), depths[group][static_cast<std::size_t>(element)])
            << "lane " << lane << ", element " << element;
      }
      EXPECT_EQ(operand_k(lane, 0, side, groups, count * operands.bits / 8) * 8, depths[group][0] * operands.bits)
          << "bytes before those of lane " << lane;
    }
  }
}

/// `of_lane` numbers in a row for each of `groups` groups of lanes.
Rows in_a_row(int groups, int of_lane) {
  Rows depths(static_cast<std::size_t>(groups));
  int next = 0;
  for (auto& group : depths) {
    for (int i = 0; i < of_lane; ++i) group.push_back(next++);
  }
  return depths;
}

/// gfx90a and gfx942: AMD's matrix instruction calculator, register layout of A, and of B, which is the same. gfx950:
/// AMD's Composable Kernel, in whose table of instructions a lane has `k_per_blk` of the depth for each of its
/// `num_input_blks` groups of lanes.
TEST(LaneMap, OperandsOfMfmaLieWhereAmdsTablesHaveThem) {
  const std::vector<Operands> of_32 = {
      {"v_mfma_f32_32x32x2_f32", 32, {{0}, {1}}},
      {"v_mfma_f32_32x32x4_xf32", 32, {{0, 1}, {2, 3}}},
      {"v_mfma_f32_32x32x8_f16", 16, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
      {"v_mfma_f32_32x32x8_bf16", 16, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
      {"v_mfma_i32_32x32x8i8", 8, {{0, 1, 2, 3}, {4, 5, 6, 7}}},
      {"v_mfma_i32_32x32x16_i8", 8, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}},
      {"v_mfma_f32_32x32x16_fp8_fp8", 8, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}},
      {"v_mfma_f32_32x32x16_bf8_bf8", 8, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}},
      {"v_mfma_f32_32x32x16_f16", 16, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}},
      {"v_mfma_f32_32x32x16_bf16", 16, {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}},
      {"v_mfma_i32_32x32x32_i8", 8, in_a_row(2, 16)},
      // Here k_per_blk is 32. A lane has these 32 one behind the other, in 4 words of 4 bits or 6 of 6 bits; with 8
      // bits see below.
      {"v_mfma_f32_32x32x64_f8f6f4 of 4 bits", 4, in_a_row(2, 32)},
      {"v_mfma_f32_32x32x64_f8f6f4 of 6 bits", 6, in_a_row(2, 32)}};
  for (const Operands& operands : of_32) expect_depths(operands, 32, 2);
  const std::vector<Operands> of_16 = {
      {"v_mfma_f64_16x16x4_f64", 64, {{0}, {1}, {2}, {3}}},
      {"v_mfma_f32_16x16x4_f32", 32, {{0}, {1}, {2}, {3}}},
      {"v_mfma_f32_16x16x16_f16", 16, {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}},
      {"v_mfma_f32_16x16x16_bf16", 16, {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}},
      {"v_mfma_i32_16x16x16i8", 8, {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}},
      {"v_mfma_i32_16x16x32_i8", 8, in_a_row(4, 8)},
      {"v_mfma_f32_16x16x32_f16", 16, in_a_row(4, 8)},
      {"v_mfma_f32_16x16x32_bf16", 16, in_a_row(4, 8)},
      {"v_mfma_i32_16x16x64_i8", 8, in_a_row(4, 16)}};
  for (const Operands& operands : of_16) expect_depths(operands, 16, 4);
}

/// Of 8 bits v_mfma_f32_32x32x64_f8f6f4 takes a lane's first 16 elements from one half of the depth and its last 16
/// from the other ("Matrix Core Programming on AMD CDNA3 and CDNA4 architecture", ROCm blogs, figure 9); the kernel
/// hands over 32 neighbours of A and of B. So the depth is summed in another order, the same for A and B, each of its
/// elements once: no result differs while all scales are the same.
TEST(LaneMap, EightBitsOfF8f6f4AreTheSameDepthsInAnotherOrder) {
  std::vector<int> brought_as(64, -1);  // of each depth of the instruction, the depth that the kernel brings as it
  for (const int lane : {0, 32}) {
    for (int element = 0; element < 32; ++element) {
      const int taken_as = element / 16 * 32 + lane / 32 * 16 + element % 16;
      brought_as[static_cast<std::size_t>(taken_as)] = operand_k(lane, element, 32, 2, 32);
    }
  }
  EXPECT_EQ(brought_as[16], 32) << "another order than the instruction's";
  std::ranges::sort(brought_as);
  EXPECT_EQ(brought_as, in_a_row(1, 64).front());
}

/// RDNA3 Instruction Set Architecture, WMMA, layout of A and B in wave32: a lane has all of a row, and lanes 16 to 31
/// repeat the first ones.
TEST(LaneMap, OperandsOfWmmaLieWhereAmdsTableHasThem) {
  const std::vector<int> all = in_a_row(1, 16).front();
  for (const Operands& operands :
       {Operands{"v_wmma_f32_16x16x16_f16, ..._bf16", 16, {all, all}},
        Operands{"v_wmma_i32_16x16x16_iu8", 8, {all, all}}, Operands{"v_wmma_i32_16x16x16_iu4", 4, {all, all}}}) {
    expect_depths(operands, 16, 1);
  }
}

/// Words of A, B and elements of C of a lane, as the figures of the PTX ISA ("Matrix Fragments for mma.m16n8k16 with
/// floating point type" and its like) draw them; columns of A and rows of B in words of 32 bits, of doubles for .f64.
struct Drawn {
  int lane;
  std::array<std::array<int, 2>, 4> a;  ///< row, word
  std::array<int, 2> b;                 ///< words; the column is c's
  int b_column;
  std::array<std::array<int, 2>, 4> c;  ///< row, column
};

TEST(LaneMap, FragmentsOfMmaLieWherePtxDrawsThem) {
  // m16n8k16 of 16 bits: T5's a0 a1 are row 1, columns 2 and 3; a2 a3 row 9; a4 a5 row 1, columns 10 and 11. m16n8k8 of
  // tf32 and m16n8k32 of 8 bits draw the same words.
  const std::vector<Drawn> figures = {
      {0, {{{0, 0}, {8, 0}, {0, 4}, {8, 4}}}, {0, 4}, 0, {{{0, 0}, {0, 1}, {8, 0}, {8, 1}}}},
      {5, {{{1, 1}, {9, 1}, {1, 5}, {9, 5}}}, {1, 5}, 1, {{{1, 2}, {1, 3}, {9, 2}, {9, 3}}}},
      {30, {{{7, 2}, {15, 2}, {7, 6}, {15, 6}}}, {2, 6}, 7, {{{7, 4}, {7, 5}, {15, 4}, {15, 5}}}},
      {31, {{{7, 3}, {15, 3}, {7, 7}, {15, 7}}}, {3, 7}, 7, {{{7, 6}, {7, 7}, {15, 6}, {15, 7}}}}};
  for (const Drawn& drawn : figures) {
    const auto lane = LaneMap::of(drawn.lane);
    EXPECT_EQ(lane.b_column(), drawn.b_column);
    for (int i = 0; i < 4; ++i) {
      const auto place = static_cast<std::size_t>(i);
      EXPECT_EQ(lane.a_row(i), drawn.a[place][0]) << "T" << drawn.lane << " a" << i;
      EXPECT_EQ(lane.a_word(i), drawn.a[place][1]) << "T" << drawn.lane << " a" << i;
      EXPECT_EQ(lane.c_row(i), drawn.c[place][0]) << "T" << drawn.lane << " c" << i;
      EXPECT_EQ(lane.c_column(i), drawn.c[place][1]) << "T" << drawn.lane << " c" << i;
    }
    for (int i = 0; i < 2; ++i) EXPECT_EQ(lane.b_word(i), drawn.b[static_cast<std::size_t>(i)]);
  }
}

/// "Matrix Fragments for mma.m16n8k16 with .f64": eight doubles of A and four of B. T5 has columns 1, 5, 9 and 13.
TEST(LaneMap, WideFragmentsOfDoublesLieWherePtxDrawsThem) {
  const auto lane = LaneMap::of(5);
  const std::array<std::array<int, 2>, 8> a = {{{1, 1}, {9, 1}, {1, 5}, {9, 5}, {1, 9}, {9, 9}, {1, 13}, {9, 13}}};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(lane.a_row(i), a[static_cast<std::size_t>(i)][0]);
    EXPECT_EQ(lane.a_word(i), a[static_cast<std::size_t>(i)][1]);
  }
  const std::array<int, 4> b = {1, 5, 9, 13};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(lane.b_word(i), b[static_cast<std::size_t>(i)]);
}

/// "WGMMA .m64nNk16 register fragment layout for accumulator matrix D". A block here has two warpgroups.
TEST(LaneMap, ResultsOfWgmmaLieWherePtxDrawsThem) {
  struct Place {
    int thread, element, row, column;
  };
  for (const Place& place : {Place{0, 0, 0, 0},
                             {0, 1, 0, 1},
                             {0, 2, 8, 0},
                             {0, 3, 8, 1},
                             {0, 4, 0, 8},
                             {5, 0, 1, 2},
                             {5, 6, 9, 10},
                             {31, 3, 15, 7},
                             {32, 0, 16, 0},
                             {127, 3, 63, 7},
                             {127, 127, 63, 255},
                             {128, 0, 64, 0}}) {
    EXPECT_EQ(wgmma_row(place.thread, place.element), place.row) << place.thread << " d" << place.element;
    EXPECT_EQ(wgmma_column(place.thread, place.element), place.column) << place.thread << " d" << place.element;
  }
}

}  // namespace
}  // namespace gable::gpu::test
