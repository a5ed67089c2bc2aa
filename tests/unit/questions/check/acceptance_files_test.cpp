// What an acceptance test reads and writes: limits files and JUnit XML.
#include <gtest/gtest.h>

#include "core/questions/check/acceptance.hpp"
#include "tests/unit/result/files.hpp"

namespace gable {
namespace {

using questions::AcceptanceRow;
using questions::AcceptanceVerdict;

class LimitsFile : public test::FolderTest {
 protected:
  std::vector<questions::AcceptedRange> read(const std::string& name, const std::string& text) const {
    test::put(file(name), text);
    return questions::read_limits(file(name));
  }
  std::string message(const std::string& name, const std::string& text) const {
    return error_of([&] { read(name, text); });
  }
  void expect_fault(const std::string& name, const std::string& text, const std::string& words) const {
    const std::string said = message(name, text);
    EXPECT_NE(said.find(name), std::string::npos) << said;
    EXPECT_NE(said.find(words), std::string::npos) << said;
  }
};

TEST_F(LimitsFile, CsvAndJsonSayTheSame) {
  const auto csv = read("l.csv", "name,lower,upper,unit\na/b,2e10,,byte/s\nc,1e-6,2e-6,s\n");
  const auto json = read("l.json", R"({"limits": [{"name": "a/b", "lower": 2e10, "unit": "byte/s"},
                                                  {"name": "c", "lower": 1e-6, "upper": 2e-6, "unit": "s"}]})");
  for (const auto& ranges : {csv, json}) {
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].name, "a/b");
    EXPECT_EQ(ranges[0].lower, 2e10);
    EXPECT_FALSE(ranges[0].upper);
    EXPECT_EQ(ranges[0].unit, "byte/s");
    EXPECT_EQ(ranges[1].upper, 2e-6);
  }
}

TEST_F(LimitsFile, FaultsNameLineAndColumn) {
  expect_fault("l.csv", "name,lower,upper,unit\na,1,,s\nb,fast,,s\n", "line 3, column lower");
  expect_fault("l.csv", "name,lower,upper,unit\na,1,,parsec\n", "line 2, column unit: unit 'parsec'");
  expect_fault("l.csv", "name,lower,upper,unit\na,,,s\n", "neither lower nor upper");
  expect_fault("l.csv", "name,lower,upper,unit\na,2,1,s\n", "lower is above upper");
  expect_fault("l.csv", "name,lower,unit\na,2,s\na,3,s\n", "'a' is there twice");
  expect_fault("l.csv", "name,lower,upper,unit\na,1,8e300,byte/s\n", "line 2, column upper: 8e+300: a bandwidth");
  expect_fault("l.csv", "name,lower,upper,unit\na,1e9,,s\n", "line 2, column lower: 1e+09: a time");
  expect_fault("l.csv", "name,lower,unit,note\na,2,s,x\n", "note");
}

TEST_F(LimitsFile, FaultsNameTheJsonPointer) {
  expect_fault("l.json", R"({"limits": [{"name": "a", "lower": -1, "unit": "s"}]})", "/limits/0/lower");
  expect_fault("l.json", R"({"limits": [{"name": "a", "lower": 1, "unit": "s"}, {"lower": 1, "unit": "s"}]})",
               "/limits/1/name: missing");
  expect_fault("l.json", R"({"limits": [{"name": "a", "lowr": 1, "unit": "s"}]})", "/limits/0/lowr: unknown key");
  expect_fault("l.json",
               R"({"limits": [{"name": "a", "lower": 1, "unit": "s"}, {"name": "a", "upper": 1, "unit": "s"}]})",
               "/limits/1/name: 'a' is there twice");
  expect_fault("l.json", R"({"limits": [{"name": "a", "upper": 8e300, "unit": "flop/s"}]})",
               "/limits/0/upper: 8e+300: a rate of arithmetic");
  expect_fault("l.json", R"({"limits": []})", "at least one");
  expect_fault("l.json", R"([1])", "at least one");
  expect_fault("l.json", "{", "l.json");
}

AcceptanceRow row(const std::string& name, const std::string& criterion, AcceptanceVerdict verdict,
                  const std::string& reason) {
  return AcceptanceRow{.name = name, .criterion = criterion, .verdict = verdict, .reason = reason};
}

TEST(Junit, IsCountedAndEscaped) {
  const std::vector<AcceptanceRow> rows{row("a->b", "reference", AcceptanceVerdict::pass, "a remark"),
                                        row("c", "reference", AcceptanceVerdict::low, "\"50 %\" < 90 % & more\x01"),
                                        row("d", "reference", AcceptanceVerdict::extra, "not in the reference"),
                                        row("e", "limit", AcceptanceVerdict::missing, "not measured")};
  EXPECT_EQ(questions::junit({.rows = rows}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"gable check\" tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\">\n"
            "  <testsuite name=\"reference\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">\n"
            "    <testcase classname=\"gable.reference\" name=\"a-&gt;b\"/>\n"
            "    <testcase classname=\"gable.reference\" name=\"c\"><failure type=\"low\" message=\"&quot;50 %&quot; "
            "&lt; 90 % &amp; more?\"/></testcase>\n"
            "    <testcase classname=\"gable.reference\" name=\"d\"><skipped message=\"not in the "
            "reference\"/></testcase>\n"
            "  </testsuite>\n"
            "  <testsuite name=\"limit\" tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
            "    <testcase classname=\"gable.limit\" name=\"e\"><failure type=\"missing\" message=\"not "
            "measured\"/></testcase>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

TEST(Junit, RemarksArePrintedBesideTheCases) {
  const std::vector<std::string> remarks{"A is checked against B & C"};
  const std::string text =
      questions::junit({.rows = {row("a", "reference", AcceptanceVerdict::pass, "")}, .remarks = remarks});
  EXPECT_NE(text.find("name=\"a\"/>\n    <system-out>A is checked against B &amp; C\n</system-out>\n  </testsuite>"),
            std::string::npos)
      << text;
}

TEST(Junit, HasWhatWasMeasuredWhereAndHowAsProperties) {
  AcceptanceRow one = row("a", "reference", AcceptanceVerdict::low, "slow");
  one.value = 4e10;
  one.low = 3.9e10;
  one.high = 4.1e10;
  one.beside = 5e10;
  one.from = 4.5e10;
  one.to = 5.5e10;
  one.speed = 0.8;
  one.unit = "byte/s";
  const std::string text = questions::junit({.rows = {one}, .properties = {{"host", "n<1>"}, {"tolerance", "10 %"}}});
  EXPECT_NE(text.find("    <properties>\n"
                      "      <property name=\"host\" value=\"n&lt;1&gt;\"/>\n"
                      "      <property name=\"tolerance\" value=\"10 %\"/>\n"
                      "    </properties>\n"
                      "    <testcase classname=\"gable.reference\" name=\"a\"><properties>"
                      "<property name=\"measured\" value=\"40000000000\"/>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<property name=\"beside\" value=\"50000000000\"/>"
                      "<property name=\"accepted from\" value=\"45000000000\"/>"
                      "<property name=\"accepted to\" value=\"55000000000\"/>"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<property name=\"unit\" value=\"byte/s\"/></properties><failure"), std::string::npos) << text;
}

}  // namespace
}  // namespace gable
