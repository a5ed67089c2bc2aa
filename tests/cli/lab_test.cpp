// `gable lab` as teachers call it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/analysis/made_up.hpp"

namespace gable::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Lab : public testing::Test {
 protected:
  Lab() {
    Result result = made_up_result("Lab <CPU>");
    add_peak(result, DType::fp32, 19.5e12);
    add_memory(result, 2e12);
    add_point(result, "relu", 1e11, 1e12, 1.0);
    result::save(result, folder_ / "r.json");
  }
  Outcome lab(std::vector<std::string> words) const {
    words.insert(words.begin(), "lab");
    return gable(words, {}, folder_.path());
  }
  Folder folder_;
};

TEST_F(Lab, NewLaysOutHandoutAnswersAndKey) {
  const auto run = lab({"new", "course", "r.json", "T4"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* name : {"handout.md", "handout.html", "answers.csv", "key.json"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "course" / name)) << name;
  const std::string handout = read_text(folder_ / "course/handout.html");
  EXPECT_TRUE(has(handout, "Lab &lt;CPU&gt;")) << "names are texts";
  EXPECT_TRUE(has(handout, "Where is the ridge?"));
  EXPECT_TRUE(has(handout, "T4"));
  for (const char* name : {"handout.html", "handout.md", "answers.csv"})
    EXPECT_FALSE(has(read_text(folder_ / "course" / name), "9.75")) << name << " tells an answer";
  const auto key = nlohmann::json::parse(read_text(folder_ / "course/key.json"));
  EXPECT_DOUBLE_EQ(key["exercises"][0]["answer"], 9.75) << "19.5 TFLOP/s over 2 TB/s";
}

TEST_F(Lab, GradeTellsRightNearWrongAndMissing) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  const auto key = nlohmann::json::parse(read_text(folder_ / "course/key.json"));
  const std::string landing = key["exercises"][1]["id"], twice = key["exercises"][2]["id"];
  write_text(folder_ / "course/filled.csv", "student,exercise,answer\nAda,ridge/A/fp32,9.8\nAda," + landing +
                                                ",230\nAda," + twice + ",2\nBob,ridge/A/fp32,\"9,7\"\nBob," + landing +
                                                ",5\nBob," + twice + ",\n,ridge/A/fp32,\n");
  const auto run = lab({"grade", "course/filled.csv", "--format", "json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto grades = nlohmann::json::parse(run.out);
  ASSERT_EQ(grades["students"].size(), 2u) << run.out;
  EXPECT_EQ(grades["students"][0]["student"], "Ada");
  EXPECT_EQ(grades["students"][0]["right"], 2);
  EXPECT_EQ(grades["students"][0]["near"], 1) << "230 beside 200 GFLOP/s, within 10 %";
  EXPECT_EQ(grades["students"][1]["right"], 1) << "a decimal comma is a number";
  EXPECT_EQ(grades["students"][1]["wrong"], 1);
  EXPECT_EQ(grades["students"][1]["missing"], 1);
  const auto text = lab({"grade", "course/filled.csv", "--working"});
  EXPECT_TRUE(has(text.out, "Ada")) << text.out;
  EXPECT_TRUE(has(text.out, "P / B")) << "the working: " << text.out;
}

TEST_F(Lab, WhatIsWrongIsOneLine) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  result::save(made_up_result("Nothing"), folder_ / "nothing.json");
  write_text(folder_ / "strange.csv", "student,exercise,answer\nAda,ridge/Z/fp32,1\n");
  write_text(folder_ / "words.csv", "student,exercise,answer\nAda,ridge/A/fp32,ten\n");
  write_text(folder_ / "twice.csv", "student,exercise,answer\nAda,ridge/A/fp32,1\nAda,ridge/A/fp32,2\n");
  write_text(folder_ / "nobody.csv", "student,exercise,answer\n,ridge/A/fp32,\n");
  write_text(folder_ / "key.txt", "{}");
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  for (const auto& [words, says] :
       {Case{{}, "say new DIR FILE"}, Case{{"new", "course"}, "needs a folder and a result file"},
        Case{{"new", "course", "r.json"}, "'course' is there already"},
        Case{{"new", "n", "nothing.json"}, "nothing to ask"}, Case{{"new", "n", "missing.json"}, "missing.json"},
        Case{{"grade", "strange.csv"}, "key.json"},
        Case{{"grade", "strange.csv", "--key", "course/key.json"},
             "line 2, column exercise: 'ridge/Z/fp32' is not in the key"},
        Case{{"grade", "words.csv", "--key", "course/key.json"}, "'ten' is no number"},
        Case{{"grade", "twice.csv", "--key", "course/key.json"}, "Ada answered 'ridge/A/fp32' before"},
        Case{{"grade", "nobody.csv", "--key", "course/key.json"}, "no line has a student"},
        Case{{"grade", "words.csv", "--key", "key.txt"}, "it is no key"},
        Case{{"new", "n", "r.json", "--working"}, "--working is for lab grade"}}) {
    const auto run = lab(words);
    EXPECT_EQ(run.code, 2) << says;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_TRUE(has(run.err, says)) << run.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "n"));
}

}  // namespace
}  // namespace gable::test
