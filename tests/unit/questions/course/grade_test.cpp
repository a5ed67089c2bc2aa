// Answers as students write them, and what they get for them.
#include "core/questions/course/grade.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>

#include "core/error.hpp"
#include "core/text/csv_table.hpp"
#include "tests/unit/error_of.hpp"

namespace gable::questions {
namespace {

double first(const char* text, const char* unit) { return readings(text, unit).front(); }

TEST(Readings, NumbersOfSeveralLanguages) {
  EXPECT_EQ(first("6.14", "GFLOP/s"), 6.14);
  EXPECT_EQ(first("6,14", "GFLOP/s"), 6.14);
  EXPECT_EQ(first(" 1.234,5 ", "MB"), 1234.5);
  EXPECT_EQ(first("1,234.5", "MB"), 1234.5);
  EXPECT_EQ(first("1\u202f234,5", "MB"), 1234.5) << "a narrow no-break space";
  EXPECT_EQ(first("66\u00a0100", "GFLOP/s"), 66100);
  EXPECT_EQ(first("1'234'567.5", "rows"), 1234567.5);
  EXPECT_EQ(first("1,234,567", "rows"), 1234567);
  EXPECT_EQ(first("1.234.567,5", "rows"), 1234567.5);
  EXPECT_EQ(first("6.1e3", "GFLOP/s"), 6100);
  EXPECT_EQ(first("1.2 \u00d7 10^3", "GFLOP/s"), 1200);
  EXPECT_EQ(first("1,2*10^-3", "MB"), 0.0012);
  EXPECT_EQ(first("1.2 \u00d7 10^\u22123", "MB"), 0.0012) << "a minus sign";
  EXPECT_EQ(trimmed("\u200bAnn\u00a0"), "Ann") << "no other student";
  EXPECT_EQ(first("\ufeff6\u200b.14\u3000", "GB/s"), 6.14) << "what a page leaves in a copy";
  EXPECT_EQ(first("~ 12", "GB/s"), 12);
  EXPECT_EQ(first("= 12", "GB/s"), 12);
  EXPECT_EQ(first("4/3", "times as fast"), 4. / 3);
  EXPECT_EQ(first("4 / 3 x", "times as fast"), 4. / 3);
  EXPECT_EQ(first("19.5/2 flop/byte", "flop/byte"), 9.75);
  EXPECT_DOUBLE_EQ(first("65 / 16 x 10^3 GB/s", "GB/s"), 65000. / 16) << "the whole by 1000";
  EXPECT_DOUBLE_EQ(first("3 x 10^3/2 GB/s", "GB/s"), 1500);
  EXPECT_EQ(readings("1,234", "rows"), (std::vector<double>{1.234, 1234}));
  EXPECT_EQ(readings("0,234", "rows"), (std::vector<double>{0.234}));
}

TEST(Readings, UnitsAreThoseOfTheHouse) {
  EXPECT_DOUBLE_EQ(first("6.14 GFLOP/s", "GFLOP/s"), 6.14);
  EXPECT_DOUBLE_EQ(first("0,00614 TFLOPS", "GFLOP/s"), 6.14);
  EXPECT_DOUBLE_EQ(first("4.8\u00a0TB/s", "GB/s"), 4800);
  EXPECT_DOUBLE_EQ(first("1 GiB", "MB"), 1073.741824);
  EXPECT_DOUBLE_EQ(first("12e3 MB/s", "GB/s"), 12);
  EXPECT_DOUBLE_EQ(first("400 Gbit/s", "GB/s"), 50);
  EXPECT_DOUBLE_EQ(first("400Gb/s", "GB/s"), 50) << "a small b is a bit";
  EXPECT_DOUBLE_EQ(first("127 %", "times as fast"), 1.27);
  EXPECT_DOUBLE_EQ(first("94,3 %", "%"), 94.3);
  EXPECT_DOUBLE_EQ(first("2\u00d7", "times as fast"), 2);
  EXPECT_DOUBLE_EQ(first("10.4 FLOP/B", "flop/byte"), 10.4);
}

/// Five times the text takes about five times as long; work that grows with its square, 25 times.
TEST(Readings, TimeGrowsWithTheText) {
  const auto seconds = [](int marks) {
    std::string text = "1";
    for (int i = 0; i < marks; ++i) text += " x 10^\u00a0";
    const std::clock_t start = std::clock();
    EXPECT_THROW(readings(text, "GB/s"), Error);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  EXPECT_LT(seconds(250'000), 12 * seconds(50'000));
}

TEST(Readings, WhatIsNoneSaysWhy) {
  for (const char* text : {"ten", "6.14 kg", "-1", "0", "", "1e999", "nan", "GB/s", "--3", "1.2.3,4,5", "1.2.3",
                           "1,234,56", "1.2.3,5", "\xff\xfe", "4/0", "4/", "4/-3", "4/1.2.3,5", "2x10^"})
    EXPECT_THROW(readings(text, "GB/s"), Error) << text;
  const auto why = [](const char* text) { return error_of([&] { readings(text, "GFLOP/s"); }); };
  EXPECT_EQ(why("6.14 kg"), "'6.14 kg': 'kg' is no unit for GFLOP/s");
  EXPECT_EQ(why("3/2=1.5"), "'3/2=1.5': '=1.5' is no unit for GFLOP/s");
  EXPECT_EQ(why("3/2\u22481.5"), "'3/2\u22481.5': '~1.5' is no unit for GFLOP/s");
  EXPECT_EQ(why("1.4~1.6"), "'1.4~1.6': '~1.6' is no unit for GFLOP/s");
  for (const std::string text : {"1 1/2", "3/2 1"})
    EXPECT_EQ(why(text.c_str()), "'" + text + "': a fraction has no blanks in its numbers");
  EXPECT_EQ(why("4/0"), "'4/0': it divides by 0");
}

TEST(Grades, FactorsCountAlikeInBothDirections) {
  const Exercise exercise{"x", "", "", 100, 0.1, ""};
  EXPECT_EQ(grade(exercise, 109.9).grade, Grade::right);
  EXPECT_EQ(grade(exercise, 100 / 1.099).grade, Grade::right);
  EXPECT_EQ(grade(exercise, 110.5).grade, Grade::near);
  EXPECT_EQ(grade(exercise, 110.5).points, 0.5);
  EXPECT_EQ(grade(exercise, 133).grade, Grade::near);
  EXPECT_EQ(grade(exercise, 134).grade, Grade::wrong);
  EXPECT_EQ(grade(exercise, 100 / 1.34).grade, Grade::wrong);
  EXPECT_EQ(grade(exercise, 134).points, 0);
}

TEST(Grades, AKnownMistakeHasANameAndItsCredit) {
  const Exercise exercise{"x",
                          "",
                          "GB/s",
                          50,
                          0.05,
                          "",
                          ExerciseKind::predict,
                          {{"bits for bytes", 400, slip_credit},
                           {"P alone", 10, wrong_way_credit},
                           {"1024 for 1000", 53.687, slip_credit},
                           {"the same", 50, wrong_way_credit}}};
  EXPECT_EQ(grade(exercise, 400).reason, "bits for bytes");
  EXPECT_EQ(grade(exercise, 400).points, 0.5);
  EXPECT_EQ(grade(exercise, 400).grade, Grade::wrong);
  EXPECT_EQ(grade(exercise, 10.2).points, 0.25);
  EXPECT_EQ(grade(exercise, 53.7).reason, "1024 for 1000") << "near, and by that";
  EXPECT_EQ(grade(exercise, 53.7).grade, Grade::near);
  EXPECT_EQ(grade(exercise, 55).reason, "") << "near";
  EXPECT_EQ(grade(exercise, 50).points, 1) << "right is right, whatever else gives it";
  EXPECT_EQ(grade(exercise, 50).reason, "");
}

TEST(Grades, AMistakeWithoutAFigureIsNoAnswers) {
  const Exercise exercise{"x", "", "", 50, 0.05, "", ExerciseKind::predict, {{"none", NAN, wrong_way_credit}}};
  EXPECT_EQ(grade(exercise, 400).reason, "");
  EXPECT_EQ(grade(exercise, 400).points, 0);
}

/// Of an even class the mean of both middle answers: 1, 2, 4, 100.
TEST(Grades, TheMedianOfAnEvenClassLiesBetween) {
  const std::vector<Exercise> exercises{{"x", "", "", 2, 0.1, ""}};
  Answers answers;
  for (const double one : {100., 1., 4., 2.}) answers.students.push_back({"S", {grade(exercises.front(), one)}});
  const Answer grades = grades_answer(answers, exercises, false, false);
  const auto& table = grades.sections.at(1).table;
  const auto median = std::ranges::find(table.columns, "median", &Answer::Column::key) - table.columns.begin();
  EXPECT_EQ(std::get<double>(table.rows.at(0).at(static_cast<std::size_t>(median)).held), 3);
}

}  // namespace
}  // namespace gable::questions
