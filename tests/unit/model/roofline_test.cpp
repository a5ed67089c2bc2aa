#include "core/model/roofline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "stages.hpp"

using namespace gable;
using namespace gable::test;

namespace {
const Types fp16 = matrix_types(DType::fp16);
const Types bf16 = matrix_types(DType::bf16);

double ridge_of(Unit unit, const Types& types, double peak, double bandwidth) {
  return simple(unit, types, peak, bandwidth).ridge(types, unit, "DRAM");
}

Ceiling bandwidth_row(const char* level, Access access, Stores stores, double rate) {
  Ceiling row{.device = "openmp",
              .kind = CeilingKind::bandwidth,
              .name = level,
              .access = access,
              .stores = stores,
              .unit = "byte/s"};
  row.value.value = rate;
  return row;
}

Ceiling compute_row(const char* unit, DType dtype, OperatingPoint at, double rate) {
  Ceiling row{
      .device = "openmp", .kind = CeilingKind::compute, .name = unit, .dtype = dtype, .at = at, .unit = "flop/s"};
  row.value.value = rate;
  return row;
}

Roofline roofs_of(const std::vector<Ceiling>& rows) {
  return make_roofline(rows, "openmp", Scope::node, {{"L1", 32768}, {"DRAM", 0}});
}
}  // namespace

TEST(Ridge, CasesWithKnownAnswers) {
  EXPECT_NEAR(ridge_of(Unit::matrix, fp16, 312e12, 2.0e12), 156, 0.5);
  EXPECT_NEAR(ridge_of(Unit::matrix, fp16, 312e12, 2.039e12), 153.0, 0.05);
  EXPECT_NEAR(ridge_of(Unit::vector, uniform_types(DType::fp32), 19.5e12, 2e12), 9.75, 1e-9);
  EXPECT_NEAR(ridge_of(Unit::vector, uniform_types(DType::fp64), 9.7e12, 2e12), 4.85, 1e-9);
  EXPECT_NEAR(ridge_of(Unit::matrix, bf16, 989e12, 3.35e12), 295.2, 0.05);
  EXPECT_NEAR(ridge_of(Unit::matrix, matrix_types(DType::fp8_e4m3), 1979e12, 3.35e12), 590.7, 0.05);
  EXPECT_NEAR(ridge_of(Unit::matrix, bf16, 989e12, 4.8e12), 206.0, 0.05);
}

TEST(Ridge, SmallestBatchOfALinearLayerThatReachesIt) {
  const std::tuple<double, double, int> cases[] = {
      {312e12, 2.0e12, 169}, {989e12, 4.8e12, 230}, {989e12, 3.35e12, 345}};
  for (const auto& [peak, bandwidth, batch] : cases) {
    const Roofline roofline = simple(Unit::matrix, fp16, peak, bandwidth);
    const auto kind = [&](int b) { return roofline.judge(gemm(b, 4096, 4096, 2), fp16).bound->limit.kind; };
    EXPECT_EQ(kind(batch), LimitKind::compute) << batch;
    EXPECT_EQ(kind(batch - 1), LimitKind::bandwidth) << batch;
  }
}

TEST(Attainable, DecodeAttentionAtIntensityOne) {
  const Roofline a100 = simple(Unit::matrix, fp16, 312e12, 2e12);
  EXPECT_NEAR(a100.attainable(fp16, Unit::matrix, 1, "DRAM"), 2e12, 1e3);
  EXPECT_NEAR(a100.attainable(fp16, Unit::matrix, 1, "DRAM") / 312e12 * 100, 0.64, 0.005);
  EXPECT_NEAR(simple(Unit::matrix, fp16, 989e12, 3.35e12).attainable(fp16, Unit::matrix, 1, "DRAM"), 3.35e12, 1e3);
}

TEST(Attainable, LinearUnderTheRidgeAndFlatAboveIt) {
  const Roofline roofline = simple(Unit::matrix, fp16, 312e12, 2e12);
  const auto at = [&](double intensity) { return roofline.attainable(fp16, Unit::matrix, intensity, "DRAM"); };
  EXPECT_DOUBLE_EQ(at(4) / at(1), 4);
  EXPECT_DOUBLE_EQ(at(157), 312e12);
  EXPECT_DOUBLE_EQ(at(1e6), 312e12);
}

TEST(Attainable, MissingRoofsAndBadIntensityAreErrors) {
  const Roofline roofline = simple(Unit::matrix, fp16, 312e12, 2e12);
  EXPECT_THROW(roofline.attainable(fp16, Unit::matrix, 0, "DRAM"), Error);
  EXPECT_THROW(roofline.attainable(fp16, Unit::matrix, -1, "DRAM"), Error);
  EXPECT_THROW(roofline.attainable(fp16, Unit::matrix, 1, "L7"), Error);
  EXPECT_THROW(roofline.attainable(bf16, Unit::matrix, 1, "DRAM"), Error);
  EXPECT_THROW(roofline.ridge(fp16, Unit::vector, "DRAM"), Error);
}

TEST(Roofs, RatesThatAreNotPositiveAreRefused) {
  Roofline roofline;
  EXPECT_THROW(roofline.add(compute_roof(Unit::vector, DType::fp32, DType::fp32, 0)), Error);
  EXPECT_THROW(roofline.add(bandwidth_roof("DRAM", -1)), Error);
  EXPECT_THROW(roofline.set_overhead({-1e-6, true, "launch"}), Error);
}

TEST(Peak, TheHigherOfBurstAndSustainedAndALibraryOnlyWhenAsked) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp32, 700e12, OperatingPoint::library));
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix), nullptr);
  EXPECT_EQ(roofline.peak(fp16, Unit::multiply_add), nullptr);
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp32, 600e12, OperatingPoint::sustained));
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix)->flop_per_s, 600e12);
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp32, 500e12, OperatingPoint::burst));
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix)->flop_per_s, 600e12) << "a burst that something disturbed";
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix, OperatingPoint::burst)->flop_per_s, 500e12);
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp32, 800e12, OperatingPoint::burst));
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp32, 810e12, OperatingPoint::burst));
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix)->flop_per_s, 810e12);
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix, OperatingPoint::library)->flop_per_s, 700e12);
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix, OperatingPoint::none), nullptr);
}

TEST(Peak, AccumulateTypesAreNotMixed) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp16, 330e12));
  roofline.add(compute_roof(Unit::matrix, DType::fp16, DType::fp32, 165e12));
  EXPECT_EQ(roofline.peak(fp16, Unit::matrix)->flop_per_s, 165e12);
  EXPECT_EQ(roofline.peak(matrix_types(DType::fp16, DType::fp16), Unit::matrix)->flop_per_s, 330e12);
}

TEST(Peak, ExponentialsGoByTheTypeTheyAreTakenIn) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::exp, DType::fp32, DType::fp32, 1e12));
  EXPECT_NE(roofline.peak(uniform_types(DType::bf16), Unit::exp), nullptr);  // bf16 is widened first
  EXPECT_NE(roofline.peak(uniform_types(DType::fp32), Unit::exp), nullptr);
  EXPECT_EQ(roofline.peak(uniform_types(DType::fp64), Unit::exp), nullptr);
}

TEST(Peak, ProductsMeetTheHighestRoofThatTheirTypesHave) {
  const Types bf16_products = uniform_types(DType::bf16);  // stored in bf16, computed in fp32 unless a unit takes bf16
  Roofline roofline;
  roofline.add(compute_roof(Unit::vector, DType::fp32, DType::fp32, 2e12));
  EXPECT_EQ(roofline.peak(bf16_products, Unit::multiply_add)->flop_per_s, 2e12);
  roofline.add(compute_roof(Unit::vector, DType::bf16, DType::fp32, 4e12));
  EXPECT_EQ(roofline.peak(bf16_products, Unit::multiply_add)->flop_per_s, 4e12);
  roofline.add(compute_roof(Unit::matrix, DType::bf16, DType::fp32, 16e12));
  EXPECT_EQ(roofline.peak(bf16_products, Unit::multiply_add)->unit, Unit::matrix);
  EXPECT_EQ(roofline.peak(bf16_products, Unit::vector)->flop_per_s, 2e12) << "other arithmetic is not products";
  EXPECT_EQ(roofline.peak(uniform_types(DType::fp32), Unit::multiply_add)->flop_per_s, 2e12);
  EXPECT_EQ(roofline.peak(uniform_types(DType::fp16), Unit::multiply_add)->flop_per_s, 2e12);
}

/// A chip without an fp8 unit widens fp8 to bf16, whose 8 bits and exponents hold it: no less is its bound.
TEST(Peak, NarrowProductsMayBeWidenedExactly) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::vector, DType::fp32, DType::fp32, 20e12));
  roofline.add(compute_roof(Unit::matrix, DType::bf16, DType::fp32, 312e12));
  roofline.add(compute_roof(Unit::matrix, DType::int8, DType::int32, 624e12));
  const auto products = [&](const Types& types) { return roofline.peak(types, Unit::multiply_add)->flop_per_s; };
  for (const DType dtype : all_dtypes) {
    if (is_fp8(dtype)) {
      EXPECT_EQ(products(uniform_types(dtype)), 312e12) << to_string(dtype);
    }
  }
  EXPECT_EQ(products(uniform_types(DType::int4)), 624e12);
  EXPECT_EQ(products(uniform_types(DType::fp16)), 20e12) << "11 bits are no 8";
  EXPECT_EQ(products({DType::int8, DType::bf16, DType::bf16, DType::fp32, DType::fp32}), 312e12);
  EXPECT_EQ(products({DType::int8, DType::fp16, DType::fp16, DType::fp32, DType::fp32}), 20e12);
}

/// B200's datasheet: block-scaled fp4 9000 Tflop/s, fp6 and fp8 4500; the scales of blocks are no products of elements.
TEST(Peak, BlockScaledFormatsAreMultipliedAsTheirElements) {
  Roofline roofline;
  roofline.add(compute_roof(Unit::matrix, DType::bf16, DType::fp32, 2250e12));
  roofline.add(compute_roof(Unit::matrix, DType::fp8_e4m3, DType::fp32, 4500e12));
  const auto products = [&](DType dtype) { return roofline.peak(uniform_types(dtype), Unit::multiply_add); };
  EXPECT_EQ(products(DType::mxfp8_e4m3)->flop_per_s, 4500e12);
  EXPECT_EQ(products(DType::mxfp6_e2m3)->flop_per_s, 4500e12);
  EXPECT_EQ(products(DType::mxfp4)->dtype, DType::fp8_e4m3);
  roofline.add(compute_roof(Unit::matrix, DType::fp6_e3m2, DType::fp32, 4500e12));
  EXPECT_EQ(products(DType::mxfp6_e3m2)->dtype, DType::fp6_e3m2) << "not fp8, which is as fast";
  roofline.add(compute_roof(Unit::matrix, DType::mxfp4, DType::fp32, 9000e12));
  roofline.add(compute_roof(Unit::matrix, DType::mxfp6_e2m3, DType::fp32, 9000e12));
  EXPECT_EQ(products(DType::mxfp4)->dtype, DType::mxfp4) << "not mxfp6, which holds its elements and is as fast";
  EXPECT_EQ(products(DType::fp4_e2m1)->flop_per_s, 9000e12);
  EXPECT_EQ(products(DType::fp6_e2m3)->dtype, DType::mxfp6_e2m3);
  EXPECT_EQ(products(DType::fp6_e3m2)->flop_per_s, 4500e12) << "1/16 is not in e2m3";
}

TEST(Peak, ProductsOfTwoTypesAreNotMultipliedAsStored) {
  Types mixed = uniform_types(DType::int8);
  mixed.b = DType::fp16;
  Roofline roofline;
  roofline.add(compute_roof(Unit::matrix, DType::int8, DType::int32, 4e12));
  EXPECT_EQ(roofline.peak(mixed, Unit::multiply_add), nullptr);
  EXPECT_EQ(roofline.peak(uniform_types(DType::int8), Unit::multiply_add)->flop_per_s, 4e12);
}

TEST(MayNeed, WhatTheTypesMeet) {
  const Types half = uniform_types(DType::fp16);
  EXPECT_TRUE(may_need(half, Unit::vector, DType::fp32));
  EXPECT_TRUE(may_need(half, Unit::matrix, DType::fp16));
  EXPECT_TRUE(may_need(half, Unit::exp, DType::fp32));
  EXPECT_TRUE(may_need(half, Unit::convert, DType::fp16));
  EXPECT_FALSE(may_need(half, Unit::convert, DType::bf16));
  EXPECT_FALSE(may_need(half, Unit::exp, DType::fp64));
  EXPECT_FALSE(may_need(half, Unit::vector, DType::fp64));
  EXPECT_FALSE(may_need(half, Unit::matrix, DType::tf32));
  const Types eighth = uniform_types(DType::fp8_e4m3);
  EXPECT_TRUE(may_need(eighth, Unit::matrix, DType::bf16)) << "what it may be widened to";
  EXPECT_FALSE(may_need(eighth, Unit::matrix, DType::fp8_e4m3fnuz));
  EXPECT_FALSE(may_need(uniform_types(DType::int8), Unit::matrix, DType::bf16)) << "sums of integers are int32";
}

TEST(Bandwidth, InterpolatesSecondsPerByteBetweenOrdinaryMixes) {
  Roofline roofline;
  roofline.add(bandwidth_roof("DRAM", 100e9, Access::read));
  roofline.add(bandwidth_roof("DRAM", 50e9, Access::copy, Stores::ordinary));
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM", {1}).value(), 100e9);
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM", {0.5}).value(), 50e9);
  EXPECT_NEAR(roofline.byte_per_s("DRAM", {0.75}).value(), 2 / (1 / 100e9 + 1 / 50e9), 1);
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM", {0.1}).value(), 50e9);
  roofline.add(bandwidth_roof("DRAM", 25e9, Access::write, Stores::ordinary));
  EXPECT_NEAR(roofline.byte_per_s("DRAM", {0.25}).value(), 2 / (1 / 25e9 + 1 / 50e9), 1);
  EXPECT_FALSE(roofline.byte_per_s("L2", {1}));
}

TEST(Bandwidth, WhatIsUpdatedInPlaceHasItsOwnRoof) {
  Roofline roofline;
  roofline.add(bandwidth_roof("DRAM", 100e9, Access::read));
  roofline.add(bandwidth_roof("DRAM", 50e9, Access::copy, Stores::ordinary));
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM", {0.5, 1}).value(), 50e9);  // like a copy where no update was measured
  roofline.add(bandwidth_roof("DRAM", 80e9, Access::update, Stores::ordinary));
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM", {0.5, 1}).value(), 80e9);
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM", {0.5}).value(), 50e9);
  // y += a x: a third of the bytes is x, read only; two thirds are y
  EXPECT_NEAR(roofline.byte_per_s("DRAM", {2.0 / 3, 2.0 / 3}).value(), 3 / (1 / 100e9 + 2 / 80e9), 1);
}

TEST(Bandwidth, NonTemporalRoofsAreNeverApplied) {
  Roofline roofline;
  roofline.add(bandwidth_roof("DRAM", 200e9, Access::triad, Stores::non_temporal));
  EXPECT_FALSE(roofline.byte_per_s("DRAM"));
  roofline.add(bandwidth_roof("DRAM", 80e9, Access::triad, Stores::ordinary));
  EXPECT_DOUBLE_EQ(roofline.byte_per_s("DRAM").value(), 80e9);
}

/// What another speed of memory does to one kind of stores it does to the other.
TEST(Bandwidth, AnotherRateOfOrdinaryStoresChangesNonTemporalOnesAlike) {
  Roofline roofline = roofs_of({bandwidth_row("DRAM", Access::copy, Stores::ordinary, 80e9),
                                bandwidth_row("DRAM", Access::copy, Stores::non_temporal, 100e9),
                                bandwidth_row("DRAM", Access::read, Stores::none, 90e9)});
  BandwidthRoof slower = *roofline.nearest("DRAM", {.read_fraction = 0.5});
  slower.byte_per_s = 40e9;
  roofline.set_rate(slower);
  std::vector<double> rates;
  for (const BandwidthRoof& roof : roofline.bandwidth()) rates.push_back(roof.byte_per_s);
  std::ranges::sort(rates);
  EXPECT_EQ(rates, (std::vector{40e9, 50e9, 90e9}));
}

TEST(MakeRoofline, TakesOnlyOkMainRowsOfTheDeviceAndScope) {
  std::vector<Ceiling> rows(6, compute_row("vector", DType::fp32, OperatingPoint::burst, 1e12));
  rows[1].status = Status::suspect;
  rows[2].variant = "no_fma";
  rows[3].device = "cuda:0";
  rows[4].scope = Scope::core;
  rows[5].status = Status::unsupported;
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i].value.value = 9e12;
  const Roofline roofline = roofs_of(rows);
  ASSERT_EQ(roofline.compute().size(), 1U);
  EXPECT_EQ(roofline.compute()[0].flop_per_s, 1e12);
}

TEST(MakeRoofline, TheFasterOfTwoMeasurementsOfAStreamIsTheRoof) {
  std::vector<Ceiling> rows(2, compute_row("DRAM", DType::fp32, OperatingPoint::sustained, 2e10));
  for (Ceiling& row : rows) {
    row.kind = CeilingKind::bandwidth;
    row.dtype = row.accumulate = {};
    row.access = Access::read;
    row.unit = "byte/s";
  }
  rows[1].value.value = 3e10;
  EXPECT_EQ(roofs_of(rows).byte_per_s("DRAM", {1.0}), 3e10);
  rows[1].value.value = 1e10;
  EXPECT_EQ(roofs_of(rows).byte_per_s("DRAM", {1.0}), 2e10);
}

TEST(MakeRoofline, LabelsTypesAndOverhead) {
  Ceiling launch{.device = "openmp", .kind = CeilingKind::overhead, .name = "kokkos_launch", .unit = "s"};
  launch.value.value = 3e-6;
  Ceiling other = launch;
  other.name = "omp_barrier";
  other.value.value = 7e-6;
  auto triad = bandwidth_row("DRAM", Access::triad, Stores::ordinary, 20e9);
  triad.value.ci_low = 19e9;
  triad.value.ci_high = 21e9;
  const Roofline roofline =
      roofs_of({triad, launch, other, compute_row("matrix", DType::int8, OperatingPoint::burst, 1e12)});
  EXPECT_EQ(roofline.bandwidth().at(0).label, "DRAM triad (ordinary)");
  EXPECT_EQ(roofline.bandwidth().at(0).low, 19e9);
  EXPECT_EQ(roofline.bandwidth().at(0).high, 21e9);
  EXPECT_EQ(roofline.compute().at(0).accumulate, DType::int32);
  ASSERT_TRUE(roofline.overhead());
  EXPECT_EQ(roofline.overhead()->seconds, 3e-6);
  EXPECT_TRUE(roofline.overhead()->synchronous);
}

TEST(MakeRoofline, QueuedLaunchesAreNotWaitedFor) {
  Ceiling launch{.device = "openmp", .kind = CeilingKind::overhead, .name = "kokkos_enqueue", .unit = "s"};
  launch.value.value = 2e-6;
  Ceiling round_trip = launch;
  round_trip.name = "kokkos_round_trip";
  round_trip.value.value = 9e-6;
  const Roofline roofline = roofs_of({launch, round_trip});
  ASSERT_TRUE(roofline.overhead());
  EXPECT_EQ(roofline.overhead()->seconds, 2e-6);
  EXPECT_FALSE(roofline.overhead()->synchronous);
}
