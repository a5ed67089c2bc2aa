// The suites that are compiled in, and what is said of a file that is wrong.
#include "core/workload/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "tests/unit/result/files.hpp"

namespace gable::workload {
namespace {

Suite parse(const std::string& operators) {
  return parse_suite(fmt::format(R"({{"schema":1,"name":"mine","summary":"s","operators":{}}})", operators),
                     "mine.json", operator_specs());
}

TEST(Suite, EveryOneThatIsCompiledInLoads) {
  for (const auto name : suite_names()) {
    const Suite suite = find_suite(std::string(name), operator_specs());
    EXPECT_EQ(suite.name, name);
    EXPECT_FALSE(suite.summary.empty()) << name;
    EXPECT_FALSE(suite.cases.empty()) << name;
  }
}

TEST(Suite, AllHasEveryOperatorOnce) {
  std::multiset<std::string> want, got;
  for (const OperatorSpec* spec : operator_specs()) want.emplace(spec->name);
  for (const Case& one : find_suite("all", operator_specs()).cases) got.insert(one.op);
  EXPECT_EQ(got, want);
}

TEST(Suite, AnEntryHasSizesAndTypes) {
  const Suite suite = parse(R"([{"name":"gemm","params":["m=1,n=2,k=3","m=4,n=5,k=6"],"dtypes":["fp32","bf16"]},
                                {"name":"relu"}, {"name":"gemm","params":["m=1,n=2,k=3"],"dtypes":["fp64"]}])");
  ASSERT_EQ(suite.cases.size(), 3U);
  EXPECT_EQ(suite.cases[0].op, "gemm");
  EXPECT_EQ(suite.cases[0].params, (std::vector{Params::parse("m=1,n=2,k=3"), Params::parse("m=4,n=5,k=6")}));
  EXPECT_EQ(suite.cases[0].dtypes, (std::vector{DType::fp32, DType::bf16}));
  EXPECT_TRUE(suite.cases[1].params.empty());
  EXPECT_FALSE(suite.cases[1].must_fit);
}

TEST(Suite, AnEntryHasACountAndALabelAndIsWrittenAsItIsRead) {
  const Suite suite = parse(R"([{"name":"gemm","params":["m=1,n=2,k=3"],"dtypes":["bf16"],"count":80,"label":"down"},
                                {"name":"relu"}])");
  ASSERT_EQ(suite.cases.size(), 2U);
  EXPECT_EQ(suite.cases[0].count, 80.0);
  EXPECT_EQ(suite.cases[0].label, "down");
  EXPECT_FALSE(suite.cases[1].count);
  const Suite again = parse_suite(suite_text(suite), "again.json", operator_specs());
  EXPECT_EQ(again.name, "mine");
  EXPECT_EQ(again.summary, "s");
  ASSERT_EQ(again.cases.size(), 2U);
  EXPECT_EQ(again.cases[0].params, suite.cases[0].params);
  EXPECT_EQ(again.cases[0].dtypes, suite.cases[0].dtypes);
  EXPECT_EQ(again.cases[0].count, 80.0);
  EXPECT_EQ(again.cases[0].label, "down");
  EXPECT_EQ(again.cases[1].op, "relu");
  EXPECT_TRUE(again.cases[1].params.empty());
}

TEST(Suite, WhatIsWrongIsOneLineWithFileEntryAndCulprit) {
  const std::pair<const char*, const char*> cases[] = {
      {R"([{"name":"gem"}])", "mine.json: /operators/0: unknown operator 'gem'"},
      {R"([{"name":"relu","params":["n=8"],"count":0}])", "mine.json: /operators/0: count must be positive"},
      {R"([{"name":"relu","params":["n=8"],"count":1e16}])", "mine.json: /operators/0: count 1e+16 is more than 1e+15"},
      {R"([{"name":"relu","count":2}])", "mine.json: /operators/0: count needs params"},
      {R"([{"name":"relu","label":2}])", "mine.json: /operators/0/label: expected a string"},
      {R"([{"name":"relu"},{"name":"triad","params":["m=3"]}])",
       "mine.json: /operators/1: triad: unknown parameter 'm'"},
      {R"([{"name":"triad","params":["n=0"]}])", "mine.json: /operators/0: "},
      {R"([{"name":"triad","params":["n=5","n=5"]}])", "mine.json: /operators/0: 'n=5' is there twice"},
      {R"([{"name":"bias_relu","params":["m=5,n=6","n=6,m=5"]}])", "mine.json: /operators/0: 'm=5,n=6' is there twice"},
      {R"([{"name":"triad","dtypes":["int8"]}])", "mine.json: /operators/0: triad does not take int8"},
      {R"([{"name":"triad","dtypes":["fp31"]}])", "mine.json: /operators/0/dtypes/0: 'fp31' is not known here"},
      {R"([{"name":"triad","dtype":["fp32"]}])", "mine.json: /operators/0: unknown key 'dtype'"},
      {R"([{"params":["n=5"]}])", "mine.json: /operators/0: key 'name' is missing"},
      {R"([{"name":"relu"},{"name":"relu","dtypes":["fp32"]}])", "mine.json: /operators/1: relu is there twice"},
      {R"([])", "mine.json: /operators: names no operator"},
      {R"("all")", "mine.json: /operators: expected an array"},
      {R"([7])", "mine.json: /operators/0: expected an object"}};
  for (const auto& [operators, what] : cases) {
    const std::string error = error_of([&text = operators] { parse(text); });
    EXPECT_TRUE(error.starts_with(what)) << operators << " -> " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  EXPECT_THROW(parse_suite("{", "x", operator_specs()), Error);
  const char* twice = R"({"schema":1,"name":"n","summary":"s","operators":[{"name":"relu"}],"operators":"*"})";
  EXPECT_EQ(error_of([&] { parse_suite(twice, "x", operator_specs()); }),
            "x: key 'operators' is there twice in one object");
  EXPECT_THROW(parse_suite(R"({"schema":2,"name":"n","summary":"s","operators":"*"})", "x", operator_specs()), Error);
}

class SuiteFile : public test::FolderTest {};

TEST_F(SuiteFile, IsFoundByItsPath) {
  test::put(file("mine.json"), R"({"schema":1,"name":"mine","summary":"s","operators":[{"name":"relu"}]})");
  EXPECT_EQ(find_suite(file("mine.json").string(), operator_specs()).cases.at(0).op, "relu");
  const auto error = error_of([&] { find_suite(file("none").string(), operator_specs()); });
  EXPECT_NE(error.find("suites: quick, teaching"), std::string::npos) << error;
}

}  // namespace
}  // namespace gable::workload
