#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json/parse.hpp"
#include "core/questions/interchange/peaks.hpp"

/// As ERT's roofline.json: GFLOP/s by type, GB/s by level, one figure each; operating points among the metadata.
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

}  // namespace gable::interchange
