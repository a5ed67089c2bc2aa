// Bad input: one clear line naming the culprit, exit code 2, and nothing overwritten.
#include <gtest/gtest.h>

#include <filesystem>

#include "program.hpp"
#include "runs.hpp"

namespace gable::test {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> arguments;
  const char* culprit;
};

void PrintTo(const Case& bad, std::ostream* out) { *out << bad.name; }

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, IsOneLineAndExitCode2) {
  Folder folder;
  const auto run = gable(GetParam().arguments, fake(), folder.path());
  expect_refusal(run, GetParam().culprit);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadInput,
    testing::Values(
        Case{"command", {"mesure"}, "mesure"}, Case{"option", {"measure", "--fast"}, "fast"},
        Case{"abbreviation", {"measure", "--qui"}, "qui"}, Case{"operator", {"measure", "--operator", "gem"}, "'gem'"},
        Case{"operator_comma", {"measure", "--operator", "triad,"}, "empty entry"},
        Case{"dtype", {"measure", "--dtype", "fp31"}, "'fp31'"},
        Case{"dtype_of_operator",
             {"run", "--operator", "gemm", "--dtype", "int8"},
             "gemm cannot be run with int8; gemm does not take int8: gemm_int8 does"},
        Case{"dtype_of_none", {"run", "--dtype", "int4"}, "int4"},
        Case{"suite", {"measure", "--suite", "qick"}, "'qick'; suites: quick, teaching"},
        Case{"suite_and_operator", {"run", "--suite", "all", "--operator", "relu"}, "--operator and --suite exclude"},
        Case{"dtype_of_suite", {"run", "--suite", "hpc", "--dtype", "bf16"}, "suite hpc cannot be run with bf16"},
        Case{"suites_show", {"suites", "--show", "none"}, "'none'"},
        Case{"experiment_none", {"experiment"}, "which experiment"},
        Case{"experiment_unknown", {"experiment", "fuse"}, "'fuse'; known: overhead"},
        Case{
            "experiment_dtype", {"experiment", "batch", "--dtype", "int4"}, "experiment batch cannot be run with int4"},
        Case{"experiment_from", {"experiment", "batch", "--from", "none.json"}, "none.json"},
        Case{"census_missing", {"run", "--census", "none.csv"}, "none.csv"},
        Case{"device", {"measure", "--device", "cuda:7"}, "'cuda:7'"},
        Case{"scope", {"measure", "--scope", "rack"}, "'rack'"},
        Case{"catalogue_name", {"devices", "--show", "H900"}, "H900"},
        Case{"catalogue_both", {"devices", "--catalogue", "--show", "T4"}, "--catalogue and --show"},
        Case{"compare_nothing", {"compare"}, "compare needs"},
        Case{"compare_missing", {"compare", "none.json", "T4"}, "none.json"},
        Case{"compare_unknown_device", {"compare", "T4", "H900"}, "H900"},
        Case{"compare_dtype", {"compare", "T4", "L4", "--dtype", "fp31"}, "'fp31'"},
        Case{"compare_weights", {"compare", "T4", "L4", "--weights", "flops"}, "'flops'; known: operator, time"},
        Case{"compare_one", {"compare", "T4"}, "two devices"},
        Case{"predict_nothing", {"predict", "--on", "T4"}, "--operator"},
        Case{"predict_nowhere", {"predict", "--intensity", "1"}, "--on"},
        Case{"predict_params", {"predict", "--operator", "relu", "--on", "T4"}, "--params"},
        Case{"predict_dtype",
             {"predict", "--operator", "relu", "--params", "n=8", "--dtype", "int4", "--on", "T4"},
             "int4"},
        Case{"predict_peak", {"predict", "--intensity", "1", "--peak", "fast"}, "--peak"},
        Case{"predict_bare_peak",
             {"predict", "--flop", "1", "--peak", "989"},
             "--peak: \"989\" has no unit: write it like"},
        Case{"predict_bare_bandwidth",
             {"predict", "--byte", "1", "--bandwidth", "4.8"},
             "--bandwidth: \"4.8\" has no unit: write it like 3.35TB/s"},
        Case{"plan_bare_memory", {"plan", "GPT-2", "--on", "T4", "--memory", "80"}, "--memory: \"80\" has no unit"},
        Case{"plan_bare_link", {"plan", "GPT-2", "--on", "T4", "--link", "900"}, "--link: \"900\" has no unit"},
        Case{"plan_bare_launch", {"plan", "GPT-2", "--on", "T4", "--launch", "5"}, "--launch: \"5\" has no unit"},
        Case{"budget_unit", {"measure", "--retry-budget", "5kB"}, "--retry-budget: \"5kB\""},
        Case{"predict_level", {"predict", "--intensity", "1", "--on", "T4", "--in", "L9"}, "'L9'"},
        Case{"predict_both",
             {"predict", "--operator", "relu", "--params", "n=8", "--flop", "1", "--on", "T4"},
             "--flop"},
        Case{"predict_reach", {"predict", "--point", "none.json:a", "--reach", "m"}, "--point and --reach"},
        Case{"predict_point_file", {"predict", "--point", "none.json:a"}, "none.json"},
        Case{"predict_pairs",
             {"predict", "--flop", "1", "--peak", "1T", "--peak", "2T", "--bandwidth", "1G", "--bandwidth", "2G",
              "--bandwidth", "3G"},
             "--peak and --bandwidth"},
        Case{"predict_lists",
             {"predict", "--flop", "1", "--flop", "2", "--byte", "1", "--byte", "2", "--byte", "3", "--on", "T4"},
             "equally often"},
        Case{"predict_scale",
             {"predict", "--operator", "relu", "--params", "n=8", "--scale", "m=2", "--on", "T4"},
             "no operator has the size 'm'"},
        Case{"predict_items", {"predict", "--byte", "1", "--on", "T4", "--items", "none"}, "--items"},
        Case{"devices_file", {"devices", "--catalogue", "--devices-file", "none.json"}, "none.json"},
        Case{"devices_file_alone", {"devices", "--devices-file", "none.json"}, "none.json"},
        Case{"models_file", {"plan", "GPT-2", "--on", "T4", "--models-file", "none.json"}, "none.json"},
        Case{"plan_phase", {"plan", "GPT-2", "--on", "T4", "--phase", "both"}, "'both'; known: prefill, decode"},
        Case{"plan_sweep", {"plan", "GPT-2", "--on", "T4", "--phase", "prefill", "--sweep"}, "--sweep"},
        Case{"plan_measured", {"plan", "GPT-2", "--on", "T4", "--measured", "none.json"}, "none.json"},
        Case{"plan_machines",
             {"plan", "GPT-2", "--on", "T4", "--on", "H200 SXM 141GB", "--sweep"},
             "--sweep is of one model on one machine"},
        Case{"plan_capital", {"plan", "GPT-2", "--on", "T4", "--capital", "9000"}, "--capital needs --years"},
        Case{"plan_years", {"plan", "GPT-2", "--on", "T4", "--years", "5"}, "--years goes with --capital"},
        Case{"plan_suite_folder", {"plan", "GPT-2", "--on", "T4", "--suite", "no/such/s.json"}, "no/such"},
        Case{"explain_nothing", {"explain"}, "explain needs a result file"},
        Case{"explain_missing", {"explain", "none.json"}, "none.json"},
        Case{"check_nothing", {"check"}, "check needs a result file"},
        Case{"check_no_criterion", {"check", "none.json"}, "--against"},
        Case{"check_missing", {"check", "none.json", "--datasheet", "80%"}, "none.json"},
        Case{"check_percent", {"check", "none.json", "--datasheet", "much"}, "--datasheet: 'much'"},
        Case{"check_tolerance_alone", {"check", "none.json", "--datasheet", "80", "--tolerance", "5"}, "--tolerance"},
        Case{"check_junit_folder", {"check", "a.json", "--datasheet", "80", "--junit", "no/such/j.xml"}, "no/such"},
        Case{"plan_nothing", {"plan"}, "plan needs a model"},
        Case{"plan_model", {"plan", "llama", "--on", "T4"}, "'llama'"}, Case{"plan_device", {"plan", "GPT-2"}, "--on"},
        Case{"plan_unknown_device", {"plan", "GPT-2", "--on", "H900"}, "H900"},
        Case{"plan_file", {"plan", "GPT-2", "--on", "none.json"}, "none.json"},
        Case{"plan_batch", {"plan", "GPT-2", "--on", "T4", "--batch", "0"}, "'0'"},
        Case{"plan_dtype", {"plan", "GPT-2", "--on", "T4", "--weights", "fp31"}, "'fp31'"},
        Case{"plan_devices", {"plan", "GPT-2", "--on", "T4", "--devices", "5"}, "5 devices"},
        Case{"both", {"measure", "--quick", "--full"}, "--quick and --full"},
        Case{"threads_zero", {"measure", "--threads", "0"}, "'0'"},
        Case{"threads_text", {"measure", "--threads", "two"}, "'two'"},
        Case{"threads_many", {"measure", "--threads", "99"}, "exceeds"},
        Case{"params_alone", {"measure", "--params", "m=4"}, "--params"},
        Case{"params_zero", {"run", "--operator", "triad", "--params", "n=0"}, "n=0"},
        Case{"params_negative", {"run", "--operator", "triad", "--params", "n=-4"}, "n=-4"},
        Case{"params_overflow",
             {"run", "--operator", "triad", "--params", "n=99999999999999999999"},
             "n=99999999999999999999"},
        Case{"params_huge",
             {"run", "--operator", "triad", "--params", "n=4611686018427387904"},
             "n=4611686018427387904"},
        Case{"params_name", {"run", "--operator", "triad", "--params", "q=4"}, "q"},
        Case{"output_empty", {"measure", "--output", ""}, "--output"},
        Case{"output_long", {"measure", "--output", std::string(300, 'x')}, "too long"},
        Case{"output_folder", {"measure", "--output", "no/such/folder/r.json"}, "no/such/folder"},
        Case{"output_is_folder", {"measure", "--output", "/tmp"}, "/tmp"},
        Case{"config_missing", {"measure", "--config", "none.cfg"}, "none.cfg"},
        Case{"config_folder", {"measure", "--config", "/tmp"}, "/tmp"},
        Case{"resume_missing", {"measure", "--resume", "none.json"}, "none.json"},
        Case{"resume_with_plan", {"measure", "--resume", "none.json", "--full"}, "--full"},
        Case{"resume_with_output", {"measure", "--resume", "none.json", "--output", "other.json"}, "--output"},
        Case{"report_missing", {"report", "none.json"}, "none.json"}, Case{"report_nothing", {"report"}, "result file"},
        Case{"report_device_alone", {"report", "none.json", "--device", "openmp"}, "--device"},
        Case{"report_title_of_table", {"report", "none.json", "--table", "points", "--title", "t"}, "--title"},
        Case{"report_all_roofs_of_text", {"report", "none.json", "--output", "r.txt", "--all-roofs"}, "--all-roofs"},
        Case{"report_unknown_unit", {"report", "T4", "--unit", "turbo", "--output", "r.svg"}, "--unit: 'turbo'"},
        Case{"report_scope_of_text", {"report", "none.json", "--output", "r.txt", "--scope", "core"}, "--scope"},
        Case{"validate_missing", {"validate", "none.json"}, "none.json"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(Output, ExistingResultIsNeverReplacedUnasked) {
  Folder folder;
  write_text(folder / "r.json", "precious");
  const auto run = gable({"calibrate", "--output", "r.json"}, fake(), folder.path());
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(lines(run.err), 1);
  EXPECT_EQ(read_text(folder / "r.json"), "precious");
  EXPECT_EQ(gable({"calibrate", "--output", "r.json", "--force"}, fake(), folder.path()).code, 0);
}

TEST(Output, AFullOrClosedTerminalIsNotSuccess) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, fake(), folder.path()).code, 0);
  const std::string program = GABLE_PROGRAM;
  for (const char* command : {"report r.json", "devices", "--help", "report --help"}) {
    expect_refusal(Running({"/bin/sh", "-c", program + " " + command + " >/dev/full"}, fake(), folder.path()).wait(),
                   "No space left");
  }
  const std::string measure = program + " calibrate --output s.json 2>/dev/full";
  EXPECT_EQ(Running({"/bin/sh", "-c", measure}, fake(), folder.path()).wait().code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "s.json")) << "progress that nobody reads costs no measurement";
}

TEST(Report, PointsOnAResultWithoutADeviceSaySo) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, fake(), folder.path()).code, 0);
  auto result = json::parse(read_text(folder / "r.json"));
  for (const char* rows : {"devices", "ceilings", "curves", "points"}) result[rows] = json::array();
  write_text(folder / "none.json", result.dump());
  write_text(folder / "mine.csv", "name,dtype,flops,bytes,time_s\nk,fp32,1e9,1e9,1\n");
  expect_refusal(gable({"report", "none.json", "--points", "mine.csv"}, {}, folder.path()), "no device");
}

TEST(Config, OptionsComeFromTheFileAndTheCommandLineWins) {
  Folder folder;
  write_text(folder / "gable.cfg", "# plan\nthreads = 99\noutput = from_config.json\n");
  EXPECT_EQ(gable({"calibrate", "--config", "gable.cfg"}, fake(), folder.path()).code, 2);
  EXPECT_EQ(gable({"calibrate", "--config", "gable.cfg", "--threads", "2"}, fake(), folder.path()).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "from_config.json"));
  write_text(folder / "gable.cfg", "tread = 2\n");
  expect_refusal(gable({"calibrate", "--config", "gable.cfg"}, fake(), folder.path()), "tread");
}

TEST(Config, TheCommandLineReplacesWhatTheFileSaysOfTheSameThing) {
  Folder folder;
  write_text(folder / "gable.cfg", "full = true\ndtype = fp64\noperator = triad\nparams = n=1000\n");
  const auto listed = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"measure", "--config", "gable.cfg", "--output", "r.json", "--force"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = gable(words, fake(), folder.path());
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(read_text(folder / "r.json"))["run"]["mode"].get<std::string>();
  };
  EXPECT_EQ(listed({}), "full");
  EXPECT_EQ(listed({"--quick"}), "quick");
  EXPECT_EQ(listed({"--operator", "relu"}), "full") << "sizes for triad are none for relu";
  const auto types = gable({"run", "--config", "gable.cfg", "--dtype", "int8"}, fake(), folder.path());
  EXPECT_NE(types.err.find("triad cannot be run with int8"), std::string::npos) << "fp64 of the file is replaced";
  write_text(folder / "gable.cfg", "config = other.cfg\n");
  expect_refusal(gable({"measure", "--config", "gable.cfg"}, fake(), folder.path()), "'config'");
}

TEST(Report, DataThatAreThereStay) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "a.json"}, fake(), folder.path()).code, 0);
  const auto before = read_text(folder / "a.json");
  for (const char* output : {"a.json", "./a.json"}) {
    expect_refusal(gable({"report", "a.json", "--output", output, "--force"}, {}, folder.path()),
                   "is read by this command");
  }
  write_text(folder / "b.json", "precious");
  EXPECT_EQ(gable({"report", "a.json", "--output", "b.json"}, {}, folder.path()).code, 2);
  EXPECT_EQ(read_text(folder / "b.json"), "precious");
  EXPECT_EQ(gable({"report", "a.json", "--output", "b.json", "--force"}, {}, folder.path()).code, 0);
  EXPECT_EQ(read_text(folder / "a.json"), before);
}

/// --force replaces what was there, and nothing that the answer is made of.
TEST(BadInput, NoCommandWritesOverWhatItReads) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "a.json"}, fake(), folder.path()).code, 0);
  ASSERT_EQ(gable({"campaign", "init", "c", "--nodes", "n1"}, fake(), folder.path()).code, 0);
  const auto of_files = [&] { return read_text(folder / "a.json") + read_text(folder / "c/plan.json"); };
  const std::string before = of_files();
  std::filesystem::create_hard_link(folder / "a.json", folder / "same.json");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"check", "a.json", "--against", "same.json", "--junit", "./a.json"},
           {"plan", "Llama-3-8B", "--on", "a.json:openmp", "--suite", "a.json"},
           {"run", "--suite", "a.json", "--output", "a.json"},
           {"campaign", "report", "c", "--output", "c/plan.json"},
           {"campaign", "report", "c", "--against", "a.json", "--output", "a.json"}}) {
    auto forced = words;
    forced.push_back("--force");
    expect_refusal(gable(forced, fake(), folder.path()), "is read by this command");
    EXPECT_EQ(of_files(), before) << words[0];
  }
}

TEST(Report, PointsLandAtTheScopeOfTheirOwnDevice) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "core.json"}, fake(), folder.path()).code, 0);
  auto core = json::parse(read_text(folder / "core.json"));
  auto node = core;
  for (auto& row : core["ceilings"]) row["scope"] = "core";
  write_text(folder / "core.json", core.dump());
  node["run"]["hostname"] = "elsewhere";
  write_text(folder / "node.json", node.dump());
  write_text(folder / "mine.csv", "name,dtype,flops,bytes,time_s\nk,fp64,1e9,1e9,1\n");
  const auto run = gable(
      {"report", "core.json", "node.json", "--points", "mine.csv", "--device", "elsewhere:openmp", "--table", "points"},
      {}, folder.path());
  EXPECT_NE(run.out.find("elsewhere:openmp,node,k"), std::string::npos) << run.out << run.err;
}

TEST(Locale, ADecimalCommaChangesNoFigure) {
  if (!std::filesystem::exists(GABLE_TEST_LOCALES "/de_DE.UTF-8")) GTEST_SKIP() << "the locale could not be made";
  const Environment german{{"LOCPATH", GABLE_TEST_LOCALES}, {"LC_ALL", "de_DE.UTF-8"}};
  Folder folder;
  auto measuring = fake();
  measuring.insert(german.begin(), german.end());
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, measuring, folder.path()).code, 0);
  write_text(folder / "mine.csv", "name,dtype,flops,bytes,time_s\nk,fp64,1.5e9,1e9,0.5\n");
  const std::vector<std::string> words{"report", "r.json", "--points", "mine.csv", "--table", "points"};
  const auto run = gable(words, german, folder.path());
  EXPECT_NE(run.out.find(",1.5,0.5,"), std::string::npos) << run.out;
  EXPECT_EQ(run.out, gable(words, {}, folder.path()).out);
}

TEST(Workers, NoneThatStartsIsOneLineWithTheReason) {
  Folder folder;
  std::filesystem::create_directory(folder / "w");
  const Environment only{{"GABLE_WORKER_PATH", (folder / "w").string()}};
  expect_refusal(gable({"calibrate"}, only, folder.path()), "GABLE_WORKER_PATH");
  EXPECT_EQ(gable({"devices"}, only).code, 2);
  write_text(folder / "w" / "gable-worker-openmp-broken", "#!/bin/sh\necho libfoo.so.1 is missing >&2\nexit 127\n");
  std::filesystem::permissions(folder / "w" / "gable-worker-openmp-broken", std::filesystem::perms::owner_all);
  expect_refusal(gable({"calibrate"}, only, folder.path()), "libfoo.so.1 is missing");
}

TEST(Workers, WithoutADeviceTheReasonIsShown) {
  Folder folder;
  expect_refusal(gable({"calibrate"}, fake({{"GABLE_FAKE_NO_DEVICE", "1"}}), folder.path()), "no such hardware");
}

/// As on a machine without a GPU's driver, where the loader refuses the worker.
TEST(Workers, AGpuWorkerThatDoesNotStartIsSaidAndIsNoFailure) {
  Folder folder;
  const auto worker = folder / "gable-worker-cuda-sm_90a";
  write_text(worker, "#!/bin/sh\necho libcuda.so.1: cannot open shared object file >&2\nexit 127\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  const auto run = gable({"devices"}, {{"GABLE_WORKER_PATH", folder.path().string()}});
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(lines(run.out), 1) << run.out;
  EXPECT_EQ(run.out.find("no CUDA device: "), 0U) << run.out;
  EXPECT_NE(run.out.find("libcuda.so.1: cannot open shared object file"), std::string::npos) << run.out;
}

TEST(Workers, ACpuWorkerThatDoesNotStartIsAFailureWhateverItSays) {
  Folder folder;
  const auto worker = folder / "gable-worker-openmp-broken";
  write_text(worker, "#!/bin/sh\necho no such library >&2\nexit 127\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  const auto run = gable({"devices"}, {{"GABLE_WORKER_PATH", folder.path().string()}});
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_EQ(run.out.find("gable-worker-openmp-broken: "), 0U) << run.out;
  const auto as_json = gable({"devices", "--json"}, {{"GABLE_WORKER_PATH", folder.path().string()}});
  EXPECT_EQ(as_json.code, 1);
  EXPECT_NE(as_json.out.find("no such library"), std::string::npos) << as_json.out;
}

TEST(Help, EveryCommandHasAnExample) {
  for (const char* command : {"devices", "measure", "calibrate", "run", "experiment", "suites", "report", "compare",
                              "predict", "plan", "validate", "verify-counters"}) {
    const auto run = gable({command, "--help"});
    EXPECT_EQ(run.code, 0) << command;
    EXPECT_NE(run.out.find("example:\n  gable "), std::string::npos) << command;
  }
}

TEST(Help, HelpCommandAndVersionHaveTheirShortForms) {
  EXPECT_EQ(gable({"help", "plan"}).out, gable({"plan", "--help"}).out);
  EXPECT_EQ(gable({"-V"}).out, gable({"--version"}).out);
  EXPECT_EQ(gable({"help", "nothing"}).code, 2);
  EXPECT_EQ(gable({"help", "plan", "more"}).code, 2);
}

/// What a report of a fault has to tell.
TEST(Help, VerboseVersionTellsOfWorkersAndLibraries) {
  const auto run = gable({"--version", "--verbose"}, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find(gable({"--version"}).out), 0U) << run.out;
  for (const char* part : {"  compiler: ", "  fmt ", "\ngable-worker-openmp-fake "})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << " in " << run.out;
  EXPECT_EQ(gable({"--version", "--json"}).code, 2);
}

TEST(Quiet, OnlyTheFileIsLeft) {
  Folder folder;
  const auto run = gable({"calibrate", "--quiet", "--output", "r.json"}, fake(), folder.path());
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out + run.err, "");
  EXPECT_TRUE(std::filesystem::exists(folder / "r.json"));
  const auto wrong = gable({"calibrate", "--quiet", "--output", "r.json"}, fake(), folder.path());
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(lines(wrong.err), 1) << wrong.err;
}

TEST(List, NamesItemsAndMeasuresNothing) {
  Folder folder;
  const auto run = gable({"calibrate", "--list"}, fake({{"GABLE_FAKE_LOG", (folder / "log").string()}}), folder.path());
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.out.find("ceiling/compute/vector/fp64/burst"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "log"));
}

TEST(List, OfAnExperimentIsJsonAndCsvToo) {
  const auto run = gable({"experiment", "fusion", "--list", "--json"}, fake());
  ASSERT_EQ(run.code, 0) << run.err;
  const auto answer = json::parse(run.out);
  EXPECT_EQ(answer["devices"].size(), 1U) << run.out;
  for (const auto& item : answer["items"]) EXPECT_GT(item["expected_s"], 0) << item;
  const auto csv = gable({"experiment", "fusion", "--list", "--format", "csv"}, fake());
  EXPECT_NE(csv.out.find("device,id,title,rounds,expected_s"), std::string::npos) << csv.out;
}

}  // namespace
}  // namespace gable::test
