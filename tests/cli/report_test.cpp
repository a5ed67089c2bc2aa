// `gable report` with datasheets beside results, as users call it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

/// A user's device: 2 TB/s, 20 TFLOP/s of vectors and 312 TFLOP/s of matrix units.
constexpr const char* our_device = R"({"devices": [{
  "name": "Tender GPU", "vendor": "Someone", "architecture": "X", "memory_type": "HBM9", "memory_byte": 80e9,
  "memory_byte_per_s": 2e12, "source": "the offer", "confidence": "unconfirmed",
  "unconfirmed": ["memory_byte", "tdp_w"], "note": "half of it is promised",
  "peaks": [{"dtype": "fp32", "unit": "vector", "accumulate": "fp32", "peak_flop_per_s": 20e12, "source": "the offer",
             "confidence": "unconfirmed"},
            {"dtype": "fp16", "unit": "matrix", "accumulate": "fp32", "peak_flop_per_s": 312e12, "source": "the offer",
             "confidence": "unconfirmed"}]}]})";

class ReportDatasheet : public testing::Test {
 protected:
  ReportDatasheet() {
    Result result = made_up_result("Some CPU");
    add_peak(result, DType::fp32, 1e11);
    add_memory(result, 1e10);
    add_point(result, "relu", 1e8, 1e9, 0.12);
    result::save(result, folder_ / "cpu.json");
    write_text(folder_ / "mine.json", our_device);
  }
  Outcome report(const std::vector<std::string>& words) const {
    return gable(with({"report"}, words), {}, folder_.path());
  }
  Folder folder_;
};

/// The lines that begin with a word.
std::vector<std::string> lines_with(const std::string& text, const std::string& begin) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(begin)) found.push_back(line);
  }
  return found;
}

TEST_F(ReportDatasheet, CsvHasTheCataloguesFigures) {
  const auto run = report({"cpu.json", "h200 sxm", "--table", "ceilings"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(lines_with(run.out, "openmp,").size(), 2u) << run.out;
  const auto sheet = lines_with(run.out, "H200 SXM 141GB (datasheet),");
  ASSERT_FALSE(sheet.empty()) << run.out;
  for (const std::string& line : sheet) {
    EXPECT_TRUE(has(line, ",datasheet,,")) << line;
    EXPECT_FALSE(has(line, ",ok,")) << "nobody measured it: " << line;
  }
  // 4.8 TB/s of HBM3e; 66.9 TFLOP/s in fp32; 989.4 TFLOP/s dense in bf16, the half of the 1978.9 printed with sparsity
  EXPECT_TRUE(has(run.out, "node,,bandwidth,HBM3e,,,,,datasheet,,4800000000000,,,,,byte/s")) << run.out;
  EXPECT_TRUE(has(run.out, "node,,compute,vector,fp32,fp32,,,datasheet,,66900000000000,,,,,flop/s")) << run.out;
  EXPECT_TRUE(has(run.out, "node,,compute,matrix,bf16,fp32,,,datasheet,,989400000000000,,,,,flop/s")) << run.out;
}

TEST_F(ReportDatasheet, FormsForProgramsHaveTheRowsOfBothTables) {
  const json answer = answer_of(report({"cpu.json", "H200 SXM 141GB", "--format", "json"}));
  ASSERT_EQ(answer["points"].size(), 1u);
  EXPECT_EQ(answer["points"][0]["operator"], "relu");
  EXPECT_DOUBLE_EQ(answer["points"][0]["time_s"], 0.12);
  EXPECT_EQ(answer["ceilings"][0]["status"], "ok");
  EXPECT_EQ(answer["ceilings"].back()["implementation"], "datasheet");
  EXPECT_FALSE(answer["ceilings"].back().contains("status")) << "nobody measured it";
  const auto csv = report({"cpu.json", "--format", "csv"});
  EXPECT_EQ(csv.out.substr(0, csv.out.find('\n')), "# ceilings");
  const auto points = report({"cpu.json", "--table", "points"});
  EXPECT_TRUE(has(csv.out, "# points\n" + points.out)) << csv.out;
  EXPECT_TRUE(has(report({"cpu.json", "--format", "md"}).out, "## operators"));
}

TEST_F(ReportDatasheet, TextTellsItFromAMeasurement) {
  const auto run = report({"cpu.json", "--devices-file", "mine.json", "Tender GPU"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "Tender GPU (datasheet): its vendor's figures, not measured")) << run.out;
  EXPECT_TRUE(has(run.out, "156 flop/byte")) << "312 TFLOP/s over 2 TB/s: " << run.out;
  EXPECT_TRUE(has(run.out, "10 flop/byte")) << "20 TFLOP/s over 2 TB/s: " << run.out;
  for (const char* words :
       {"source: the offer (unconfirmed)", "unconfirmed: memory_byte, tdp_w", "note: half of it is promised", "relu"})
    EXPECT_TRUE(has(run.out, words)) << words << ": " << run.out;
}

TEST_F(ReportDatasheet, PictureHasBothDevicesAndTheLegendSaysDatasheet) {
  const auto run =
      report({"cpu.json", "Tender GPU", "--devices-file", "mine.json", "--all-roofs", "--output", "both.svg"});
  if (run.code == 2 && has(run.err, "gnuplot")) GTEST_SKIP() << run.err;
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string svg = read_text(folder_ / "both.svg");
  for (const char* text : {"A Some CPU", "B Tender GPU (datasheet)", ">datasheet<", "roof: A fp32 vector burst",
                           "roof: B fp16 matrix datasheet", "roof: B fp32 vector datasheet", "roof: B HBM9 datasheet"})
    EXPECT_TRUE(has(svg, text)) << text;
}

TEST_F(ReportDatasheet, ThemesOfThePicture) {
  for (const char* theme : {"light", "dark", "print"}) {
    const auto run = report({"cpu.json", "T4", "--theme", theme, "--output", std::string(theme) + ".svg"});
    if (run.code == 2 && has(run.err, "gnuplot")) GTEST_SKIP() << run.err;
    ASSERT_EQ(run.code, 0) << run.err;
  }
  const std::string dark = read_text(folder_ / "dark.svg"), print = read_text(folder_ / "print.svg");
  EXPECT_TRUE(has(dark, "#16181b")) << "its ground";
  EXPECT_TRUE(has(print, "viewBox=\"0 0 384 288\"")) << "4 x 3 inch of 96 units";
  EXPECT_TRUE(has(read_text(folder_ / "light.svg"), "viewBox=\"0 0 768 528\""));
  const std::regex colour(R"(rgb\( *(\d+), *(\d+), *(\d+)\))");
  int colours = 0;
  for (std::sregex_iterator one(print.begin(), print.end(), colour), end; one != end; ++one, ++colours)
    EXPECT_TRUE((*one)[1] == (*one)[2] && (*one)[2] == (*one)[3]) << one->str() << " is no grey";
  EXPECT_GT(colours, 10);
}

TEST_F(ReportDatasheet, DatasheetsAloneAreAPictureToo) {
  const auto run = report({"T4", "A100 SXM4 80GB"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "T4 (datasheet)")) << run.out;
  EXPECT_TRUE(has(run.out, "A100 SXM4 80GB (datasheet)")) << run.out;
  EXPECT_FALSE(has(run.out, "holds no rows")) << run.out;
}

TEST_F(ReportDatasheet, PlotDataHoldTheRidgesOfTheModelsCases) {
  const auto run = report({"Tender GPU", "--devices-file", "mine.json", "--output", "plot-data.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto data = json::parse(read_text(folder_ / "plot-data.json"));
  std::map<std::string, double> ridges;
  for (const auto& ridge : data["ridges"]) ridges[ridge["label"]] = ridge["intensity"];
  EXPECT_DOUBLE_EQ(ridges.at("fp16 matrix"), 156) << "312 TFLOP/s over 2 TB/s";
  EXPECT_DOUBLE_EQ(ridges.at("fp32 vector"), 10) << "20 TFLOP/s over 2 TB/s";
  EXPECT_TRUE(data["devices"][0]["datasheet"]);
  EXPECT_TRUE(data["points"].empty());
  // whole decades around half of 10 flop/byte (but 0.05 at least) and 20 x 156
  EXPECT_DOUBLE_EQ(data["frame"]["intensity"]["low"], 0.01);
  EXPECT_DOUBLE_EQ(data["frame"]["intensity"]["high"], 10000);
}

TEST_F(ReportDatasheet, PlotDataHaveOneFrameWhateverRan) {
  Result busy = made_up_result("Some CPU");
  add_peak(busy, DType::fp32, 1e11);
  add_memory(busy, 1e10);
  add_point(busy, "relu", 1e8, 1e9, 0.12);
  add_point(busy, "far", 1e3, 1e9, 50);
  result::save(busy, folder_ / "busy.json");
  for (const char* name : {"cpu", "busy"}) {
    const std::string file = name;
    const auto run = report({file + ".json", "--output", file + "-plot-data.json"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  const auto a = json::parse(read_text(folder_ / "cpu-plot-data.json"));
  const auto b = json::parse(read_text(folder_ / "busy-plot-data.json"));
  EXPECT_EQ(a["frame"], b["frame"]);
  EXPECT_NE(a["axes"], b["axes"]) << "those of the picture follow the points";
  EXPECT_EQ(b["points"].size(), 2u);
  EXPECT_NE(b["points"][0]["diagnosis"].get<std::string>().find("memory-bound"), std::string::npos);
}

TEST_F(ReportDatasheet, PlotDataOfAResultWithoutRowsAreEmptyLists) {
  Result nothing = made_up_result("Some CPU");
  result::save(nothing, folder_ / "nothing.json");
  const auto run = report({"nothing.json", "--output", "nothing-plot-data.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto data = json::parse(read_text(folder_ / "nothing-plot-data.json"));
  for (const char* list : {"roofs", "ridges", "points", "ceilings", "curves"}) EXPECT_TRUE(data[list].empty()) << list;
}

TEST_F(ReportDatasheet, PlotDataAreDataAndNeedForce) {
  write_text(folder_ / "plot-data.json", "mine");
  expect_refusal(report({"cpu.json", "--output", "plot-data.json"}), "--force");
  EXPECT_EQ(read_text(folder_ / "plot-data.json"), "mine");
  EXPECT_EQ(report({"cpu.json", "--output", "plot-data.json", "--force"}).code, 0);
}

TEST_F(ReportDatasheet, WhatHasNoPlaceIsOneLine) {
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  for (const auto& [words, says] :
       {Case{{"cpu.json", "H900"}, "no file 'H900', and device \"H900\" is not in the"},
        Case{{"cpu.jsn"}, "device \"cpu.jsn\" is not in the catalogue: gable devices --catalogue lists"},
        Case{{"cpu.json", "GeForce RTX 4091"}, "catalogue: near it are GeForce RTX 4090\n"},
        Case{{"cpu.json:openmp"}, "report shows every device of a file; leave out ':openmp'"},
        Case{{"cpu.json", "H200"}, "ambiguous in the catalogue: H200 SXM 141GB, H200 NVL"},
        Case{{"T4", "t4"}, "'t4': the datasheet of T4 is there already"},
        Case{{"cpu.json", "T4", "--table", "points"}, "T4 has none"},
        Case{{"cpu.json", "T4", "--scope", "numa", "--output", "s.svg"},
             "nothing to draw: the result has no measured roof"},
        Case{{"cpu.json", "T4", "--output", "b.json"}, "not the datasheet of T4"},
        Case{{"cpu.json", "--size", "8x5", "--output", "plot-data.json"}, "--size is for pictures"},
        Case{{"cpu.json", "--theme", "sepia", "--output", "s.svg"}, "'sepia' is none of light, dark, print"},
        Case{{"cpu.json", "--theme", "dark", "--output", "t.csv"}, "--theme is for pictures"},
        Case{{"cpu.json", "--table", "points", "--output", "plot-data.json"}, "--table writes csv"},
        Case{{"cpu.json", "--table", "points", "--format", "json"}, "leave out --table"},
        Case{{"cpu.json", "--json", "--output", "b.json"}, "leave out --output"},
        Case{{"cpu.json", "--output", "b.htm"}, "one of .svg .png .pdf .html .csv .json .txt"}}) {
    const auto run = report(words);
    expect_refusal(run, says);
    EXPECT_EQ(run.out, "");
  }
  for (const char* output : {"b.json", "s.svg"}) EXPECT_FALSE(std::filesystem::exists(folder_ / output)) << output;
}

}  // namespace
}  // namespace gable::test
