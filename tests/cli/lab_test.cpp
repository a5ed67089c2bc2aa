// `gable lab` as teachers call it.
#include <gtest/gtest.h>

#include <filesystem>

#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

class Lab : public testing::Test {
 protected:
  Lab() {
    Result result = made_up_result("Lab <CPU>");
    add_peak(result, DType::fp32, 19.5e12);
    add_memory(result, 2e12);
    add_point(result, "relu", 1e11, 1e12, 1.0);
    result::save(result, folder_ / "r.json");
  }
  Outcome lab(const std::vector<std::string>& words) const { return gable(with({"lab"}, words), {}, folder_.path()); }
  Folder folder_;
};

TEST_F(Lab, NewLaysOutHandoutAnswersAndKey) {
  const auto run = lab({"new", "course", "r.json", "T4"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* name :
       {"handout.md", "handout.html", "axes.svg", "sheets.html", "answers.csv", "key.html", "key.json"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "course" / name)) << name;
  const std::string handout = read_text(folder_ / "course/handout.html");
  EXPECT_TRUE(has(handout, "Lab &lt;CPU&gt;")) << "names are texts";
  EXPECT_TRUE(has(handout, "Where is the ridge?"));
  EXPECT_TRUE(has(handout, "<ol start=\"1\">")) << "numbered";
  EXPECT_TRUE(has(handout, "<svg")) << "axes to draw on";
  EXPECT_FALSE(has(handout, "ridge/A")) << "ids are for programs";
  EXPECT_TRUE(has(handout, "T4"));
  for (const char* name : {"handout.html", "handout.md", "answers.csv", "sheets.html"})
    EXPECT_FALSE(has(read_text(folder_ / "course" / name), "9.75")) << name << " tells an answer";
  const auto key = json::parse(read_text(folder_ / "course/key.json"));
  EXPECT_DOUBLE_EQ(key["exercises"][0]["answer"], 9.75) << "19.5 TFLOP/s over 2 TB/s";
}

/// Number of an exercise in answers.csv.
std::string number_of(const Folder& folder, const std::string& begin) {
  const auto key = json::parse(read_text(folder / "course/key.json"));
  for (std::size_t i = 0; i < key["exercises"].size(); ++i)
    if (key["exercises"][i]["id"].get<std::string>().starts_with(begin)) return std::to_string(i + 1);
  return "none";
}

TEST_F(Lab, GradeTellsRightNearWrongAndMissing) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  const std::string landing = number_of(folder_, "landing/"), twice = number_of(folder_, "double/");
  write_text(folder_ / "course/filled.csv", "student,exercise,answer\nAda,1,9.8 FLOP/B\nAda," + landing +
                                                ",0.23 TFLOP/s\nAda," + twice + ",2\nBob,ridge/A/fp32,\"9,7\"\nBob," +
                                                landing + ",19500\nBob," + twice + ",\n,1,\n");
  const json grades = answer_of(lab({"grade", "course/filled.csv", "--format", "json"}));
  ASSERT_EQ(grades["students"].size(), 2u) << grades;
  EXPECT_EQ(grades["students"][0]["student"], "Ada");
  EXPECT_EQ(grades["students"][0]["right"], 2);
  EXPECT_EQ(grades["students"][0]["near"], 1) << "230 beside 200 GFLOP/s, within 10 %";
  EXPECT_EQ(grades["students"][0]["points"], 2.5);
  EXPECT_EQ(grades["students"][0]["predict"]["points"], 2.5) << "apart from what is measured";
  EXPECT_EQ(grades["students"][0]["measure"]["points"], 0);
  EXPECT_EQ(grades["students"][1]["right"], 1) << "a decimal comma is a number";
  EXPECT_EQ(grades["students"][1]["wrong"], 1);
  EXPECT_EQ(grades["students"][1]["points"], 1.25) << "P alone is a known way, a quarter";
  EXPECT_EQ(grades["exercises"][0]["right"], 2);
  EXPECT_TRUE(has(grades["exercises"][std::stoul(landing) - 1]["mistake"], "P alone")) << grades;
  const auto text = lab({"grade", "course/filled.csv", "--working"});
  EXPECT_TRUE(has(text.out, "Ada")) << text.out;
  EXPECT_TRUE(has(text.out, "P / B")) << "the working: " << text.out;
  for (const char* name : {"grades.html", "grades.csv"}) {
    ASSERT_EQ(lab({"grade", "course/filled.csv", "--output", name}).code, 0);
    EXPECT_TRUE(has(read_text(folder_ / name), "P alone")) << name;
  }
}

/// A line a student and exercise, and a sheet each.
TEST_F(Lab, StudentsHaveLinesAndSheetsOfTheirOwn) {
  write_text(folder_ / "names.csv", "Student;group\nAda;1\nJos\xe9;2\n\n=HYPERLINK(1);2\n");
  ASSERT_EQ(lab({"new", "course", "r.json", "--students", "names.csv"}).code, 0);
  const std::string answers = read_text(folder_ / "course/answers.csv"),
                    sheets = read_text(folder_ / "course/sheets.html");
  EXPECT_TRUE(has(answers, "Ada,1,,flop/byte\n")) << answers;
  EXPECT_TRUE(has(answers, "José,1,,")) << "Latin-1 is read";
  EXPECT_TRUE(has(answers, "'=HYPERLINK")) << "no formula";
  EXPECT_TRUE(has(sheets, "<h2 class=\"page\">José</h2>")) << "a page each";
  EXPECT_TRUE(has(sheets, "<title>Roofline lab: answers</title>"));
  const auto students_of = [&](const std::string& name, const std::string& names) {
    write_text(folder_ / "class.csv", names);
    EXPECT_EQ(lab({"new", name, "r.json", "--students", "class.csv"}).code, 0);
    return read_text(folder_ / name / "answers.csv");
  };
  for (const char* names : {"\"Lovelace, Ada\"\n\"Lovelace, Bo\"\n", "Lovelace, Ada\nLovelace, Bo\n"}) {
    const std::string lines = students_of(names[0] == '"' ? "quoted" : "plain", names);
    EXPECT_TRUE(has(lines, "\n\"Lovelace, Ada\",1,,")) << lines;
    EXPECT_TRUE(has(lines, "\n\"Lovelace, Bo\",1,,")) << lines;
  }
  EXPECT_TRUE(has(students_of("columns", "First name, Surname,ID\nAda,Lovelace,7\n"), "unit\nAda Lovelace,1,,"));
  EXPECT_TRUE(has(students_of("half", "First name,Surname\nAda,\n"), "unit\nAda,1,,"));
  EXPECT_TRUE(has(students_of("numbers", "Student, Name \n1001, Ada\n"), "unit\nAda,1,,"));
  const std::string more = students_of("more", "Ada Lovelace, 12345\nBob, b@x.org\nEve, \n");
  EXPECT_TRUE(has(more, "unit\nAda Lovelace,1,,") && has(more, "\nBob,1,,") && has(more, "\nEve,1,,")) << more;
  write_text(folder_ / "twice.csv", "Ada\nAda\n");
  expect_refusal(lab({"new", "again", "r.json", "--students", "twice.csv"}), "line 2: 'Ada' is there twice");
  write_text(folder_ / "open.csv", "\"Ada\n");
  EXPECT_TRUE(
      has(lab({"new", "again", "r.json", "--students", "open.csv"}).err, "open.csv: line 1: a quote is opened"));
  write_text(folder_ / "utf16.csv", std::string("\xFF\xFEJ\0o\0s\0\xE9\0\n\0", 12));
  ASSERT_EQ(lab({"new", "again", "r.json", "--students", "utf16.csv"}).code, 0);
  EXPECT_TRUE(has(read_text(folder_ / "again/answers.csv"), "\nJosé,1,,")) << "spreadsheets' Unicode text";
}

/// Rows that are suspect cost exercises; the command that measures them again is named.
TEST_F(Lab, ADisturbedFileSaysWhatItCosts) {
  Result result = made_up_result("Busy CPU");
  add_peak(result, DType::fp32, 19.5e12);
  add_memory(result, 2e12);
  Ceiling& row = add_peak(result, DType::fp64, 9.75e12);
  row.status = Status::suspect;
  result.request = Request{};
  result.request->ceilings = true;
  result::save(result, folder_ / "busy.json");
  const auto run = lab({"new", "course", "busy.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* words : {"1 row is suspect: row 2", "ridge/A/fp64", "--remeasure 'busy.json' --output again.json"})
    EXPECT_TRUE(has(run.err, words)) << words << ": " << run.err;
  result.run.hostname = "there";
  result::save(result, folder_ / "other.json");
  result.request.reset();
  result.run.hostname = "elsewhere";
  result::save(result, folder_ / "unknown.json");
  const auto three = lab({"new", "all", "busy.json", "other.json", "unknown.json"});
  ASSERT_EQ(three.code, 0) << three.err;
  for (const char* command : {"--remeasure 'busy.json' --output again.json\n", "'other.json' --output again-2.json\n",
                              "gable measure --quick --suite teaching --output again-3.json\n"})
    EXPECT_TRUE(has(three.err, command)) << three.err;
}

/// A good row that takes the place of a suspect one leaves the exercise; one that nothing takes the place of is named.
TEST_F(Lab, AnotherPointThatIsAskedAboutIsNoLoss) {
  Result result = made_up_result("Busy CPU");
  add_peak(result, DType::fp32, 19.5e12);
  add_memory(result, 2e12);
  add_point(result, "relu", 1e11, 1e12, 1.0).status = Status::suspect;
  add_point(result, "axpy", 1e11, 1e12, 1.0);
  add_row(result, CeilingKind::overhead, std::string(graph_node_launch), "s", 2e-6);
  result::save(result, folder_ / "busy.json");
  const auto run = lab({"new", "course", "busy.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.err, "it costs no exercise")) << run.err;
  add_row(result, CeilingKind::overhead, std::string(awaited_launch), "s", 1e-5).status = Status::suspect;
  result::save(result, folder_ / "launch.json");
  const auto launch = lab({"new", "again", "launch.json"});
  EXPECT_TRUE(has(launch.err, "they cost these exercises: graph/A/measured\n")) << launch.err;
}

/// What a spreadsheet saves where the decimal mark is a comma.
TEST_F(Lab, AnswersWithSemicolonsAndDecimalCommas) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  write_text(folder_ / "course/filled.csv",
             "\xEF\xBB\xBFstudent;exercise;answer;unit\r\nAda;ridge/A/fp32;9,75;flop/byte\r\n;ridge/A/fp32;;\r\n"
             "Bob;ridge/A/fp32;\"1.234,5\";flop/byte\r\n");
  const json grades = answer_of(lab({"grade", "course/filled.csv", "--format", "json"}));
  EXPECT_EQ(grades["answers"][0]["answer"], 9.75);
  EXPECT_EQ(grades["answers"][0]["grade"], "right");
  EXPECT_EQ(grades["exercises"][0]["tolerance"], "within a factor of 1.05");
  EXPECT_EQ(grades["students"][1]["wrong"], 1);
  EXPECT_EQ(grades["answers"][grades["exercises"].size()]["answer"], 1234.5) << "a mark between thousands";
}

/// The column is filled in beforehand; who writes another unit there, or with the number, means that one.
TEST_F(Lab, TheUnitBesideAnAnswerCounts) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  const std::string landing = number_of(folder_, "landing/");
  write_text(folder_ / "course/filled.csv", "student,exercise,answer,unit\nAda," + landing + ",0.2,TFLOP/s\nBob," +
                                                landing + ",0.2 TFLOP/s,GFLOP/s\nEve," + landing + ",200,kg\n");
  const json grades = answer_of(lab({"grade", "course/filled.csv", "--format", "json"}));
  EXPECT_EQ(grades["students"][0]["right"], 1) << grades;
  EXPECT_EQ(grades["students"][1]["right"], 1) << grades;
  EXPECT_EQ(grades["students"][2]["wrong"], 1) << grades;
  EXPECT_TRUE(has(grades.dump(), "'kg' is no unit for GFLOP/s")) << grades;
}

/// One student's slip costs no other student's grade.
TEST_F(Lab, AWrongCellIsWrongAndSaysWhere) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  write_text(folder_ / "course/filled.csv",
             "student,exercise,answer\nAda,ridge/A/fp32,ten\nBob,ridge/A/fp32,9.75\nBob,ridge/A/fp32,1\n"
             "Bob,ridge/Z/fp32,1\nBob,ridge/A/fp32,9,7\n,ridge/A/fp32,3\nEve,ridge/A/fp32,-1\n");
  const json grades = answer_of(lab({"grade", "course/filled.csv", "--format", "json"}));
  ASSERT_EQ(grades["students"].size(), 3u);
  EXPECT_EQ(grades["students"][0]["wrong"], 1) << "a word is no number";
  EXPECT_TRUE(has(grades["answers"][0]["reason"], "line 2: 'ten' is no number"));
  EXPECT_EQ(grades["students"][1]["right"], 1) << "the first answer counts";
  EXPECT_EQ(grades["students"][2]["wrong"], 1) << "Eve's is below 0";
  const std::vector<std::string> remarks{"line 4, column exercise: Bob answered 'ridge/A/fp32' before",
                                         "line 5, column exercise: 'ridge/Z/fp32' is not in the key", "line 6: 4 cells",
                                         "line 7, column student: an answer without a name"};
  ASSERT_EQ(grades["remarks"].size(), remarks.size()) << grades;
  for (std::size_t i = 0; i < remarks.size(); ++i)
    EXPECT_TRUE(has(grades["remarks"][i]["remark"], remarks[i])) << grades["remarks"][i];
  EXPECT_TRUE(has(lab({"grade", "course/filled.csv"}).out, "'ten' is no number"));
}

/// The nearest processor and a device of the catalogue: launch, link and both formulas are in the handout.
TEST_F(Lab, AsksWhereProcessorAndDeviceCross) {
  ASSERT_EQ(lab({"new", "course", "r.json", "T4"}).code, 0);
  const std::string handout = read_text(folder_ / "course/handout.md");
  // T4: 8.1 TFLOP/s and 320 GB/s, slower than the made-up processor: it never wins
  EXPECT_FALSE(has(handout, "is B the faster one"));
  Result slow = made_up_result("Laptop");
  add_peak(slow, DType::fp32, 1e11);
  add_memory(slow, 2e10);
  result::save(slow, folder_ / "slow.json");
  ASSERT_EQ(lab({"new", "course2", "slow.json", "T4"}).code, 0);
  const auto key = json::parse(read_text(folder_ / "course2/key.json"));
  double megabytes = 0;
  for (const auto& exercise : key["exercises"])
    if (exercise["id"] == "crossing/A/B/stream") megabytes = exercise["answer"];
  EXPECT_NEAR(megabytes, 10e-6 / (1 / 20e9 - 1 / 320e9) / 1e6, 1e-9) << "10 us over the difference of 1/B: 0.2133 MB";
  EXPECT_TRUE(has(read_text(folder_ / "course2/handout.md"), "PCIe 3.0 x16"));
}

/// A device of which nothing was measured has no letter in a picture, and so none here.
TEST_F(Lab, LettersAreThoseOfThePicture) {
  Result result = made_up_result("Lab CPU");
  add_peak(result, DType::fp32, 19.5e12);
  add_memory(result, 2e12);
  DeviceInfo idle = result.devices.front();
  idle.id = idle.name = "idle";
  result.devices.insert(result.devices.begin(), idle);
  result::save(result, folder_ / "idle.json");
  ASSERT_EQ(lab({"new", "course", "idle.json", "T4"}).code, 0);
  const std::string handout = read_text(folder_ / "course/handout.md");
  EXPECT_TRUE(has(handout, "1. The highest fp32 roof of A (Lab CPU) is 19.5 TFLOP/s")) << handout;
  EXPECT_TRUE(has(handout, "The highest fp32 roof of B (T4, datasheet) is 8.1 TFLOP/s")) << handout;
}

TEST_F(Lab, WhatIsWrongIsOneLine) {
  ASSERT_EQ(lab({"new", "course", "r.json"}).code, 0);
  result::save(made_up_result("Nothing"), folder_ / "nothing.json");
  write_text(folder_ / "strange.csv", "student,exercise,answer\nAda,ridge/Z/fp32,1\n");
  write_text(folder_ / "columns.csv", "name,exercise,answer\nAda,ridge/A/fp32,1\n");
  write_text(folder_ / "nobody.csv", "student,exercise,answer\n,ridge/A/fp32,\n");
  write_text(folder_ / "key.txt", "{}");
  auto key = json::parse(read_text(folder_ / "course/key.json"));
  key["exercises"][0]["mistakes"][0]["credit"] = 2;
  write_text(folder_ / "generous.json", key.dump());
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
        Case{{"grade", "columns.csv", "--key", "course/key.json"}, "unknown column 'name'"},
        Case{{"grade", "nobody.csv", "--key", "course/key.json"}, "no line has a student"},
        Case{{"grade", "strange.csv", "--key", "key.txt"}, "it is no key"},
        Case{{"grade", "strange.csv", "--key", "generous.json"}, "its credit up to 1"},
        Case{{"new", "n", "r.json", "--working"}, "--working is for lab grade"},
        Case{{"new", "n", "r.json", "--topic", "cpu"}, "'cpu' is none of machine, gpu, all"},
        Case{{"grade", "strange.csv", "--topic", "gpu"}, "--topic is for lab new"},
        Case{{"grade", "course/answers.csv", "--output", "x.pdf"}, "ends in none of .html"}}) {
    expect_refusal(lab(words), says);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "n"));
}

}  // namespace
}  // namespace gable::test
