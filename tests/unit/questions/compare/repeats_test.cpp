#include "core/questions/compare/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// One calibration with a peak of `peak` flop/s, started in minute `minute`.
NamedResult calibration(int minute, double peak) {
  NamedResult source{"run" + std::to_string(minute) + ".json", test::made_up_result()};
  source.result.run.started_at = "2026-01-01T00:0" + std::to_string(minute) + ":00Z";
  test::add_peak(source.result, DType::fp32, peak);
  test::add_memory(source.result, 2e10);
  return source;
}

CeilingKey key_of_peak(const std::string& unit, DType dtype, OperatingPoint at = OperatingPoint::none) {
  CeilingKey key;
  key.kind = CeilingKind::compute;
  key.name = unit;
  key.dtype = dtype;
  key.accumulate = DType::fp32;
  key.at = at;
  return key;
}

const CeilingQuantity& peak_of(const Subject& subject) {
  const auto* quantity = find(subject, key_of_peak("vector", DType::fp32, OperatingPoint::burst));
  if (!quantity) throw Error("no peak");
  return *quantity;
}

TEST(Repeats, OneRunGivesItsEstimateAndItsOwnInterval) {
  const auto subjects = subjects_of(std::vector{calibration(1, 1e11)});
  ASSERT_EQ(subjects.size(), 1U);
  const Figure& figure = peak_of(subjects[0]).figure;
  EXPECT_EQ(figure.value, 1e11);
  EXPECT_DOUBLE_EQ(figure.low.value(), 0.99e11);
  EXPECT_DOUBLE_EQ(figure.high.value(), 1.01e11);
  EXPECT_EQ(figure.spread, Spread::within_run);
  EXPECT_EQ(figure.runs, 1);
  EXPECT_TRUE(figure.higher_is_better);
}

/// Median of 100, 130, 110 is 110; runs from 100 to 130, each ±1 %: all of that is from 99 to 131.3.
TEST(Repeats, SeveralRunsGiveTheirMedianAndWhatHoldsThemAll) {
  const auto subjects =
      subjects_of(std::vector{calibration(1, 1.0e11), calibration(2, 1.3e11), calibration(3, 1.1e11)});
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_EQ(subjects[0].runs.size(), 3U);
  const CeilingQuantity& peak = peak_of(subjects[0]);
  EXPECT_EQ(peak.figure.value, 1.1e11);
  EXPECT_DOUBLE_EQ(peak.figure.low.value(), 0.99e11);
  EXPECT_DOUBLE_EQ(peak.figure.high.value(), 1.313e11);
  EXPECT_EQ(peak.figure.smallest, 1.0e11);
  EXPECT_EQ(peak.figure.largest, 1.3e11);
  EXPECT_EQ(peak.figure.spread, Spread::between_runs);
  EXPECT_EQ(peak.figure.runs, 3);
  EXPECT_EQ(peak.rows.size(), 3U);
  EXPECT_EQ(subjects_of(std::vector{calibration(1, 1e11), calibration(2, 1.3e11)}, true).size(), 2U) << "apart";
}

TEST(Repeats, RunsThatAgreeAreNoMoreCertainThanEachIs) {
  const auto subjects =
      subjects_of(std::vector{calibration(1, 1.0e11), calibration(2, 1.0e11), calibration(3, 1.0e11)});
  EXPECT_DOUBLE_EQ(peak_of(subjects[0]).figure.low.value(), 0.99e11);
  EXPECT_DOUBLE_EQ(peak_of(subjects[0]).figure.high.value(), 1.01e11);
}

/// One lucky run of another implementation does not displace what every run measured.
TEST(Repeats, AnImplementationSeenOnceDoesNotStandForAllRuns) {
  auto first = calibration(1, 1e11);
  test::add_peak(first.result, DType::fp32, 2e11).implementation = "fluke";
  const auto subjects = subjects_of(std::vector{first, calibration(2, 1.1e11), calibration(3, 1.2e11)});
  EXPECT_EQ(peak_of(subjects[0]).implementation, "native");
  EXPECT_EQ(peak_of(subjects[0]).figure.value, 1.1e11);
  EXPECT_EQ(peak_of(subjects[0]).figure.runs, 3);
}

/// 8, 10 and 30 ms in one file: 10 ms, from 8 ms - 1 % to 30 ms + 1 %, and one run.
TEST(Repeats, WhatOneRunMeasuredThreeTimesIsItsMedian) {
  auto source = calibration(1, 1e11);
  for (const double time : {1e-2, 8e-3, 3e-2}) test::add_point(source.result, "triad", 2e6, 1.2e7, time);
  const auto subjects = subjects_of(std::vector{source});
  ASSERT_EQ(subjects[0].points.size(), 1U);
  const Figure& figure = subjects[0].points[0].figure;
  EXPECT_DOUBLE_EQ(figure.value, 1e-2);
  EXPECT_DOUBLE_EQ(figure.low.value(), 7.92e-3);
  EXPECT_DOUBLE_EQ(figure.high.value(), 3.03e-2);
  EXPECT_EQ(figure.runs, 1);
}

TEST(Repeats, FiguresOutsideTheirIntervalAreLeftOut) {
  auto source = calibration(1, 1e11);
  source.result.ceilings[0].value.ci_high = 0.999e11;
  source.result.ceilings[1].value.ci_low = -1;
  const auto subjects = subjects_of(std::vector{source});
  EXPECT_TRUE(subjects[0].ceilings.empty());
  ASSERT_EQ(subjects[0].left_out.size(), 2U);
  EXPECT_EQ(subjects[0].left_out[0].reason, "outside its own interval");
  EXPECT_EQ(subjects[0].left_out[1].reason, "an interval that reaches zero or infinity");
}

TEST(Repeats, AnotherAccumulateTypeShowsInTheName) {
  PointKey key{.op = "dot", .params = "n=8", .types = uniform_types(DType::fp32)};
  EXPECT_EQ(label_of(key), "dot fp32 n=8");
  key.types.accumulate = DType::fp64;
  EXPECT_EQ(label_of(key), "dot fp32->fp64 n=8");
  key.types.compute = DType::fp64;
  EXPECT_EQ(label_of(key), "dot fp32->fp64 computed in fp64 n=8");
}

TEST(Repeats, KernelsOfOneShortNameAreApart) {
  Point row;
  row.op = "Kokkos for Axpy";
  row.imported.emplace();
  row.imported->name = "void Kokkos::Impl::cuda_parallel_launch<Axpy<float>>()";
  const PointKey single = key_of(row);
  row.imported->name = "void Kokkos::Impl::cuda_parallel_launch<Axpy<double>>()";
  EXPECT_NE(single, key_of(row));
  EXPECT_EQ(key_of(row), key_of(row));
}

TEST(Repeats, TwoCardsOfOneHostAreNoRepeats) {
  auto first = calibration(1, 1e11), second = calibration(2, 1e11), silent = calibration(3, 1e11);
  first.result.devices[0].facts = {{"UUID", "GPU-1", "made up"}};
  second.result.devices[0].facts = {{"UUID", "GPU-2", "made up"}};
  silent.result.devices[0].facts = {{"UUID", "unknown", "made up"}};
  EXPECT_EQ(subjects_of(std::vector{first, second}).size(), 2U);
  second.result.devices[0].facts = first.result.devices[0].facts;
  EXPECT_EQ(subjects_of(std::vector{first, second, silent}).size(), 1U);
}

TEST(Repeats, TooFewBlocksLeaveAFigureWithoutInterval) {
  auto source = calibration(1, 1e11);
  source.result.ceilings[0].value = test::made_up(1e11, 0);
  const auto subjects = subjects_of(std::vector{source});
  EXPECT_FALSE(peak_of(subjects[0]).figure.low);
  EXPECT_EQ(peak_of(subjects[0]).figure.spread, Spread::none);
}

TEST(Repeats, ACalibrationAndARunAreOneSubjectWithOneRunOfEach) {
  const auto roofs = calibration(1, 1e11);
  NamedResult run{"operators.json", test::made_up_result()};
  test::add_point(run.result, "triad", 2e6, 1.2e7, 1e-3);
  const auto subjects = subjects_of(std::vector{run, roofs});
  ASSERT_EQ(subjects.size(), 1U);
  EXPECT_EQ(peak_of(subjects[0]).figure.runs, 1);
  ASSERT_EQ(subjects[0].points.size(), 1U);
  EXPECT_EQ(subjects[0].points[0].figure.value, 1e-3);
  EXPECT_EQ(subjects[0].points[0].figure.unit, "s");
  EXPECT_FALSE(subjects[0].points[0].figure.higher_is_better);
}

TEST(Repeats, OtherHostsHardwareOrThreadsAreOtherSubjects) {
  const auto first = calibration(1, 1e11);
  auto host = calibration(2, 1e11), hardware = calibration(3, 1e11), threads = calibration(4, 1e11);
  host.result.run.hostname = "there";
  hardware.result.devices[0].memory.back().size_bytes *= 2;
  for (Ceiling& row : threads.result.ceilings) row.threads = 2;
  const auto subjects = subjects_of(std::vector{first, host, hardware, threads});
  ASSERT_EQ(subjects.size(), 4U);
  EXPECT_EQ(subjects[0].name, "Some CPU on here (run1.json)");
  EXPECT_EQ(subjects[1].name, "Some CPU on there");
  EXPECT_EQ(subjects[3].name, "Some CPU on here (run4.json)");
  auto core = calibration(5, 1e10);
  for (Ceiling& row : core.result.ceilings) row.scope = Scope::core, row.threads = 1;
  EXPECT_EQ(subjects_of(std::vector{first, core}).size(), 1U) << "one thread of a core is no other machine";
}

TEST(Repeats, TheOutermostMemoryIsNamedByItsRole) {
  NamedResult cpu = calibration(1, 1e11), gpu{"gpu.json", test::made_up_result("Some GPU", "HBM3")};
  test::add_memory(gpu.result, 3e12);
  const auto subjects = subjects_of(std::vector{cpu, gpu});
  ASSERT_EQ(subjects.size(), 2U);
  const CeilingQuantity& memory = subjects[0].ceilings.at(1);
  const auto* same = find(subjects[1], memory.key);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->own_name, "HBM3");
  EXPECT_EQ(label_of(same->key), "memory triad");
}

TEST(Repeats, TheImplementationOfTheBestMedianStands) {
  auto first = calibration(1, 1e11), second = calibration(2, 1e11);
  test::add_peak(first.result, DType::fp32, 1.2e11).implementation = "other";
  test::add_peak(second.result, DType::fp32, 0.7e11).implementation = "other";  // its median: 0.95e11
  test::add_point(first.result, "gemm", 1e9, 1e6, 2e-2).implementation = "kokkos";
  test::add_point(first.result, "gemm", 1e9, 1e6, 1e-2).implementation = "vendor";
  const auto subjects = subjects_of(std::vector{first, second});
  EXPECT_EQ(peak_of(subjects[0]).implementation, "native");
  EXPECT_EQ(peak_of(subjects[0]).figure.value, 1e11);
  ASSERT_EQ(subjects[0].points.size(), 1U);
  EXPECT_EQ(subjects[0].points[0].implementation, "vendor");
}

TEST(Repeats, RowsWithoutAValidFigureAreListedAndCountForNothing) {
  auto first = calibration(1, 1e11), second = calibration(2, 1.5e11);
  second.result.ceilings[0].status = Status::suspect;
  second.result.ceilings[0].reason = "above what the units can do";
  test::add_point(first.result, "relu", 1e6, 8e6, 0);
  const auto subjects = subjects_of(std::vector{first, second});
  EXPECT_EQ(peak_of(subjects[0]).figure.value, 1e11);
  EXPECT_EQ(peak_of(subjects[0]).figure.runs, 1);
  ASSERT_EQ(subjects[0].left_out.size(), 2U);
  EXPECT_EQ(subjects[0].left_out[0].reason, "not a positive figure");
  EXPECT_EQ(subjects[0].left_out[1].source, "run2.json");
  EXPECT_EQ(subjects[0].left_out[1].reason, "above what the units can do");
}

TEST(Repeats, ARunIsNoRepeatOfItself) {
  auto copy = calibration(1, 1e11);
  copy.name = "copy.json";
  EXPECT_EQ(error_of([&] {
              subjects_of(std::vector{calibration(1, 1e11), copy});
            }),
            "copy.json holds the same run as run1.json, which is no repeat");
  EXPECT_THROW(subjects_of(std::vector{NamedResult{"a.json", test::made_up_result(), "cuda:0"}}), Error);
}

TEST(Repeats, RoofsOfASubjectAreItsFigures) {
  const auto subjects = subjects_of(std::vector{calibration(1, 1e11), calibration(2, 1.2e11)});
  const MachineModel machine = machine_of(subjects[0], Scope::node);
  ASSERT_EQ(machine.roofline.compute().size(), 1U);
  EXPECT_DOUBLE_EQ(machine.roofline.compute()[0].flop_per_s, 1.1e11);
  EXPECT_DOUBLE_EQ(machine.roofline.compute()[0].low, 0.99e11);
  EXPECT_EQ(machine.roofline.byte_per_s("DRAM"), 2e10);
  EXPECT_TRUE(machine_of(subjects[0], Scope::core).roofline.compute().empty());
}

/// NVIDIA's data sheet of the H100 SXM5: 989 TFLOP/s dense fp16, 3.35 TB/s.
TEST(Repeats, ACatalogueEntryIsASubjectOfStatedFigures) {
  const Subject subject = subject_of(catalogue::find_device("H100 SXM5 80GB"));
  EXPECT_EQ(subject.name, "H100 SXM5 80GB");
  EXPECT_EQ(basis_text(subject.basis, subject.source), "datasheet, confirmed");
  const auto* peak = find(subject, key_of_peak("matrix", DType::fp16));
  ASSERT_NE(peak, nullptr);
  EXPECT_NEAR(peak->figure.value, 989e12, 1e12);
  EXPECT_EQ(peak->figure.spread, Spread::stated);
  EXPECT_EQ(peak->figure.low, peak->figure.value);
  CeilingKey memory;
  memory.kind = CeilingKind::bandwidth;
  memory.name = main_memory_role;
  ASSERT_NE(find(subject, memory), nullptr);
  EXPECT_NEAR(find(subject, memory)->figure.value, 3.35e12, 0.01e12);
}

/// AMD prints two vector peaks of the MI250X, plain and packed: 47.9 and 95.7 TFLOP/s fp32.
TEST(Repeats, OfTwoPeaksOfOneTypeTheHigherStands) {
  const Subject subject = subject_of(catalogue::find_device("Instinct MI250X (whole OAM, 2 GCDs)"));
  const auto key = key_of_peak("vector", DType::fp32);
  EXPECT_EQ(std::ranges::count(subject.ceilings, key, &CeilingQuantity::key), 1);
  EXPECT_NEAR(find(subject, key)->figure.value, 95.7e12, 0.1e12);
}

}  // namespace
}  // namespace gable::questions
