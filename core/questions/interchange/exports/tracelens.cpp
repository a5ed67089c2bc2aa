#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/json/parse.hpp"
#include "core/questions/interchange/peaks.hpp"

/// As a gpu_arch file of TraceLens: the bandwidth of the main memory in GB/s, and for each unit and type what can be
/// achieved in TFLOP/s: what a library reached where one was measured, else sustained, else in a burst.
namespace gable::interchange {

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
