// `gable verify-counters` with stand-ins for the profilers, whose counts are known by hand, and `gable run --runs`.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace gable::test {
namespace {

/// Elements of fp64 of which two arrays have 64 MiB, more than 20 times the caches of the fake CPU.
constexpr double elements = 4194304;

/// Whether a process ends within 30 s. One that ended and that nobody waits for is a zombie.
bool ends(pid_t program) {
  for (int i = 0; i < 3000; ++i) {
    std::ifstream status("/proc/" + std::to_string(program) + "/stat");
    std::string number, name, state;
    if (!(status >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Whether both programs end whose numbers the stand-in's log begins with.
bool both_end(const std::filesystem::path& log) {
  std::istringstream numbers(read_text(log));
  pid_t child = 0, daemon = 0;
  return numbers >> child >> daemon && ends(child) && ends(daemon);
}

class VerifyCounters : public testing::Test {
 protected:
  Outcome verify(const std::string& tool, const std::string& mode, const std::vector<std::string>& more = {},
                 Environment extra = {}) const {
    extra["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
    extra["GABLE_STAND_IN"] = mode;
    extra["GABLE_STAND_IN_LOG"] = (folder_ / "log").string();
    extra["GABLE_FAKE_RUNS"] = (folder_ / "runs").string();
    return gable(with({"verify-counters", "--tool", tool, "--profiler", GABLE_STAND_IN_PROFILER, "--quiet"}, more),
                 extra, folder_.path());
  }
  static json verdicts(const Outcome& outcome) {
    const json answer = json::parse(outcome.out);
    json by_metric = json::object();
    for (const json& metric : answer["metrics"]) by_metric[metric["metric"].get<std::string>()] = metric;
    return by_metric;
  }
  static json reading(const Outcome& outcome, const std::string& op, const std::string& metric) {
    const json answer = json::parse(outcome.out);
    for (const json& one : answer["readings"]) {
      if (one["operator"] == op && one["metric"] == metric) return one;
    }
    return {};
  }
  static std::string said(const Outcome& outcome) { return outcome.out + outcome.err; }

  Folder folder_;
};

const Environment gpu_of_cuda{{"GABLE_FAKE_DEVICES", "cuda:0"}, {"GABLE_FAKE_MEMORY", "8e9"}};
const Environment gpu_of_amd{
    {"GABLE_FAKE_DEVICES", "hip:0"}, {"GABLE_FAKE_MEMORY", "8e9"}, {"GABLE_FAKE_ISA", "gfx942"}};

TEST_F(VerifyCounters, AnInterruptedRunEndsTheProfilerAndWhatItStarted) {
  for (const int signal : {SIGTERM, SIGHUP, SIGKILL}) {
    struct sigaction here {};
    ::sigaction(signal, nullptr, &here);
    if (here.sa_handler == SIG_IGN) continue;  // under nohup
    std::filesystem::remove(folder_ / "log");
    Running running({GABLE_PROGRAM, "verify-counters", "--tool", "perf", "--profiler", GABLE_STAND_IN_PROFILER},
                    {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER},
                     {"GABLE_STAND_IN", "sleeping"},
                     {"GABLE_STAND_IN_LOG", (folder_ / "log").string()}},
                    folder_.path());
    const auto log = folder_ / "log";
    for (int i = 0; i < 3000 && (!std::filesystem::exists(log) || read_text(log).find('\n') == std::string::npos); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(std::filesystem::exists(log));
    ASSERT_EQ(::kill(static_cast<pid_t>(std::stol(read_text(log))), 0), 0);
    running.signal(signal);
    EXPECT_EQ(running.wait().code, signal == SIGKILL ? 128 + SIGKILL : 130);
    EXPECT_TRUE(both_end(log)) << signal;
  }
}

TEST_F(VerifyCounters, AProfilerThatEndsLeavesNothingBehind) {
  const auto done = verify("perf", "leaving");
  EXPECT_EQ(done.code, 0) << said(done) << "what holds its output is not waited for";
  EXPECT_TRUE(both_end(folder_ / "log"));
}

TEST_F(VerifyCounters, AProfileHasALimitOfTimeAndOfOutput) {
  expect_refusal(verify("perf", "sleeping", {"--limit", "1", "--profiler-args", "-e cycles"}),
                 "it was not done after 1 s (--limit)");
  EXPECT_TRUE(both_end(folder_ / "log"));
  const auto large = verify("perf", "large", {"--profiler-args", "-e cycles"});
  EXPECT_NE(large.err.find("it wrote more than 4 GiB"), std::string::npos) << large.err;
  expect_refusal(verify("perf", "endless", {"--profiler-args", "-e cycles"}),
                 "a line of its output is longer than 64 MiB");
}

TEST_F(VerifyCounters, WhatComesBeforeTheRunsCancels) {
  const auto exact = verify("perf", "exact", {"--json"});
  ASSERT_EQ(exact.code, 0) << said(exact);
  const json metrics = verdicts(exact);
  ASSERT_EQ(metrics.size(), 5U) << exact.out;
  for (const auto& [name, metric] : metrics.items()) EXPECT_EQ(metric["verdict"], "agrees") << name;
  EXPECT_EQ(metrics["DRAM read"]["operators"], 4);
  EXPECT_EQ(metrics["DRAM written"]["operators"], 2) << "dot writes one number";
  const json flop = reading(exact, "axpy fp64", "fp64 flop");
  EXPECT_DOUBLE_EQ(flop["true"], 2 * elements);
  EXPECT_NEAR(flop["counted_by_true"].get<double>(), 1, 1e-6);
  const json bytes = reading(exact, "axpy fp64", "DRAM read and written");
  EXPECT_DOUBLE_EQ(bytes["true"], 3 * 8 * elements);
  EXPECT_NEAR(bytes["counted_by_true"].get<double>(), 1, 1e-6);
  EXPECT_DOUBLE_EQ(reading(exact, "gemm fp32", "fp32 flop")["true"], 2.0 * 1024 * 1024 * 1024);
  EXPECT_TRUE(reading(exact, "gemm fp32", "DRAM read").is_null()) << "caches serve a product";
}

TEST_F(VerifyCounters, EveryProfileIsOfAnExactNumberOfRuns) {
  const auto exact = verify("likwid", "exact", {"--runs", "7"});
  ASSERT_EQ(exact.code, 0) << said(exact);
  std::istringstream programs(read_text(folder_ / "log")), runs(read_text(folder_ / "runs"));
  int pairs = 0;
  for (std::string few, many; std::getline(programs, few) && std::getline(programs, many);) {
    // the profile with the L3 of the first operator with bytes is refused before anything runs twice
    const auto count = [](const std::string& line) { return line.substr(line.find("--runs ")).substr(7, 2); };
    if (count(many) == "7 ") break;
    EXPECT_EQ(count(few), "7 ");
    EXPECT_EQ(count(many), "21");
    ++pairs;
  }
  EXPECT_GE(pairs, 3);
  std::string first, second;
  std::getline(runs, first);
  std::getline(runs, second);
  EXPECT_EQ(first, "7") << "the worker was asked once, for all of them";
  EXPECT_EQ(second, "21");
  EXPECT_TRUE(has(exact.out, "not counted with -g L3: it ended with exit code 1: ERROR: no group L3")) << exact.out;
  EXPECT_EQ(exact.out.find("-g L3", exact.out.find("-g L3") + 1), std::string::npos) << "tried and told once";
}

TEST_F(VerifyCounters, AConstantFactorIsTold) {
  const auto twice = verify("perf", "twice");
  EXPECT_EQ(twice.code, 1) << said(twice);
  EXPECT_NE(twice.out.find("2.000 to 2.000"), std::string::npos) << twice.out;
  EXPECT_NE(twice.out.find("a constant factor of 2"), std::string::npos) << twice.out;
  EXPECT_NE(twice.out.find("agrees within 5 %"), std::string::npos) << "the bytes: " << twice.out;
}

TEST_F(VerifyCounters, AFactorThatDiffersIsWrong) {
  const auto uneven = verify("likwid", "uneven", {"--json"});
  EXPECT_EQ(uneven.code, 1) << said(uneven);
  const json read = verdicts(uneven)["DRAM read"];
  EXPECT_EQ(read["verdict"], "wrong");
  EXPECT_NEAR(read["least"].get<double>(), 0.6, 1e-3);
  EXPECT_NEAR(read["most"].get<double>(), 1.0, 1e-3);
  EXPECT_EQ(verdicts(uneven)["DRAM written"]["verdict"], "agrees");
}

TEST_F(VerifyCounters, CountersThatStandStillAreNotCounted) {
  const auto nothing = verify("perf", "nothing", {"--json"});
  EXPECT_EQ(nothing.code, 1) << said(nothing);
  const json metrics = verdicts(nothing);
  for (const auto& [name, metric] : metrics.items()) EXPECT_EQ(metric["verdict"], "not_counted") << name;
}

TEST_F(VerifyCounters, KernelsOfNvidiaAreCountedToo) {
  const auto ncu = verify("ncu", "exact", {"--json"}, gpu_of_cuda);
  ASSERT_EQ(ncu.code, 0) << said(ncu);
  const json metrics = verdicts(ncu);
  for (const char* name : {"fp64 flop", "fp32 flop", "fp16 flop", "bf16 flop", "DRAM read", "DRAM written", "L1", "L2"})
    EXPECT_EQ(metrics[name]["verdict"], "agrees") << name;
  EXPECT_EQ(metrics["DRAM written"]["operators"], 4) << "axpy and triad";
}

TEST_F(VerifyCounters, KernelsOfAmdAreCountedToo) {
  const auto amd = verify("rocprofv3", "exact", {"--json"}, gpu_of_amd);
  ASSERT_EQ(amd.code, 0) << said(amd);
  const json of_amd = verdicts(amd);
  for (const char* name : {"fp64 flop", "fp32 flop", "fp16 flop", "bf16 flop", "DRAM read", "DRAM written"})
    EXPECT_EQ(of_amd[name]["verdict"], "agrees") << name;
}

TEST_F(VerifyCounters, WhatKeepsItFromCountingIsOneLine) {
  const Environment none;
  struct Failing {
    std::string tool, mode, line;
    Environment device;
  };
  for (const Failing& failing :
       std::vector<Failing>{{"perf", "exit", "it ended with exit code 3: the profiler broke", none},
                            {"perf", "missing", "it wrote no file", none},
                            {"perf", "idle", "the operator did not run", none},
                            {"likwid", "garbage", "its content is of no format", none},
                            {"perf", "refused", "<not supported>", none},
                            {"likwid", "refused", "load the module msr", none},
                            {"ncu", "refused", "ERR_NVGPUCTRPERM", gpu_of_cuda},
                            {"ncu", "exact", "ncu counts on cuda devices, and there is none", none}}) {
    expect_refusal(verify(failing.tool, failing.mode, {"--output", "new.json"}, failing.device), failing.line);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new.json"));
  }
}

TEST_F(VerifyCounters, BadInputIsOneLine) {
  write_text(folder_ / "old.txt", "precious");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--tool", "vtune"},
                                             {"--tool", "perf", "--profiler", "./absent"},
                                             {"--tool", "perf", "--profiler", "absent-program"},
                                             {"--tool", "perf", "--device", "cuda:9"},
                                             {"--tool", "perf", "--runs", "0"},
                                             {"--tool", "perf", "--profiler-args", " "},
                                             {"--tool", "perf", "--output", "old.txt"},
                                             {}}) {
    expect_refusal(gable(with({"verify-counters", "--quiet"}, more), {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}},
                         folder_.path()),
                   "");
  }
  EXPECT_EQ(read_text(folder_ / "old.txt"), "precious");
}

TEST_F(VerifyCounters, TheUserChoosesWhatIsCounted) {
  const auto flops = verify("perf", "exact",
                            {"--json", "--profiler-args", "-e duration_time,fp_arith_inst_retired.256b_packed_double"});
  const json metrics = verdicts(flops);
  ASSERT_EQ(metrics.size(), 5U) << said(flops);
  EXPECT_EQ(metrics["fp64 flop"]["verdict"], "agrees");
  for (const char* name : {"fp32 flop", "DRAM read"}) EXPECT_EQ(metrics[name]["verdict"], "not_counted") << name;
  EXPECT_EQ(flops.code, 1);
}

TEST_F(VerifyCounters, TheAnswerGoesToAFile) {
  const auto done = verify("perf", "exact", {"--output", "trust.json", "--json"});
  ASSERT_EQ(done.code, 0) << said(done);
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(json::parse(read_text(folder_ / "trust.json"))["profiler"], "perf");
}

TEST(RunExactly, OneBatchOfSoManyRuns) {
  const Folder folder;
  const Environment fake{{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER},
                         {"GABLE_FAKE_RUNS", (folder / "runs").string()}};
  const auto done = gable({"run", "--operator", "axpy", "--params", "n=1024", "--dtype", "fp64", "--runs", "4",
                           "--output", "four.json", "--quiet"},
                          fake, folder.path());
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(read_text(folder / "runs"), "4\n");
  const json result = json::parse(read_text(folder / "four.json"));
  ASSERT_EQ(result["points"].size(), 1U);
  EXPECT_EQ(result["points"][0]["status"], "suspect");
  EXPECT_DOUBLE_EQ(result["points"][0]["time_s"], 1e-3);
  EXPECT_EQ(gable({"validate", "four.json"}, {}, folder.path()).code, 0);
  EXPECT_EQ(gable({"measure", "--runs", "4"}, fake, folder.path()).code, 2) << "ceilings are not run so";
}

}  // namespace
}  // namespace gable::test
