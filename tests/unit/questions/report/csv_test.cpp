#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <locale>

#include "core/questions/report/report.hpp"
#include "core/text/csv_table.hpp"
#include "tests/report/sample.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

using report::csv;
using report::CsvTable;

std::string cell(const std::string& text, std::size_t record, const std::string& column) {
  const auto records = parse_csv(text);
  const auto& header = records.at(0).cells;
  const auto at = std::find(header.begin(), header.end(), column) - header.begin();
  return records.at(record).cells.at(static_cast<std::size_t>(at));
}

TEST(Csv, ColumnsOfCeilings) {
  EXPECT_EQ(csv({}, CsvTable::ceilings),
            "device,scope,threads,kind,name,dtype,accumulate,access,operating_point,implementation,data_pattern,value,"
            "median,ci_low,ci_high,blocks,unit,clock_hz,percent_of_datasheet,percent_at_clock,status,reason,stores,"
            "variant,with_write_allocate,id,estimator,disturbed_blocks,rounds,working_set_bytes,power_w,temperature_c,"
            "clock_limits\n");
}

TEST(Csv, ColumnsOfPoints) {
  EXPECT_EQ(csv({}, CsvTable::points),
            "device,scope,operator,implementation,dtype,accumulate,params,flops,bytes,intensity,time_s,flop_per_s,"
            "byte_per_s,regime,limit,fraction_of_limit,status,reason,ci_low_s,ci_high_s,id,cold,estimator,disturbed_"
            "blocks,launches,graph,count,label,fraction_of_datasheet,rounds,compared_rounds,threads,compute,manner,"
            "bytes_read,bytes_written,working_set_bytes,execution_unit,blocks,clock_hz,bound_s,power_w,temperature_c,"
            "clock_limits\n");
}

TEST(Csv, CeilingRow) {
  Result result;
  auto row = test::sample_compute("openmp", Unit::vector, DType::fp32, OperatingPoint::burst, 1e11);
  row.value.value = 0.1;
  row.datasheet = 0.2;
  row.theory_at_clock.reset();
  row.value.rounds = {0, 0, 0, 1, 1, 1, 3, 3};
  row.conditions.power_w = 95.5;
  row.conditions.clock_limits = "power, heat";
  result.ceilings = {row};
  EXPECT_EQ(csv(result, CsvTable::ceilings).substr(csv({}, CsvTable::ceilings).size()),
            "openmp,node,16,compute,vector,fp32,fp32,,burst,native,random_normal,0.1,100000000000,99000000000,"
            "101000000000,8,flop/s,3100000000,50,,ok,,,,,ceiling/compute/vector/fp32/burst,median,0,3,,95.5,,"
            "\"power, heat\"\n");
}

TEST(Csv, DerivedFiguresOfPoints) {
  Result result;
  Point point;
  point.device = "openmp";
  point.op = "gemm";
  point.types = uniform_types(DType::fp32);
  point.stages = {{"", {{Unit::vector, 600}}, 80, 20, 100, 1, {}}};
  point.time.value = 2;
  point.regime = Regime::memory_bound;
  result.points = {point};
  const std::string text = csv(result, CsvTable::points);
  EXPECT_EQ(cell(text, 1, "intensity"), "6");
  EXPECT_EQ(cell(text, 1, "flop_per_s"), "300");
  EXPECT_EQ(cell(text, 1, "byte_per_s"), "50");
  EXPECT_EQ(cell(text, 1, "fraction_of_limit"), "");
  EXPECT_EQ(cell(text, 1, "regime"), to_string(Regime::memory_bound));
  EXPECT_EQ(cell(text, 1, "cold"), "false");
  EXPECT_EQ(cell(text, 1, "bytes_read"), "80");
  EXPECT_EQ(cell(text, 1, "execution_unit"), "vector");
  result.points[0].cold = true;
  EXPECT_EQ(cell(csv(result, CsvTable::points), 1, "cold"), "true");
}

TEST(Csv, NoFigureIsAnEmptyCell) {
  Result result;
  Point point;
  point.status = Status::unsupported;
  point.reason = "no fp8 here";
  result.points = {point};
  for (const char* column : {"flops", "bytes", "intensity", "time_s", "flop_per_s", "byte_per_s"}) {
    EXPECT_EQ(cell(csv(result, CsvTable::points), 1, column), "") << column;
  }
}

TEST(Csv, AwkwardTextComesBackWhole) {
  Result result;
  Ceiling row;
  row.reason = "a \"quoted\", reason\nof two lines";
  result.ceilings = {row};
  const std::string text = csv(result, CsvTable::ceilings);
  EXPECT_NE(text.find("\"a \"\"quoted\"\", reason\nof two lines\""), std::string::npos);
  EXPECT_EQ(cell(text, 1, "reason"), row.reason);
}

/// Writes numbers as German does.
class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Csv, LocaleDoesNotMatter) {
  const Result result = test::sample_result(test::Devices::both, 5);
  const std::string plain = csv(result, CsvTable::points) + report::text(result);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new DecimalComma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const std::string german = csv(result, CsvTable::points) + report::text(result);
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
  EXPECT_EQ(german, plain);
}

TEST(Csv, ReadsQuotesLineEndsAndMark) {
  const auto records = parse_csv(
      "\xEF\xBB\xBF"
      "a,b\r\n\r\n\"x,1\",\"y\n\"\"2\"\"\"\n3,\n");
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].cells, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(records[1].cells, (std::vector<std::string>{"x,1", "y\n\"2\""}));
  EXPECT_EQ(records[2].cells, (std::vector<std::string>{"3", ""}));
  EXPECT_EQ(records[2].line, 5);
}

TEST(Format, ByTheEnding) {
  EXPECT_EQ(render::format_of("a.b/roof.SVG"), render::Format::svg);
  EXPECT_EQ(render::format_of("x.txt"), render::Format::txt);
  const std::string text = error_of([&] { render::format_of("roof.jpeg"); });
  EXPECT_NE(text.find("roof.jpeg"), std::string::npos);
  EXPECT_NE(text.find(".svg"), std::string::npos);
}

}  // namespace
}  // namespace gable
