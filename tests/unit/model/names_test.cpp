#include <gtest/gtest.h>

#include <vector>

#include "core/model/estimate.hpp"
#include "core/model/point.hpp"

using namespace gable;

TEST(Names, EveryDTypeIsReadBackAndSized) {
  for (const DType type : all_dtypes) {
    EXPECT_EQ(parse_dtype(to_string(type)), type) << to_string(type);
    EXPECT_GT(size_bytes(type), 0);
  }
  EXPECT_FALSE(parse_dtype("FP16"));
  EXPECT_FALSE(parse_dtype(""));
}

TEST(Names, SizesAreThoseInMemory) {
  EXPECT_EQ(size_bytes(DType::fp64), 8);
  EXPECT_EQ(size_bytes(DType::tf32), 4);
  EXPECT_EQ(size_bytes(DType::bf16), 2);
  EXPECT_EQ(size_bytes(DType::fp8_e5m2fnuz), 1);
  EXPECT_EQ(size_bytes(DType::int8), 1);
  EXPECT_EQ(size_bytes(DType::int4), 0.5);
  EXPECT_EQ(size_bytes(DType::fp4_e2m1), 0.5);
  EXPECT_EQ(size_bytes(DType::fp6_e3m2), 0.75);
}

/// MX specification 1.0: a block is 32 elements and 8 bits: 17 bytes of 4-bit elements, 25 of 6, 33 of 8. NVIDIA's
/// NVFP4 (PTX ISA, block scaling for mma.sync): 16 elements and 8 bits.
TEST(Names, ABlockScaledFormatHasItsScaleInItsSize) {
  EXPECT_EQ(32 * size_bytes(DType::mxfp4), 17);
  EXPECT_EQ(16 * size_bytes(DType::nvfp4), 9);
  EXPECT_TRUE(is_block_scaled(DType::nvfp4));
  EXPECT_EQ(element_of(DType::nvfp4), DType::fp4_e2m1);
  EXPECT_EQ(32 * size_bytes(DType::mxfp6_e2m3), 25);
  EXPECT_EQ(32 * size_bytes(DType::mxfp6_e3m2), 25);
  EXPECT_EQ(32 * size_bytes(DType::mxfp8_e4m3), 33);
  EXPECT_EQ(32 * size_bytes(DType::mxfp8_e5m2), 33);
  EXPECT_TRUE(is_block_scaled(DType::mxfp4));
  EXPECT_FALSE(is_block_scaled(DType::fp8_e4m3));
  EXPECT_EQ(element_of(DType::mxfp8_e5m2), DType::fp8_e5m2);
  EXPECT_EQ(element_of(DType::fp16), DType::fp16);
}

/// Significant bits, smallest and largest values of the formats (IEEE 754, OCP OFP8 and MX, AMD's FNUZ).
TEST(Names, TypesHoldWhatHasNoMoreBitsAndNoWiderExponents) {
  const auto held_by = [](DType narrow) {
    std::vector<DType> list;
    for (const DType wide : all_dtypes) {
      if (wide != narrow && holds(wide, narrow)) list.push_back(wide);
    }
    return list;
  };
  using enum DType;
  EXPECT_EQ(held_by(fp64), std::vector<DType>{});
  EXPECT_EQ(held_by(fp16), (std::vector{fp64, fp32, tf32}));
  EXPECT_EQ(held_by(bf16), (std::vector{fp64, fp32, tf32}));
  EXPECT_EQ(held_by(fp8_e4m3), (std::vector{fp64, fp32, tf32, fp16, bf16, mxfp8_e4m3}))
      << "448 and 2^-9 are in no FNUZ type";
  EXPECT_EQ(held_by(fp8_e4m3fnuz), (std::vector{fp64, fp32, tf32, fp16, bf16})) << "2^-10 is no OCP number";
  EXPECT_EQ(held_by(int8), (std::vector{fp64, fp32, tf32, fp16, bf16, int32}));
  EXPECT_EQ(held_by(fp6_e2m3),
            (std::vector{fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e4m3fnuz, mxfp6_e2m3, mxfp8_e4m3}))
      << "4 significant bits, 1/8 to 7.5";
  EXPECT_EQ(held_by(fp6_e3m2), (std::vector{fp64, fp32, tf32, fp16, bf16, fp8_e4m3, fp8_e5m2, fp8_e4m3fnuz,
                                            fp8_e5m2fnuz, mxfp6_e3m2, mxfp8_e4m3, mxfp8_e5m2}))
      << "3 significant bits, 1/16 to 28";
  for (const DType wide : {fp6_e2m3, fp6_e3m2, fp8_e4m3, fp8_e5m2, mxfp6_e3m2, bf16, fp16})
    EXPECT_TRUE(holds(wide, fp4_e2m1)) << to_string(wide) << ": 1/2 to 6";
  EXPECT_FALSE(holds(int8, fp4_e2m1)) << "1/2";
  EXPECT_TRUE(holds(nvfp4, mxfp4) && holds(mxfp4, nvfp4));
  EXPECT_TRUE(holds(fp4_e2m1, mxfp4) && holds(mxfp4, fp4_e2m1)) << "the scale multiplies sums";
  EXPECT_TRUE(holds(int8, int4));
  EXPECT_FALSE(holds(fp32, int32));
}

TEST(Names, SpellingOfFiles) {
  EXPECT_EQ(parse_name<StopReason>("time_limit"), StopReason::time_limit);
  EXPECT_EQ(parse_name<Estimator>("undisturbed"), Estimator::undisturbed);
  EXPECT_EQ(parse_name<Estimator>("faster_speed"), Estimator::faster_speed);
  EXPECT_EQ(parse_name<CeilingKind>("bandwidth"), CeilingKind::bandwidth);
  EXPECT_EQ(parse_name<Scope>("numa"), Scope::numa);
  EXPECT_EQ(parse_name<OperatingPoint>("burst"), OperatingPoint::burst);
  EXPECT_EQ(parse_name<Access>("triad"), Access::triad);
  EXPECT_EQ(parse_name<Stores>("non_temporal"), Stores::non_temporal);
  EXPECT_EQ(parse_unit("convert"), Unit::convert);
  EXPECT_EQ(parse_name<Regime>("below_roof"), Regime::below_roof);
  EXPECT_EQ(to_string(Regime::overhead_bound), "overhead_bound");
  EXPECT_FALSE(parse_name<Regime>("slow"));
}

TEST(UniformTypes, NarrowTypesComputeAndAccumulateWide) {
  EXPECT_EQ(uniform_types(DType::fp64), (Types{DType::fp64, DType::fp64, DType::fp64, DType::fp64, DType::fp64}));
  EXPECT_EQ(uniform_types(DType::bf16), (Types{DType::bf16, DType::bf16, DType::bf16, DType::fp32, DType::fp32}));
  EXPECT_EQ(uniform_types(DType::int8), (Types{DType::int8, DType::int8, DType::int8, DType::int32, DType::int32}));
  EXPECT_EQ(uniform_types(DType::tf32).accumulate, DType::fp32);
}
