#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"

namespace gable::test {
namespace {

/// One kernel of Nsight Compute: 4 ms for 1 GB and 2e9 flop in fp64.
const std::string ncu =
    "\"ID\",\"Process ID\",\"Kernel "
    "Name\",\"gpu__time_duration.sum\",\"dram__bytes.sum\",\"sm__inst_executed_pipe_tensor."
    "sum\",\"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_dmul_pred_on."
    "sum\","
    "\"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\","
    "\"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\","
    "\"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum\",\"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum\","
    "\"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum\"\n"
    "\"\",\"\",\"\",\"ms\",\"Gbyte\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\",\"inst\","
    "\"inst\"\n"
    "\"0\",\"1\",\"void axpy<double>(double*)\",\"4.0\",\"1.0\",\"0\",\"0\",\"0\",\"1000000000\",\"0\",\"0\",\"0\","
    "\"0\",\"0\",\"0\"\n";

const std::string ert =
    R"({"empirical": {"gbytes": {"data": [["DRAM", 40.5]]}, "gflops": {"data": [["FP64 GFLOPs", 99]]}}})";

std::string said(const Outcome& outcome) { return outcome.out + outcome.err; }

TEST(Import, PointsOfABareIdAreReadByEveryCommand) {
  const Folder folder;
  write_text(folder / "ncu.csv", ncu);
  const auto imported =
      gable({"import", "ncu.csv", "--device", "cuda:0", "--output", "points.json"}, {}, folder.path());
  ASSERT_EQ(imported.code, 0) << said(imported);
  EXPECT_NE(imported.out.find("Nsight Compute CSV, 1 kernels"), std::string::npos) << imported.out;
  const auto valid = gable({"validate", "points.json"}, {}, folder.path());
  EXPECT_EQ(valid.code, 0) << said(valid);
  const auto point = json::parse(read_text(folder / "points.json"))["points"][0];
  EXPECT_EQ(point["op"], "axpy<double>");
  EXPECT_EQ(point["implementation"], "imported/ncu");
  EXPECT_EQ(point["imported"]["file"], "ncu.csv");
  EXPECT_DOUBLE_EQ(point["time_s"], 4e-3);
  EXPECT_DOUBLE_EQ(point["imported"]["operations"][0]["operations"], 2e9);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"report", "points.json"},
                                             {"explain", "points.json"},

                                             {"report", "points.json", "--anonymous", "--output", "a.json"},
                                             {"report", "points.json", "--table", "points"}}) {
    const auto done = gable(command, {}, folder.path());
    EXPECT_EQ(done.code, 0) << command[0] << ": " << said(done);
  }
  EXPECT_EQ(read_text(folder / "a.json").find("ncu.csv"), std::string::npos) << "an anonymous copy names no file";
}

/// 1e18 byte in 4 ms are 2.5e20 byte/s, which no memory gives: only the file and the kernel can be at fault, not a
/// place in the result, which is not written.
TEST(Import, AFigureThatCannotBeIsRefusedAndTheOldResultStays) {
  const Folder folder;
  std::string wrong = ncu;
  wrong.replace(wrong.find("axpy"), 4, "wrong");
  wrong.replace(wrong.find("\"1.0\",\"0\""), 5, "\"1000000000.0\"");
  write_text(folder / "sound.csv", ncu);
  write_text(folder / "wrong.csv", wrong);
  write_text(folder / "points.json", "what was there");
  const auto refused =
      gable({"import", "sound.csv", "wrong.csv", "--device", "cuda:0", "--output", "points.json", "--force"}, {},
            folder.path());
  expect_refusal(refused, "wrong.csv: 'void wrong<double>(double*)': time_s: 0.004 for 1e+18 byte: a bandwidth");
  EXPECT_EQ(refused.err.find("sound.csv"), std::string::npos) << refused.err;
  EXPECT_EQ(refused.err.find("/points"), std::string::npos) << refused.err;
  EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  EXPECT_EQ(read_text(folder / "points.json"), "what was there");
}

/// A result of the fake worker: 100 GFLOP/s in fp32 and 20 GB/s.
void calibrate(const Folder& folder) {
  const Environment fake{
      {"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER},
      {"GABLE_FAKE_ITEMS", "ceiling/compute/vector/fp32/burst ceiling/bandwidth/DRAM/triad/ordinary/sustained"}};
  const auto measured = gable({"calibrate", "--output", "node.json"}, fake, folder.path());
  ASSERT_EQ(measured.code, 0) << said(measured);
}

TEST(Import, CeilingsOfAResultFileJudgeAndThoseOfOtherToolsDoNot) {
  const Folder folder;
  calibrate(folder);
  write_text(folder / "roofline.json", ert);
  // 0.06 GB at 20 GB/s take 3 ms of the 4; at the 40.5 GB/s of ERT they would take 1.5 ms
  std::string kernel = ncu;
  kernel.replace(kernel.find("\"1.0\",\"0\""), 5, "\"0.06\"");
  kernel.replace(kernel.find("\"1000000000\""), 12, "\"0\"");
  write_text(folder / "ncu.csv", kernel);
  const auto imported = gable(
      {"import", "ncu.csv", "roofline.json", "--device", "node.json", "--output", "points.json"}, {}, folder.path());
  ASSERT_EQ(imported.code, 0) << said(imported);
  const auto valid = gable({"validate", "points.json"}, {}, folder.path());
  EXPECT_EQ(valid.code, 0) << said(valid);
  const auto point = json::parse(read_text(folder / "points.json"))["points"][0];
  EXPECT_NEAR(point["bound_s"].get<double>(), 3e-3, 1e-4);
  EXPECT_EQ(point["regime"], "memory_bound");
  const auto alone = gable({"explain", "points.json", "axpy"}, {}, folder.path());
  EXPECT_TRUE(has(alone.out, "No ceilings of this device are in these files")) << said(alone);
  EXPECT_FALSE(has(alone.out, "gains 2 %")) << "not known is not none";
  const auto both = gable({"report", "node.json", "points.json"}, {}, folder.path());
  EXPECT_EQ(both.code, 0) << said(both);
  EXPECT_NE(both.out.find("ceilings of other tools"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("2.0"), std::string::npos) << "40.5 GB/s beside 20: " << both.out;
  const auto merged = gable({"report", "node.json", "points.json", "--output", "both.json"}, {}, folder.path());
  ASSERT_EQ(merged.code, 0) << said(merged);
  const auto judged = json::parse(read_text(folder / "both.json"));
  EXPECT_EQ(judged["devices"].size(), 1U) << "one machine";
  EXPECT_NEAR(judged["points"][0]["bound_s"].get<double>(), 3e-3, 1e-4) << "not by the ceilings of ERT";
  EXPECT_EQ(gable({"explain", "node.json", "points.json", "axpy"}, {}, folder.path()).code, 0);
}

/// The counter of Zen has operations of all types in one: without --dtype nothing decides, whatever roofs are asked.
TEST(Import, WhatCountersDoNotTellGetsNoVerdictFromExplainAndPredict) {
  const Folder folder;
  calibrate(folder);
  write_text(folder / "app.csv",
             "1000000,ns,duration_time,1,100.00,,\n500000,,fp_ret_sse_avx_ops.all,1,100.00,,\n"
             "100,,umc_cas_cmd.rd,1,100.00,,\n50,,umc_cas_cmd.wr,1,100.00,,\n");
  ASSERT_EQ(gable({"import", "app.csv", "--device", "node.json", "--output", "points.json"}, {}, folder.path()).code,
            0);
  ASSERT_EQ(gable({"report", "node.json", "points.json", "--output", "both.json"}, {}, folder.path()).code, 0);
  const auto point = json::parse(read_text(folder / "both.json"))["points"][0];
  ASSERT_FALSE(point.contains("regime")) << point.dump(1);
  const std::string why = "its counters do not tell the type of 5e+05 operations";
  expect_refusal(gable({"explain", "both.json", "app"}, {}, folder.path()), "has no verdict: " + why);
  const auto all = gable({"explain", "both.json"}, {}, folder.path());
  EXPECT_NE(said(all).find(why), std::string::npos) << said(all);
  EXPECT_EQ(said(all).find("-bound"), std::string::npos) << said(all);
  const std::vector<std::string> predict{"predict", "--point",     "both.json:app", "--peak",
                                         "1T",      "--bandwidth", "10GB/s"};
  const auto told = gable(predict, {}, folder.path());
  EXPECT_EQ(told.code, 0) << said(told);
  EXPECT_EQ(said(told).find("memory-bound"), std::string::npos) << said(told);
  EXPECT_NE(said(told).find("the type of 5e+05 operations"), std::string::npos) << said(told);
  const json rows = answer_of(gable(with(predict, {"--format", "json"}), {}, folder.path()))["predictions"];
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) {
    EXPECT_TRUE(row["regime"].is_null()) << row.dump(1);
    EXPECT_FALSE(row.contains("expected_s")) << row.dump(1);
    EXPECT_EQ(row["unknown"].size(), 1U) << row.dump(1);
  }
}

/// Regions that are timed alone have no work: every command takes them, and none says what decides.
TEST(Import, RegionsOfCaliperAreReadByEveryCommand) {
  const Folder folder;
  calibrate(folder);
  write_text(folder / "app.json", R"([{"path":"main","time":0.25},{"path":"main/solve","time":2.0}])");
  const auto imported =
      gable({"import", "app.json", "--device", "node.json", "--output", "points.json"}, {}, folder.path());
  ASSERT_EQ(imported.code, 0) << said(imported);
  EXPECT_NE(imported.out.find("Caliper JSON, 2 kernels or regions"), std::string::npos) << imported.out;
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"validate", "points.json"},
                                             {"report", "node.json", "points.json", "--output", "both.json"},
                                             {"validate", "both.json"},
                                             {"report", "both.json", "--table", "points"},
                                             {"report", "both.json", "--output", "page.html"},
                                             {"explain", "both.json"}}) {
    const auto done = gable(command, {}, folder.path());
    EXPECT_EQ(done.code, 0) << command[0] << ": " << said(done);
    EXPECT_EQ(done.out.find("-bound"), std::string::npos) << done.out;
  }
  EXPECT_TRUE(has(gable({"report", "both.json", "--table", "points"}, {}, folder.path()).out, "main / solve"));
  expect_refusal(gable({"explain", "both.json", "solve"}, {}, folder.path()),
                 "its counters do not tell operations, bytes of the main memory");
  expect_refusal(gable({"predict", "--point", "both.json:solve", "--peak", "1T"}, {}, folder.path()),
                 "nothing to predict");
}

TEST(Import, PredictAsksForRoofsWhereTheFileHasNone) {
  const Folder folder;
  write_text(folder / "ncu.csv", ncu);
  ASSERT_EQ(gable({"import", "ncu.csv", "--device", "cuda:0", "--output", "points.json"}, {}, folder.path()).code, 0);
  expect_refusal(gable({"predict", "--point", "points.json:axpy"}, {}, folder.path()), "gable report");
  // 1 GB at 1 TB/s: 1 ms, longer than the 2e9 flop at 10 Tflop/s
  const auto on =
      gable({"predict", "--point", "points.json:axpy", "--peak", "10T", "--bandwidth", "1TB/s", "--format", "json"}, {},
            folder.path());
  ASSERT_EQ(on.code, 0) << said(on);
  const auto rows = json::parse(on.out)["predictions"];
  ASSERT_EQ(rows.size(), 1U) << "no row of roofs that are not there";
  EXPECT_NEAR(rows[0]["time_s"].get<double>(), 1e-3, 1e-9);
}

TEST(Import, BadInputIsOneLineAndNothingIsReplaced) {
  const Folder folder;
  write_text(folder / "ncu.csv", ncu);
  write_text(folder / "other.txt", "hello\n");
  write_text(folder / "points.json", "precious");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"import", "ncu.csv", "--device", "cuda:0", "--output", "points.json"},
           {"import", "other.txt", "--device", "cuda:0", "--output", "new.json"},
           {"import", "ncu.csv", "--device", "no such device", "--output", "new.json"},
           {"import", "ncu.csv", "--device", "cuda:0", "--output", "ncu.csv"},
           {"import", "ncu.csv", "--output", "new.json"},
           {"import", "absent.csv", "--device", "cuda:0", "--output", "new.json"},
           {"export", "points.json", "--format", "ert"},
           {"export", "points.json", "--format", "xml"}}) {
    expect_refusal(gable(command, {}, folder.path()), "");
  }
  EXPECT_EQ(read_text(folder / "points.json"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "new.json"));
}

TEST(Export, EveryFormIsWritten) {
  const Folder folder;
  calibrate(folder);
  for (const std::string form : {"reframe", "prometheus", "tracelens", "llm-viewer", "ert", "csv", "markdown"}) {
    const auto done = gable({"export", "node.json", "--format", form}, {}, folder.path());
    EXPECT_EQ(done.code, 0) << form << ": " << said(done);
    EXPECT_FALSE(done.out.empty()) << form;
  }
  const auto ert_again =
      gable({"export", "node.json", "--format", "ert", "--output", "roofline.json"}, {}, folder.path());
  ASSERT_EQ(ert_again.code, 0) << said(ert_again);
  const auto back =
      gable({"import", "roofline.json", "--device", "node.json", "--output", "again.json"}, {}, folder.path());
  EXPECT_EQ(back.code, 0) << said(back);
}

}  // namespace
}  // namespace gable::test
