#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/peaks.hpp"
#include "imported_file.hpp"

namespace gable {
namespace {

using Export = test::OtherTools;

using nlohmann::json;

Ceiling ceiling(CeilingKind kind, const std::string& name, OperatingPoint at, double value) {
  Ceiling row{.id = name + "/" + std::string(to_string(at)),
              .device = "openmp",
              .kind = kind,
              .name = name,
              .at = at,
              .implementation = "avx2",
              .unit = kind == CeilingKind::compute ? "flop/s" : "byte/s"};
  row.value.value = value;
  row.value.ci_low = 0.9 * value;
  row.value.ci_high = 1.2 * value;
  return row;
}

Result measured() {
  Result result;
  DeviceInfo device;
  device.id = "openmp";
  device.name = "Some \"CPU\"";
  device.memory = {{"L1", 32768, 1, 1, 64, ""}, {"DRAM", 1e9, 1, 1, 64, ""}};
  result.devices = {device};
  result.run.finished_at = "2026-01-01T00:00:00Z";
  for (const auto& [at, value] : {std::pair{OperatingPoint::burst, 4e12}, std::pair{OperatingPoint::sustained, 2e12}}) {
    Ceiling row = ceiling(CeilingKind::compute, "vector", at, value);
    row.dtype = row.accumulate = DType::fp32;
    result.ceilings.push_back(row);
  }
  Ceiling memory = ceiling(CeilingKind::bandwidth, "DRAM", OperatingPoint::sustained, 5e10);
  memory.access = Access::triad;
  memory.stores = Stores::ordinary;
  result.ceilings.push_back(memory);
  Ceiling suspect = ceiling(CeilingKind::bandwidth, "L1", OperatingPoint::sustained, 9e12);
  suspect.status = Status::suspect;
  suspect.reason = "too fast";
  result.ceilings.push_back(suspect);
  return result;
}

TEST_F(Export, SuspectRowsAreLeftOutAndNamed) {
  const auto peaks = interchange::peaks_of(measured(), "openmp");
  EXPECT_EQ(peaks.rows.size(), 3U);
  ASSERT_EQ(peaks.left_out.size(), 1U);
  EXPECT_NE(peaks.left_out.front().find("L1/sustained"), std::string::npos);
  EXPECT_NE(peaks.left_out.front().find("too fast"), std::string::npos);
  EXPECT_THROW(interchange::peaks_of(measured(), "cuda:0"), Error);
}

TEST_F(Export, ReframeHasRelativeEnds) {
  const auto text = interchange::reframe_text(interchange::peaks_of(measured(), "openmp"));
  EXPECT_NE(text.find("'vector_fp32_burst': (4e+12, -0.1000, 0.2000, 'flop/s')"), std::string::npos) << text;
  EXPECT_NE(text.find("'DRAM_triad_sustained': (5e+10, -0.1000, 0.2000, 'byte/s')"), std::string::npos) << text;
}

TEST_F(Export, PrometheusHasAGaugeAUnitAndEscapesNames) {
  const auto text = interchange::prometheus_text(interchange::peaks_of(measured(), "openmp"));
  for (const char* words :
       {"# TYPE gable_bandwidth_ceiling_bytes_per_second gauge\n", "device_name=\"Some \\\"CPU\\\"\"",
        "operating_point=\"sustained\",scope=\"node\",implementation=\"avx2\"} 50000000000"})
    EXPECT_NE(text.find(words), std::string::npos) << words << ": " << text;
}

TEST_F(Export, TraceLensHasTeraflopsAndTheirOperatingPoint) {
  const json document = json::parse(interchange::tracelens_text(interchange::peaks_of(measured(), "openmp")));
  EXPECT_DOUBLE_EQ(document["mem_bw_gbps"], 50);
  EXPECT_DOUBLE_EQ(document["max_achievable_tflops"]["vector_fp32"], 2) << "sustained before burst";
  EXPECT_EQ(document["_measured"]["rows"]["vector_fp32"]["operating_point"], "sustained");
}

TEST_F(Export, LlmViewerHasWhatWasMeasuredAndNothingElse) {
  const auto text = interchange::llm_viewer_text(interchange::peaks_of(measured(), "openmp"));
  EXPECT_NE(text.find("\"Some \\\"CPU\\\"\": {"), std::string::npos) << text;
  EXPECT_NE(text.find("\"bandwidth\": 5e+10,"), std::string::npos) << text;
  EXPECT_EQ(text.find("FP16"), std::string::npos) << "not measured";
}

/// Products of fp16 that accumulate in fp16, twice as fast, and in fp32.
Result with_products() {
  Result result = measured();
  for (const auto& [at, accumulate, value] : {std::tuple{OperatingPoint::sustained, DType::fp16, 8e12},
                                              std::tuple{OperatingPoint::burst, DType::fp32, 4e12}}) {
    Ceiling row = ceiling(CeilingKind::compute, "matrix", at, value);
    row.dtype = DType::fp16;
    row.accumulate = accumulate;
    result.ceilings.push_back(row);
  }
  return result;
}

TEST_F(Export, ProductsThatAccumulateInFp32ComeFirstAndAreTold) {
  Result result = with_products();
  auto peaks = interchange::peaks_of(result, "openmp");
  json document = json::parse(interchange::tracelens_text(peaks));
  EXPECT_DOUBLE_EQ(document["max_achievable_tflops"]["matrix_fp16"], 4);
  EXPECT_EQ(document["_measured"]["rows"]["matrix_fp16"]["accumulate"], "fp32");
  std::string text = interchange::llm_viewer_text(peaks);
  EXPECT_NE(text.find("\"FP16\": 4e+12,"), std::string::npos) << text;
  EXPECT_NE(text.find("accumulates in fp32"), std::string::npos) << text;
  result.ceilings.pop_back();
  peaks = interchange::peaks_of(result, "openmp");
  document = json::parse(interchange::tracelens_text(peaks));
  EXPECT_DOUBLE_EQ(document["max_achievable_tflops"]["matrix_fp16"], 8) << "there is no other";
  EXPECT_EQ(document["_measured"]["rows"]["matrix_fp16"]["accumulate"], "fp16");
  text = interchange::llm_viewer_text(peaks);
  EXPECT_NE(text.find("accumulates in fp16"), std::string::npos) << text;
}

TEST_F(Export, ErtComesBackAsItWas) {
  const std::string original =
      R"({"empirical": {"gflops": {"data": [["FP64 GFLOPs", 288.25], ["GFLOPs", 250]]}, "gbytes": {"data": [["L1", 900.5], ["DRAM", 40]]}}})";
  const auto imported = files.read(original);
  const auto peaks = interchange::peaks_of(imported, "cuda:0");
  EXPECT_EQ(peaks.tool, "ert");
  const json again = json::parse(interchange::ert_text(peaks))["empirical"];
  const json expected = json::parse(original)["empirical"];
  EXPECT_EQ(again["gflops"]["data"], expected["gflops"]["data"]);
  auto levels = again["gbytes"]["data"];
  std::sort(levels.begin(), levels.end());
  auto wanted = expected["gbytes"]["data"];
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(levels, wanted);
}

TEST_F(Export, RowsThatDifferOnlyInWhatIsNoLabelStayApart) {
  Result result = measured();
  Ceiling twin = result.ceilings.front();  // the same quantity by the same kernel, another row
  twin.id = "vector/again";
  twin.value.value = 3e12;
  result.ceilings.push_back(twin);
  const auto peaks = interchange::peaks_of(result, "openmp");
  const auto text = interchange::prometheus_text(peaks);
  EXPECT_NE(text.find("id=\"vector/burst\""), std::string::npos) << text;
  EXPECT_NE(text.find("id=\"vector/again\""), std::string::npos) << text;
  const json flops = json::parse(interchange::ert_text(peaks))["empirical"]["gflops"];
  EXPECT_EQ(flops["data"].size(), 3U);
  EXPECT_EQ(flops["metadata"].size(), 3U) << "burst, sustained and the twin";
}

TEST_F(Export, ErtNamesTheTypeThatAccumulates) {
  Result result = measured();
  result.ceilings.front().dtype = DType::fp16;  // accumulates in fp32
  const json flops = json::parse(interchange::ert_text(interchange::peaks_of(result, "openmp")))["empirical"]["gflops"];
  EXPECT_TRUE(flops["metadata"].contains("FP16->FP32 GFLOPs vector burst")) << flops.dump();
}

TEST_F(Export, FiguresOfOtherToolsAreImportedNotMeasuredAtTheTimeOfTheImport) {
  Result other = files.read(R"({"empirical": {"gflops": {"data": [["FP64 GFLOPs", 288.25]]}}})");
  other.run.finished_at = "2026-02-02T00:00:00Z";
  const auto peaks = interchange::peaks_of(other, "cuda:0");
  for (const std::string& text : {interchange::reframe_text(peaks), interchange::llm_viewer_text(peaks)}) {
    EXPECT_NE(text.find("imported 2026-02-02T00:00:00Z"), std::string::npos) << text;
    EXPECT_EQ(text.find("measured 2026"), std::string::npos) << text;
  }
  EXPECT_EQ(json::parse(interchange::ert_text(peaks))["gable"]["imported"], "2026-02-02T00:00:00Z");
  EXPECT_EQ(json::parse(interchange::tracelens_text(peaks))["_measured"]["imported_at"], "2026-02-02T00:00:00Z");
  const auto own = interchange::peaks_of(measured(), "openmp");
  EXPECT_NE(interchange::reframe_text(own).find("measured 2026-01-01T00:00:00Z"), std::string::npos);
}

TEST_F(Export, GablesOwnRowsStandBeforeThoseOfOthers) {
  Result result = measured();
  for (Ceiling row : files.read(R"({"empirical": {"gflops": {"data": [["FP64 GFLOPs", 1e6]]}}})").ceilings) {
    row.device = "openmp";
    result.ceilings.push_back(row);
  }
  const auto peaks = interchange::peaks_of(result, "openmp");
  EXPECT_EQ(peaks.tool, "gable");
  EXPECT_EQ(peaks.rows.size(), 3U);
}

}  // namespace
}  // namespace gable
