// Suites, censuses and experiments as users call them.
#include <gtest/gtest.h>

#include <set>

#include "program.hpp"

namespace gable::test {
namespace {

Outcome fake(const std::vector<std::string>& words, const Folder& folder) {
  return gable(words, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder.path());
}

std::set<std::string> operators_of(const std::filesystem::path& file) {
  std::set<std::string> names;
  const json result = json::parse(read_text(file));
  for (const auto& point : result.at("points")) names.insert(point["op"].get<std::string>());
  return names;
}

TEST(Suites, AreListedAndShown) {
  const auto all = gable({"suites"});
  EXPECT_EQ(all.code, 0) << all.err;
  for (const char* name : {"quick", "teaching", "ml", "hpc", "procurement", "all"})
    EXPECT_NE(all.out.find(name), std::string::npos) << all.out;
  const auto hpc = gable({"suites", "--show", "hpc"});
  EXPECT_NE(hpc.out.find("triad"), std::string::npos) << hpc.out;
  EXPECT_NE(hpc.out.find("fp64, fp32"), std::string::npos) << hpc.out;
}

TEST(Suites, QuickIsTheDefaultAndAFileIsTakenByItsPath) {
  Folder folder;
  ASSERT_EQ(fake({"run", "--output", "quick.json"}, folder).code, 0);
  EXPECT_EQ(operators_of(folder / "quick.json"),
            (std::set<std::string>{"attention_fused", "attention_naive", "bias_relu", "gelu", "gemm", "gemv",
                                   "layernorm", "relu", "softmax", "triad"}));
  write_text(folder / "mine.json",
             R"({"schema":1,"name":"mine","summary":"s","operators":[{"name":"relu","params":["n=77"]}]})");
  ASSERT_EQ(fake({"run", "--suite", "mine.json", "--output", "mine_result.json"}, folder).code, 0);
  const auto result = json::parse(read_text(folder / "mine_result.json"));
  ASSERT_EQ(result["points"].size(), 1U);
  EXPECT_EQ(result["points"][0]["id"], "point/relu/kokkos/fp32/n=77");
  write_text(folder / "bad.json", R"({"schema":1,"name":"mine","summary":"s","operators":[{"name":"rulu"}]})");
  expect_refusal(fake({"run", "--suite", "bad.json"}, folder), "bad.json: /operators/0: unknown operator 'rulu'");
}

TEST(Census, CountsReachTheResultAndTheReportSumsThemUp) {
  Folder folder;
  write_text(folder / "c.csv", "m,n,k,count,name\n16,32,64,3,a\n32,32,32,1,b\n16,32,64,1,c\n");
  const auto run = fake({"run", "--census", "c.csv", "--output", "r.json"}, folder);
  ASSERT_EQ(run.code, 0) << run.err;
  const auto points = json::parse(read_text(folder / "r.json"))["points"];
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0]["count"], 4.0);
  EXPECT_EQ(points[0]["label"], "a + c");
  for (const char* words : {"census: gemm fp32, kokkos", "80.0 %", "total 5 ms"})
    EXPECT_NE(run.out.find(words), std::string::npos) << words << ": " << run.out;
  EXPECT_EQ(gable({"validate", "r.json"}, {}, folder.path()).code, 0);
  write_text(folder / "c.csv", "m,n,k,count\n16,32,x,3\n");
  const auto bad = fake({"run", "--census", "c.csv"}, folder);
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err, "gable: c.csv: line 2, column k: 'x' is not a number\n");
}

TEST(Experiments, AreListedAndEachAnswers) {
  const auto names = gable({"experiment", "--list"});
  EXPECT_EQ(names.code, 0) << names.err;
  for (const char* name : {"overhead", "fusion", "batch", "precision", "bytes", "misalignment"}) {
    EXPECT_NE(names.out.find(name), std::string::npos) << names.out;
    Folder folder;
    const auto run = fake({"experiment", name, "--output", "r.json"}, folder);
    ASSERT_EQ(run.code, 0) << name << ": " << run.err;
    EXPECT_NE(run.out.find(std::string(name) + ": "), std::string::npos) << run.out;
    const auto again = gable({"experiment", name, "--from", "r.json"}, {}, folder.path());
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(run.out.find(again.out.substr(0, again.out.size() - 1)), std::string::npos) << again.out;
    const auto check = gable({"validate", "r.json"}, {}, folder.path());
    EXPECT_EQ(check.out.find(" invalid "), std::string::npos) << check.out;
    EXPECT_EQ(check.out.find(" byte, "), std::string::npos) << "work of all launches\n" << check.out;
  }
}

TEST(Experiments, PrecisionRunsEveryTypeThatItIsNotToldOf) {
  Folder folder;
  const auto types = [&](const char* file) {
    std::set<std::string> all;
    const json result = json::parse(read_text(folder / file));
    for (const auto& point : result.at("points")) all.insert(point["types"]["a"].get<std::string>());
    return all;
  };
  const auto every = fake({"experiment", "precision", "--output", "every.json"}, folder);
  ASSERT_EQ(every.code, 0) << every.err;
  EXPECT_GE(types("every.json").size(), 4U) << every.out;
  EXPECT_EQ(every.out.find("Only fp32"), std::string::npos) << every.out;
  const auto one = fake({"experiment", "precision", "--dtype", "fp32", "--output", "one.json"}, folder);
  EXPECT_EQ(types("one.json"), std::set<std::string>{"fp32"});
  EXPECT_NE(one.out.find("Only fp32 was measured"), std::string::npos) << one.out;
  const auto other = fake({"experiment", "fusion", "--output", "other.json"}, folder);
  EXPECT_EQ(types("other.json"), std::set<std::string>{"fp32"}) << other.out;
}

TEST(Experiments, AnswerOnlyFromTheirOwnResults) {
  Folder folder;
  ASSERT_EQ(fake({"experiment", "fusion", "--output", "fusion.json"}, folder).code, 0);
  ASSERT_EQ(fake({"run", "--operator", "relu", "--output", "run.json"}, folder).code, 0);
  const auto from = [&](const std::vector<std::string>& words) {
    const auto outcome = gable(with({"experiment", "bytes", "--from"}, words), {}, folder.path());
    expect_refusal(outcome, "");
    return outcome.err;
  };
  EXPECT_EQ(from({"fusion.json"}),
            "gable: --from: 'fusion.json' is no result of 'gable experiment bytes', but of fusion\n");
  EXPECT_EQ(from({"run.json"}), "gable: --from: 'run.json' is no result of 'gable experiment bytes'\n");
  EXPECT_NE(from({"fusion.json", "--dtype", "fp32"}).find("--dtype cannot be combined with --from"), std::string::npos);
  for (const char* option : {"--output", "--device", "--threads", "--scope", "--resume"})
    EXPECT_NE(from({"fusion.json", option, "1"}).find(std::string(option) + " cannot"), std::string::npos);
  for (const char* option : {"--full", "--quick", "--force", "--list"})
    EXPECT_NE(from({"fusion.json", option}).find(std::string(option) + " cannot"), std::string::npos);
}

TEST(Experiments, AnswerInJsonAndSayWhatIsMissing) {
  Folder folder;
  const json answers = answer_of(fake({"experiment", "overhead", "--json", "--output", "r.json"}, folder));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["rows"].size(), 4U) << "graphs were refused";
  EXPECT_EQ(answers[0]["rows"][3]["launches"], 1000);
  EXPECT_EQ(answers[0]["rows"][3]["measured_s"], 1e-3);
  const auto text = gable({"experiment", "overhead", "--from", "r.json"}, {}, folder.path());
  EXPECT_NE(text.out.find("unsupported: no graphs on this device"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace gable::test
