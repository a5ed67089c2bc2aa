#include <gtest/gtest.h>

#include <array>
#include <cstddef>
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

/// What AMD's matrix instruction calculator prints as the register layout of D, for gfx90a, gfx942 and gfx950 alike.
TEST(LaneMap, ResultsOfMfmaLieWhereAmdsTablesHaveThem) {
  // v_mfma_f32_32x32x8_f16 and all others of 32 x 32 with one block
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

/// Depths of A and B in the elements of the lanes that hold their row (column) 0, in the order of the lanes.
void expect_depths(const Rows& depths, int side, int groups) {
  for (std::size_t group = 0; group < depths.size(); ++group) {
    const auto count = static_cast<int>(depths[group].size());
    for (int row = 0; row < side; ++row) {
      const int lane = static_cast<int>(group) * side + row;
      EXPECT_EQ(operand_row(lane, side), row) << "lane " << lane;
      for (int element = 0; element < count; ++element) {
        EXPECT_EQ(operand_k(lane, element, side, groups, count), depths[group][static_cast<std::size_t>(element)])
            << "lane " << lane << ", element " << element;
      }
    }
  }
}

/// AMD's matrix instruction calculator, register layout of A and of B.
TEST(LaneMap, OperandsOfMfmaLieWhereAmdsTablesHaveThem) {
  expect_depths({{0, 1, 2, 3}, {4, 5, 6, 7}}, 32, 2);  // v_mfma_f32_32x32x8_f16
  expect_depths({{0}, {1}}, 32, 2);                    // v_mfma_f32_32x32x2_f32
  expect_depths({{0}, {1}, {2}, {3}}, 16, 4);          // v_mfma_f64_16x16x4_f64
}
/// RDNA3 Instruction Set Architecture, WMMA, layout of A and B in wave32: a lane has all of a row, and lanes 16 to 31
/// repeat the first ones.
TEST(LaneMap, OperandsOfWmmaLieWhereAmdsTableHasThem) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  expect_depths({all, all}, 16, 1);
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
      {31, {{{7, 3}, {15, 3}, {7, 7}, {15, 7}}}, {3, 7}, 7, {{{7, 6}, {7, 7}, {15, 6}, {15, 7}}}},
  };
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
