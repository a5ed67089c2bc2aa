#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "operators/device/tile/warp/attention_block.hpp"
#include "operators/device/tile/warp/mfma.hpp"
#include "operators/device/tile/warp/mma.hpp"
#include "operators/device/tile/warp/product_block.hpp"
#include "operators/device/tile/warp/wgmma.hpp"
#include "operators/device/tile/warp/wmma.hpp"
#include "tests/unit/tile/emulated_machine.hpp"

namespace gable::device::tile::warp {
namespace {

/// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type", accumulator: row = groupID for c0, c1 and
/// groupID + 8 for c2, c3; column = threadID_in_group * 2 + (i & 1).
TEST(TileLayout, HeldIsTheAccumulatorOfM16n8k16) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int row = i < 2 ? lane >> 2 : (lane >> 2) + 8, column = (lane % 4) * 2 + (i & 1);
      EXPECT_EQ(Mma::Held<Fp16>::row(lane, i / 2), row);
      EXPECT_EQ(Mma::Held<Fp16>::column(lane, 0) + i % 2, column);
      EXPECT_EQ(Mma::Held<Bf16>::row(lane, i / 2), row);
      EXPECT_EQ(Mma::Held<Bf16>::column(lane, 0) + i % 2, column);
    }
  }
}

/// "Matrix Fragments for mma.m8n8k4 with .f64": row = groupID, column = threadID_in_group * 2 + (i & 1).
TEST(TileLayout, HeldIsTheAccumulatorOfM8n8k4) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Mma::Held<double>::row(lane, 0), lane >> 2);
      EXPECT_EQ(Mma::Held<double>::column(lane, 0) + i, (lane % 4) * 2 + (i & 1));
    }
  }
}

/// "Matrix Fragments for mma.m16n8k4 with .f64": row = groupID for c0, c1 and groupID + 8 for c2, c3; column =
/// threadID_in_group * 2 + (i & 1).
TEST(TileLayout, HeldIsTheAccumulatorOfM16n8k4) {
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(Mma::Held<double>::row(lane, i / 2), i < 2 ? lane >> 2 : (lane >> 2) + 8);
      EXPECT_EQ(Mma::Held<double>::column(lane, 0) + i % 2, (lane % 4) * 2 + (i & 1));
    }
  }
}

/// "Matrix Fragments for mma.m16n8k32", accumulator of .s32: as that of m16n8k16. Of A a lane has bytes of row groupID,
/// or groupID + 8 for 4 <= i < 8 and i >= 12, and of column threadID_in_group * 4 + (i & 3), 16 more for i >= 8; of B
/// row threadID_in_group * 4 + (i & 3), 16 more for i >= 4, and column groupID. ldmatrix gives a lane of the row whose
/// address lane 8 j + groupID names the four bytes threadID_in_group as word j.
TEST(TileLayout, FragmentsOfM16n8k32AreFourMatricesOfBytes) {
  constexpr int bytes_of_a_half = per_half<std::int8_t>;
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, in_group = lane % 4;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(Mma::Held<std::int8_t>::row(lane, i / 2), i < 2 ? group : group + 8);
      EXPECT_EQ(Mma::Held<std::int8_t>::column(lane, 0) + i % 2, in_group * 2 + (i & 1));
    }
    for (int i = 0; i < 16; ++i) {
      const MatrixRow from = left_matrix_row(8 * (i / 4) + group);
      EXPECT_EQ(from.outer, i / 4 % 2 == 0 ? group : group + 8) << "a" << i;
      EXPECT_EQ(from.inner * bytes_of_a_half + 4 * in_group + i % 4, in_group * 4 + (i & 3) + (i < 8 ? 0 : 16));
    }
    for (int i = 0; i < 8; ++i) {
      const MatrixRow from = right_along_row(8 * (i / 4) + group);
      EXPECT_EQ(from.outer, group) << "b" << i;
      EXPECT_EQ(from.inner * bytes_of_a_half + 4 * in_group + i % 4, in_group * 4 + (i & 3) + (i < 4 ? 0 : 16));
    }
  }
}

/// The tile primitive takes D transposed: a row of D is a column of its tile. AMD's matrix instruction calculator has
/// in v0 to v3 of the lanes 16 g and behind, for v_mfma_f32_16x16x16_f16 and all others of 16 x 16 in 32 bits, the rows
/// 4 g to 4 g + 3, and for v_mfma_f64_16x16x4_f64 g, g + 4, g + 8 and g + 12. Both must come out as neighbours of one
/// row.
TEST(TileLayout, HeldIsTheResultOfMfmaTransposed) {
  constexpr int of_32_bits[4][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}};
  constexpr int of_64_bits[4][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(Mfma::Held<float>::row(lane, 0), lane % 16);
    EXPECT_EQ(Mfma::Held<double>::row(lane, 0), lane % 16);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(column_along<float>(of_32_bits[lane / 16][i]), Mfma::Held<float>::column(lane, 0) + i);
      EXPECT_EQ(column_along<Bf16>(of_32_bits[lane / 16][i]), Mfma::Held<Bf16>::column(lane, 0) + i);
      EXPECT_EQ(column_along<double>(of_64_bits[lane / 16][i]), Mfma::Held<double>::column(lane, 0) + i);
    }
  }
}

/// RDNA3 Instruction Set Architecture, "Wave Matrix Multiply Accumulate", C and D of wave32: v0 to v7 of lanes 0 to 15
/// are the even rows of a column, those of lanes 16 to 31 the odd ones. Transposed, both halves must come out as
/// neighbours of one row, in two packs of four.
TEST(TileLayout, HeldIsTheResultOfWmmaTransposed) {
  constexpr int rows[2][8] = {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}};
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(Wmma::Held<Fp16>::row(lane, 0), lane % 16);
    EXPECT_EQ(Wmma::Held<std::int8_t>::row(lane, 1), 16 + lane % 16);
    for (int i = 0; i < 8; ++i) {
      const int row = rows[lane / 16][i];
      EXPECT_EQ(wave_column_along(row), Wmma::Held<Fp16>::column(lane, i / 4) + i % 4) << lane << " v" << i;
      // Across the depth a lane brings four neighbours, to as many instructions: v_i of the x-th is in pack i.
      for (int x = 0; x < 4; ++x) {
        EXPECT_EQ(wave_columns_across(row) + x, Wmma::Held<Bf16>::column(lane, i) + x) << lane << " v" << i;
      }
    }
  }
}

/// The same, A and B: lanes 16 to 31 hold what 0 to 15 do, "A data is replicated", and each all 16 of the depth.
TEST(TileLayout, BothHalvesOfAWaveBringTheSameOperands) {
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(wave_column_along(lane), wave_column_along(lane + 16));
    EXPECT_EQ(wave_columns_across(lane), wave_columns_across(lane + 16));
  }
  EXPECT_EQ(sizeof(WaveOperand<Fp16>), 16 * sizeof(Fp16));
  EXPECT_EQ(sizeof(WaveOperand<std::int8_t>), 16 * sizeof(std::int8_t));
}

template <class Form, class T>
void expect_each_element_once(int rows, int columns) {
  using Held = typename Form::template Held<T>;
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < Form::lanes; ++lane) {
    for (int slot = 0; slot < rows / Held::down; ++slot) {
      for (int pack = 0; pack < columns / Held::stride; ++pack) {
        for (int i = 0; i < Held::packed; ++i) seen.emplace(Held::row(lane, slot), Held::column(lane, pack) + i);
      }
    }
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(rows * columns));
  EXPECT_EQ(*seen.rbegin(), std::pair(rows - 1, columns - 1));
}
TEST(TileLayout, LanesHoldEachElementOnce) {
  expect_each_element_once<Mma, double>(64, 32);
  expect_each_element_once<Mma, float>(32, 64);
  expect_each_element_once<Mma, Bf16>(64, 32);
  expect_each_element_once<Wgmma, Bf16>(16, 256);
  expect_each_element_once<Wmma, Fp16>(32, 64);
  expect_each_element_once<Wmma, std::int8_t>(32, 64);
  expect_each_element_once<Mfma, double>(64, 32);
  expect_each_element_once<Mfma, float>(32, 64);
  expect_each_element_once<Mfma, Bf16>(64, 32);
}

/// A compute unit of CDNA2 and CDNA3 has 64 KiB of LDS for four SIMDs. A block has four waves, one on each, and its
/// registers leave room for a second one (build.hip_operators reads them); Kokkos keeps some LDS of every team for its
/// own reductions, a double for each thread and a few.
template <class Block>
void expect_two_at_once(int scratch_bytes) {
  constexpr int of_kokkos = (Block::threads + 32) * 8;
  EXPECT_EQ(Block::warps, 4);
  EXPECT_LE(2 * (scratch_bytes + Mfma::scratch_alignment + of_kokkos), 64 * 1024);
}
template <class Block>
void expect_two_products() {
  EXPECT_EQ(Block::blocks_at_once, 2);
  expect_two_at_once<Block>(Block::most_stages * Block::stage_bytes);
}
template <class Block>
void expect_two_attentions() {
  EXPECT_EQ(Block::blocks_at_once, 2);
  expect_two_at_once<Block>(Block::scratch_bytes);
}
TEST(TileLayout, TwoBlocksShareTheScratchOfACore) {
  using test::EmulatedMfma;
  expect_two_products<ProductBlock<EmulatedMfma, float, false>>();
  expect_two_products<ProductBlock<EmulatedMfma, Fp16, true>>();
  expect_two_products<ProductBlock<EmulatedMfma, Bf16, false, true>>();
  expect_two_products<ProductBlock<EmulatedMfma, std::int8_t, true>>();
  expect_two_attentions<AttentionBlock<EmulatedMfma, double, 64, 16, false>>();
  expect_two_attentions<AttentionBlock<EmulatedMfma, float, 64, 16, true>>();
  expect_two_attentions<AttentionBlock<EmulatedMfma, Fp16, 64, 16, true>>();
  expect_two_attentions<AttentionBlock<EmulatedMfma, Bf16, 128, 16, true>>();
  expect_two_attentions<AttentionBlock<EmulatedMfma, Bf16, 128, 16, false>>();
}

/// CUDA C++ Programming Guide, technical specifications of compute capability 9.0: 228 KiB of shared memory a
/// multiprocessor, 227 KiB of them for one block; the driver keeps 1 KiB of each block.
constexpr int hopper_bytes = 228 * 1024, hopper_block_bytes = 227 * 1024, driver_bytes = 1024;
/// What Kokkos 4.6 grants a team.
constexpr int old_kokkos_bytes = 48 * 1024;

/// One stage is multiplied, one is complete, one is under way: with two, copies begin when they are needed. All blocks
/// that the registers have room for find theirs.
template <class Block>
void expect_ring_of_three() {
  EXPECT_EQ(Block::most_stages, 3);
  EXPECT_LE(Block::blocks_at_once * (3 * Block::stage_bytes + Block::Form::scratch_alignment + driver_bytes),
            hopper_bytes);
  EXPECT_EQ(stages_in<Block>(hopper_block_bytes - Block::Form::scratch_alignment), 3);
  EXPECT_EQ(stages_in<Block>(old_kokkos_bytes - Block::Form::scratch_alignment), 2)
      << "their alignment costs the third";
  EXPECT_EQ(stages_in<Block>(3 * Block::stage_bytes), 3);
  EXPECT_EQ(stages_in<Block>(3 * Block::stage_bytes - 1), 2);
  EXPECT_GE(stages_in<Block>(3 * Block::stage_bytes - 1), Block::least_stages);
}
TEST(TileLayout, RingsOfWarpsHaveThreeStages) {
  using test::EmulatedMma;
  expect_ring_of_three<ProductBlock<EmulatedMma, double, false>>();
  expect_ring_of_three<ProductBlock<EmulatedMma, float, false>>();
  expect_ring_of_three<ProductBlock<EmulatedMma, Fp16, true>>();
  expect_ring_of_three<ProductBlock<EmulatedMma, Bf16, false, true>>();
  expect_ring_of_three<ProductBlock<EmulatedMma, std::int8_t, true>>();
  EXPECT_EQ((ProductBlock<EmulatedMma, Bf16, false>::blocks_at_once), 2);
}
TEST(TileLayout, RingsOfWarpgroupsHaveFourStagesAndNeedThree) {
  using Block = ProductBlock<test::EmulatedWgmma, Bf16, false>;
  EXPECT_EQ(Block::least_stages, 3);
  EXPECT_EQ(stages_in<Block>(hopper_block_bytes - Block::Form::scratch_alignment), 4);
  EXPECT_EQ(stages_in<Block>(4 * Block::stage_bytes - 1), 3);
  EXPECT_LT(stages_in<Block>(old_kokkos_bytes - Block::Form::scratch_alignment), Block::least_stages);
}

template <class Layout>
void expect_one_place_each(int outer, int inner, int segment) {
  std::set<int> places;
  for (int i = 0; i < outer; ++i) {
    for (int j = 0; j < inner; ++j) {
      places.insert(Layout::at(i, j));
      EXPECT_EQ(Layout::at(i, j), Layout::at(i, j / segment * segment) + j % segment) << "a segment stays together";
    }
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(outer * inner));
  EXPECT_EQ(*places.rbegin(), outer * inner - 1);
}
TEST(TileLayout, PanelsHaveOnePlaceForEachElement) {
  expect_one_place_each<AlongDepth<Mma, double>>(128, 8, 2);
  expect_one_place_each<AlongDepth<Mma, float>>(128, 16, 4);
  expect_one_place_each<AlongDepth<Mma, Bf16>>(128, 32, 8);
  expect_one_place_each<AcrossDepth<Mma, double, 128>>(8, 128, 2);
  expect_one_place_each<AcrossDepth<Mma, float, 128>>(16, 128, 4);
  expect_one_place_each<AcrossDepth<Mma, Bf16, 64>>(64, 64, 8);
  expect_one_place_each<AlongDepth<Wgmma, Bf16>>(256, 64, 8);
  expect_one_place_each<AlongDepth<Wgmma, std::int8_t>>(256, 128, 16);
  expect_one_place_each<AcrossDepth<Wgmma, Bf16, 128>>(64, 128, 8);
  expect_one_place_each<AcrossDepth<Wgmma, Fp16, 256>>(64, 256, 8);
  expect_one_place_each<AlongDepth<Wmma, Bf16>>(128, 32, 8);
  expect_one_place_each<AlongDepth<Wmma, std::int8_t>>(128, 64, 16);
  expect_one_place_each<AcrossDepth<Wmma, Fp16, 128>>(32, 128, 8);
  expect_one_place_each<AlongDepth<Mfma, double>>(128, 8, 2);
  expect_one_place_each<AlongDepth<Mfma, Bf16>>(128, 32, 8);
  expect_one_place_each<AcrossDepth<Mfma, double, 128>>(8, 128, 2);
  expect_one_place_each<AcrossDepth<Mfma, double, 64>>(16, 64, 2);
  expect_one_place_each<AcrossDepth<Mfma, float, 128>>(16, 128, 4);
}

/// PTX ISA, "Matrix Descriptor Format": of scratch at 0x5400, 64 rows along the depth from row 64 on, at the second
/// step.
TEST(TileLayout, DescriptorsAreThoseOfAMatrixInScratch) {
  const auto field = [](std::uint64_t descriptor, int first, int count) {
    return static_cast<int>(descriptor >> first & ((std::uint64_t{1} << count) - 1));
  };
  const std::uint64_t along = GroupOperand<Bf16, false>(0x5400 + 64 * 128).descriptor(1);
  EXPECT_EQ(field(along, 0, 14) * 16, 0x5400 + 64 * 128 + 32);
  EXPECT_EQ(field(along, 32, 14) * 16, 1024) << "eight rows of 128 bytes";
  EXPECT_EQ(field(along, 62, 2), 1) << "swizzle of 128 bytes";
  const std::uint64_t across = GroupOperand<Bf16, true>(0x5400).descriptor(3);
  EXPECT_EQ(field(across, 0, 14) * 16, 0x5400 + 3 * 16 * 128);
  EXPECT_EQ(field(across, 16, 14) * 16, 64 * 128) << "from 64 columns to the next";
  EXPECT_EQ(field(across, 32, 14) * 16, 1024);
  EXPECT_EQ(field(across, 46, 16), 0) << "nothing between the offsets and the swizzle";
}

/// Half a warp reads 8 bytes each at once: 32 banks of 4 bytes, none twice.
TEST(TileLayout, DoublesMeetInNoBank) {
  const auto banks = [](auto at) {
    for (int first : {0, 16}) {
      std::set<int> taken;
      for (int lane = first; lane < first + 16; ++lane) taken.insert(at(lane) % 16);
      EXPECT_EQ(taken.size(), 16U);
    }
  };
  for (int k = 0; k < 8; k += 4) {
    banks([k](int lane) { return AlongDepth<Mma, double>::at(lane / 4, k + lane % 4); });
    banks([k](int lane) { return AcrossDepth<Mma, double, 128>::at(k + lane % 4, lane / 4); });
    banks([k](int lane) { return AcrossDepth<Mma, double, 64>::at(2 * (lane % 4) + k / 4, lane / 4); });
  }
}

}  // namespace
}  // namespace gable::device::tile::warp
