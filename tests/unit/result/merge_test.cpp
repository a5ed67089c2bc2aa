#include "core/result/merge.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/result/provenance.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/validate.hpp"
#include "files.hpp"
#include "sample.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

std::vector<std::string> device_ids(const Result& result) {
  std::vector<std::string> ids;
  for (const auto& device : result.devices) ids.push_back(device.id);
  return ids;
}

TEST(Merge, ClashingDevicesGetTheirHostAndRowsFollow) {
  const auto here = test::full_result();
  auto there = test::full_result();
  there.run.hostname = "node018";
  there.run.started_at = "2026-01-30T12:00:00Z";
  there.run.complete = false;
  DeviceInfo gpu = test::full_device();
  gpu.id = "cuda:0";
  there.devices.push_back(gpu);
  there.points[0].device = "cuda:0";
  const auto merged = result::merge(std::vector{here, there, here});
  EXPECT_EQ(device_ids(merged),
            (std::vector<std::string>{"node017:openmp", "node018:openmp", "cuda:0", "node017:openmp#2"}));
  ASSERT_EQ(merged.ceilings.size(), 9U);
  EXPECT_EQ(merged.ceilings[0].device, "node017:openmp");
  EXPECT_EQ(merged.ceilings[3].device, "node018:openmp");
  EXPECT_EQ(merged.ceilings[6].device, "node017:openmp#2");
  EXPECT_EQ(merged.points.at(1).device, "cuda:0");
  EXPECT_EQ(merged.run.started_at, "2026-01-30T12:00:00Z");
  EXPECT_EQ(merged.run.hostname, "node017,node018");
  EXPECT_FALSE(merged.run.complete);
  EXPECT_EQ(merged.run.resumed, 6);
  EXPECT_TRUE(verdict::plausibility(merged).empty());
}

TEST(Merge, DifferentDevicesKeepTheirIds) {
  const auto cpu = test::full_result();
  auto gpu = test::full_result();
  gpu.devices[0].id = "hip:0";
  for (auto& row : gpu.ceilings) row.device = "hip:0";
  gpu.points.clear();
  gpu.curves.clear();
  const auto merged = result::merge(std::vector{cpu, gpu});
  EXPECT_EQ(device_ids(merged), (std::vector<std::string>{"openmp", "hip:0"}));
  EXPECT_EQ(merged.ceilings.at(3).device, "hip:0");
}

/// A calibration: ceilings and curves. A run: points. Both of one node with two threads.
Result calibration() {
  auto result = test::full_result();
  for (auto& row : result.ceilings) row.scope = Scope::node;
  result.curves[0].scope = Scope::node;
  result.curves[0].threads = 2;
  result.points.clear();
  return result;
}
Result operators() {
  auto result = test::full_result();
  result.run.started_at = "2026-01-31T13:00:00Z";
  result.points[0].scope = Scope::node;
  result.ceilings.clear();
  result.curves.clear();
  result.points[0].stages = {{"stream", {}, 2112, 128, 2240, 1, {}}};  // needs the roof of main memory only
  result.points[0].bound_s.reset();
  result.points[0].fraction_of_limit.reset();
  result.devices[0].facts.clear();           // governors change
  result.devices[0].free_memory_bytes /= 2;  // and so does this
  return result;
}

/// Anonymous hosts tell nothing, but a run may name the other's file as that of its roofs.
TEST(Merge, AnAnonymousFileJoinsWhatItsRoofsJudged) {
  auto roofs = calibration(), run = operators();
  roofs.run.hostname = run.run.hostname = "anonymous";
  run.run.facts = {{std::string(roofs_fact), "results/node.json", "command line"}};
  const auto devices = [](const std::vector<Result>& results, const std::vector<std::string>& files) {
    return result::merge(results, files).devices.size();
  };
  EXPECT_EQ(devices({roofs, run}, {"node.json", "points.json"}), 1U);
  EXPECT_EQ(devices({roofs, run}, {"other.json", "points.json"}), 2U);
  EXPECT_EQ(devices({run, run, roofs}, {"a.json", "b.json", "node.json"}), 1U) << "in any order";
}

TEST(Merge, ACalibrationAndARunOfOneMachineAreOneDevice) {
  for (const auto& files : {std::vector{calibration(), operators()}, std::vector{operators(), calibration()}}) {
    auto merged = result::merge(files);
    ASSERT_EQ(device_ids(merged), std::vector<std::string>{"openmp"});
    set_verdicts(merged);
    EXPECT_TRUE(merged.points.at(0).bound_s) << "under the ceilings of the other file";
    EXPECT_EQ(merged.ceilings.size(), 3U);
    EXPECT_EQ(merged.curves.size(), 1U);
    ASSERT_EQ(merged.points.size(), 1U);
    EXPECT_EQ(merged.points[0].device, "openmp");
    EXPECT_EQ(merged.workers.size(), 2U);
    const auto started = std::ranges::count(merged.devices[0].facts, std::string("run_started_at"),
                                            [](const Fact& f) { return f.name; });
    EXPECT_EQ(started, 2);
    EXPECT_TRUE(verdict::plausibility(merged).empty());
  }
}

TEST(Merge, PointsOfTwoRunsShareTheRoofsUnderTheirOwnIds) {
  const auto merged = result::merge(std::vector{calibration(), operators(), operators()});
  ASSERT_EQ(device_ids(merged), std::vector<std::string>{"openmp"});
  ASSERT_EQ(merged.points.size(), 2U);
  EXPECT_EQ(merged.points[1].id, merged.points[0].id + "#2");
}

TEST(Merge, WhatWasMeasuredOtherwiseStaysApart) {
  const auto devices = [](auto change) {
    auto other = operators();
    change(other);
    return result::merge(std::vector{calibration(), other}).devices.size();
  };
  EXPECT_EQ(devices([](Result&) {}), 1U);
  EXPECT_EQ(devices([](Result& r) { r.run.hostname = "node018"; }), 2U);
  EXPECT_EQ(devices([](Result& r) { r.devices[0].name = "Another CPU"; }), 2U);
  EXPECT_EQ(devices([](Result& r) { r.devices[0].memory[0].size_bytes *= 2; }), 2U);
  EXPECT_EQ(devices([](Result& r) { r.points[0].threads = 1; }), 2U);
  EXPECT_EQ(devices([](Result& r) { r.points[0].scope = Scope::core; }), 2U);
  EXPECT_EQ(devices([](Result& r) { r.ceilings = calibration().ceilings; }), 2U) << "each has its own ceilings";
}

TEST(Merge, ARowWithoutItsDeviceIsAnError) {
  auto broken = operators();
  broken.points[0].device = "cuda:7";
  const auto message = error_of([&] { result::merge(std::vector{calibration(), broken}); });
  EXPECT_NE(message.find("'cuda:7'"), std::string::npos) << message;
}

TEST(Merge, NothingIsAnError) {
  EXPECT_EQ(error_of([] { result::merge({}); }), "no result to merge");
}

TEST(Provenance, ARunSaysWhenWhereAndUnderWhichSettings) {
  ::setenv("OMP_PROC_BIND", "spread", 1);
  ::setenv("SECRET_TOKEN", "hidden", 1);
  auto run = result::begin_run({"gable", "measure"}, Mode::full);
  result::finish_run(run);
  EXPECT_EQ(run.mode, Mode::full);
  EXPECT_EQ(run.command_line, (std::vector<std::string>{"gable", "measure"}));
  EXPECT_FALSE(run.hostname.empty());
  EXPECT_TRUE(run.kernel.starts_with("Linux ")) << run.kernel;
  EXPECT_EQ(run.started_at.size(), 20U);
  EXPECT_LE(run.started_at, run.finished_at);
  const auto fact = [&](std::string_view name) {
    const auto found = std::find_if(run.facts.begin(), run.facts.end(), [&](const Fact& f) { return f.name == name; });
    return found == run.facts.end() ? std::string() : found->value;
  };
  EXPECT_EQ(fact("OMP_PROC_BIND"), "spread");
  EXPECT_EQ(fact("SECRET_TOKEN"), "");
  for (const auto* name :
       {"hypervisor", "hardware_model", "container", "load_average_at_start", "load_average_at_end"}) {
    EXPECT_NE(fact(name), "") << name;
  }
}

TEST(Provenance, TheBuildIsNamed) {
  const auto build = result::this_build();
  EXPECT_FALSE(build.version.empty());
  EXPECT_FALSE(build.compiler.empty());
  EXPECT_TRUE(build.commit == "unknown" || build.commit.size() >= 40) << build.commit;
  std::set<std::string> names;
  for (const auto& [name, version] : build.libraries) {
    names.insert(name);
    EXPECT_TRUE(std::any_of(version.begin(), version.end(), [](unsigned char c) { return std::isdigit(c); }))
        << name << " " << version;
  }
  EXPECT_EQ(names, (std::set<std::string>{"Boost", "fmt", "libc", "nlohmann-json", "zlib"}));
}

}  // namespace
}  // namespace gable
