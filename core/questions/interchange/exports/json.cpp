#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/json/parse.hpp"
#include "core/questions/interchange/peaks.hpp"

/// The peaks in the forms of other programs that are JSON.
namespace gable::interchange {
namespace {

using nlohmann::json;

std::string upper(std::string_view text) {
  std::string word(text);
  for (char& c : word) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return word;
}

/// What ERT called a row of its own; of others types, unit and operating point: "FP64 GFLOPs vector burst",
/// "FP16->FP32 GFLOPs matrix sustained".
std::string label_of(const Ceiling& row) {
  if (row.imported && row.imported->tool == "ert") return row.imported->counters.front();
  if (row.kind == CeilingKind::bandwidth) return row.name;
  std::string types = row.dtype ? upper(to_string(*row.dtype)) : "";
  if (row.accumulate && row.accumulate != row.dtype) types += "->" + upper(to_string(*row.accumulate));
  return fmt::format("{} GFLOPs {}{}", types, row.name,
                     row.at == OperatingPoint::none ? "" : fmt::format(" {}", to_string(row.at)));
}

json metadata_of(const Ceiling& row) {
  json metadata{{"operating_point", to_string(row.at)}, {"implementation", row.implementation}};
  if (row.access != Access::none) metadata["access"] = to_string(row.access);
  if (row.value.ci_low && row.value.ci_high)
    metadata["interval_95"] = {*row.value.ci_low / 1e9, *row.value.ci_high / 1e9};
  return metadata;
}

void add(json& list, const Ceiling& row) {
  std::string label = label_of(row);
  if (list["metadata"].contains(label)) label += fmt::format(" ({})", row.id);  // rows of one label stay apart
  list["data"].push_back({label, row.value.value / 1e9});
  list["metadata"][label] = metadata_of(row);
}

}  // namespace

/// As ERT's roofline.json: GFLOP/s by type, GB/s by level, one figure each; operating points among the metadata.
std::string ert_text(const Peaks& peaks) {
  json empty{{"data", json::array()}, {"metadata", json::object()}};
  json flops = empty, bytes = empty;
  for (const Ceiling& row : peaks.rows) {
    if (row.kind == CeilingKind::compute && row.unit == "flop/s") add(flops, row);
  }
  for (const std::string& level : peaks.levels()) {
    if (const Ceiling* row = peaks.bandwidth(level)) add(bytes, *row);
  }
  json document{{"empirical", {{"gflops", flops}, {"gbytes", bytes}}},
                {"spec", {{"gflops", empty}, {"gbytes", empty}}},
                {"gable",
                 {{"device", peaks.device.name},
                  {peaks.tool == "gable" ? "measured" : "imported", peaks.finished},
                  {"tool", peaks.tool}}}};
  return dump_json(document, 1) + "\n";
}

/// As a gpu_arch file of TraceLens: the bandwidth of the main memory in GB/s, and for each unit and type what can be
/// achieved in TFLOP/s: what a library reached where one was measured, else sustained, else in a burst.
std::string tracelens_text(const Peaks& peaks) {
  using nlohmann::json;
  constexpr std::pair<DType, std::string_view> types[] = {
      {DType::fp16, "fp16"},    {DType::bf16, "bf16"},        {DType::fp32, "fp32"}, {DType::fp64, "fp64"},
      {DType::fp8_e4m3, "fp8"}, {DType::fp8_e4m3fnuz, "fp8"}, {DType::int8, "int8"}};
  json document{{"name", peaks.device.name}};
  json sources = json::object();
  const auto note = [&](const std::string& key, const Ceiling& row) {
    json source{{"value", row.value.value},
                {"unit", row.unit},
                {"operating_point", to_string(row.at)},
                {"implementation", row.implementation}};
    if (row.accumulate) source["accumulate"] = to_string(*row.accumulate);
    if (row.value.ci_low && row.value.ci_high) source["interval_95"] = {*row.value.ci_low, *row.value.ci_high};
    sources[key] = source;
  };
  if (const Ceiling* memory = peaks.bandwidth(peaks.main_memory())) {
    document["mem_bw_gbps"] = memory->value.value / 1e9;
    note("mem_bw_gbps", *memory);
  }
  json rates = json::object();
  for (const Unit unit : {Unit::matrix, Unit::vector}) {
    for (const auto& [dtype, name] : types) {
      const Ceiling* row = peaks.compute(
          unit, dtype,
          {OperatingPoint::library, OperatingPoint::sustained, OperatingPoint::burst, OperatingPoint::none});
      const std::string key = fmt::format("{}_{}", to_string(unit), name);
      if (!row || rates.contains(key)) continue;
      rates[key] = row->value.value / 1e12;
      note(key, *row);
    }
  }
  document["max_achievable_tflops"] = rates;
  document["_measured"] = {{"by", peaks.tool},
                           {peaks.tool == "gable" ? "at" : "imported_at", peaks.finished},
                           {"device", peaks.device.id},
                           {"rows", sources}};
  return dump_json(document, 1) + "\n";
}

}  // namespace gable::interchange
