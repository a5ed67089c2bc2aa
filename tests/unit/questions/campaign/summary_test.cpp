// What a summary keeps of a result, how large it gets, and what is none.
#include "core/questions/campaign/summary.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "made_up.hpp"

namespace gable::campaign {
namespace {

Result result_of(int devices, int rows) {
  Result result;
  result.run.finished_at = "2026-11-23T12:00:00Z";
  result.run.mode = Mode::quick;
  result.run.kernel = "6.1";
  result.run.facts = {{"load_average_at_start", "0.5", "x"}, {"hypervisor", "none", "x"}};
  for (int d = 0; d < devices; ++d) {
    DeviceInfo device;
    device.id = fmt::format("cuda:{}", d);
    device.backend = "cuda";
    device.name = "A GPU";
    device.facts = {{"driver", "570.1", "NVML"},
                    {"VBIOS", d == 3 ? "96.2" : "96.1", "NVML"},
                    {"UUID", fmt::format("GPU-{}", d), "NVML"}};
    result.devices.push_back(device);
    for (int r = 0; r < rows; ++r) {
      Ceiling row{.id = fmt::format("ceiling/bandwidth/HBM/triad/non_temporal/sustained/variant-{}", r),
                  .device = device.id,
                  .kind = CeilingKind::bandwidth,
                  .unit = "byte/s"};
      row.value.value = 3.1234567e12 + r;
      row.value.ci_low = 3.1e12;
      row.value.ci_high = 3.2e12;
      row.value.samples.assign(1000, 3.1e12);
      row.conditions = {1.98e9, "NVML", 512.3, 61.0, "", {}};
      result.ceilings.push_back(row);
    }
  }
  return result;
}

std::string fact(const NodeSummary& summary, const std::string& name) {
  for (const SummaryFact& one : summary.facts) {
    if (one.name == name) return one.value;
  }
  return "";
}

TEST(Summary, HasFiguresAndNoSamples) {
  Result result = result_of(1, 2);
  result.ceilings[1].status = Status::error;
  result.ceilings[1].reason = "the worker died";
  result.ceilings[0].conditions.clock_limits = "power cap";
  const std::string text = summary_text(summary_of(result, "a-plan", {"n1", 2}));
  EXPECT_EQ(text.find("samples"), std::string::npos);
  const NodeSummary read = parse_summary(text);
  EXPECT_EQ(read.plan, "a-plan");
  EXPECT_EQ(read.node, "n1");
  EXPECT_EQ(read.retest, 2);
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(read.rows[0].value.value(), 3.1235e12);  // five digits
  EXPECT_DOUBLE_EQ(read.rows[0].low.value(), 3.1e12);
  EXPECT_DOUBLE_EQ(read.rows[0].clock_hz.value(), 1.98e9);
  EXPECT_DOUBLE_EQ(read.rows[0].power_w.value(), 512.3);
  EXPECT_EQ(read.rows[0].clock_limits, "power cap");
  EXPECT_EQ(read.rows[1].status, Status::error);
  EXPECT_EQ(read.rows[1].reason, "the worker died");
  EXPECT_FALSE(read.rows[1].value);
}

TEST(Summary, FactsOfDevicesAreToldOnce) {
  const NodeSummary summary = summary_of(result_of(8, 1), "a-plan", {"n1"});
  EXPECT_EQ(fact(summary, "driver (cuda)"), "570.1");
  EXPECT_EQ(fact(summary, "VBIOS (cuda)"), "96.1, but cuda:3: 96.2");
  EXPECT_EQ(fact(summary, "kernel"), "6.1");
  EXPECT_EQ(fact(summary, "UUID (cuda)"), "");  // one card's own: it differs on every node
  EXPECT_EQ(fact(summary, "load_average_at_start"), "");
}

TEST(Summary, FactsOfAWorkerAreToldOnce) {
  Result result = result_of(3, 1);
  Build build;
  build.version = "1";
  build.compiler = "A";
  build.libraries = {{"cuBLAS", "13"}};
  for (int device = 0; device < 3; ++device) result.workers.emplace_back("gable-worker-cuda", build);  // as it was once
  const NodeSummary summary = summary_of(result, "a-plan", {"n1"});
  for (const char* name : {"gable-worker-cuda", "compiler (gable-worker-cuda)", "cuBLAS (gable-worker-cuda)"})
    EXPECT_EQ(std::ranges::count(summary.facts, name, &SummaryFact::name), 1) << name;
}

TEST(Summary, IsAtMostThirtyKilobytes) {
  // eight GPUs with sixty rows each fit whole
  const std::string whole = summary_text(summary_of(result_of(8, 60), "a-plan", {"n1"}));
  EXPECT_LE(whole.size(), 30'000u);
  // more rows: every device keeps the same first ones, and the number of the others is told
  const std::string cut = summary_text(summary_of(result_of(8, 600), "a-plan", {"n1"}));
  EXPECT_LE(cut.size(), 30'000u);
  EXPECT_GT(cut.size(), 25'000u);
  const NodeSummary read = parse_summary(cut);
  EXPECT_GT(read.left_out, 0);
  EXPECT_EQ(read.rows.size(), 8u * static_cast<std::size_t>(600 - read.left_out));
}

TEST(Summary, WhatIsNoneIsRefused) {
  const std::string good = summary_text(test::made_up_node("n1", 3e12, 1e-6));
  EXPECT_EQ(parse_summary(good).rows.size(), 2u);
  EXPECT_THROW(parse_summary(good.substr(0, good.size() / 2)), Error);
  EXPECT_THROW(parse_summary("{}"), Error);
  EXPECT_THROW(parse_summary("[1]"), Error);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_THROW(parse_summary(with("\"metric\":[0,1]", "\"metric\":[0,2]")), Error);
  EXPECT_THROW(parse_summary(with("\"metric\":[0,1]", "\"metric\":[0,-1]")), Error);
  EXPECT_THROW(parse_summary(with("\"metric\":[0,1]", "\"metric\":[0]")), Error);
  EXPECT_THROW(parse_summary(with("\"metric\":[0,1]", "\"metric\":[0,0]")), Error);  // one row twice
  EXPECT_THROW(parse_summary(with("\"device\":[0,0]", "\"device\":[0,1]")), Error);
  EXPECT_THROW(parse_summary(with("\"value\":[3000000000000", "\"value\":[-3000000000000")), Error);
  EXPECT_THROW(parse_summary(with("\"schema_version\":1", "\"schema_version\":2")), Error);
}

}  // namespace
}  // namespace gable::campaign
