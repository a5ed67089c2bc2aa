#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/json/parse.hpp"
#include "core/questions/interchange/peaks.hpp"
#include "core/text/lower.hpp"
#include "core/text/safe_text.hpp"

/// The peaks in the forms of other programs, by their languages: JSON, the text format of Prometheus, Python.
namespace gable::interchange {
namespace {

using nlohmann::json;

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

/// A label's value: one line, with \ and " escaped.
std::string escaped(std::string_view text) {
  std::string value;
  for (const char c : printable(text)) {
    if (c == '\\' || c == '"') value += '\\';
    value += c;
  }
  return value;
}

std::string labels_of(const Peaks& peaks, const Ceiling& row) {
  std::string labels = fmt::format("device=\"{}\",device_name=\"{}\",name=\"{}\"", escaped(peaks.device.id),
                                   escaped(peaks.device.name), escaped(row.name));
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) labels += fmt::format(",{}=\"{}\"", key, escaped(value));
  };
  add("id", row.id);  // rows may differ in what is no label: two series of one label set make the whole file invalid
  add("dtype", row.dtype ? to_string(*row.dtype) : "");
  add("accumulate", row.accumulate ? to_string(*row.accumulate) : "");
  add("access", row.access == Access::none ? "" : to_string(row.access));
  add("stores", row.stores == Stores::none ? "" : to_string(row.stores));
  add("operating_point", to_string(row.at));
  add("scope", to_string(row.scope));
  add("implementation", row.implementation);
  add("variant", row.variant);
  return labels;
}

struct Gauge {
  std::string_view unit, name, help;
};
constexpr std::array gauges = {
    Gauge{"flop/s", "gable_compute_ceiling_flops_per_second", "Measured compute ceiling, flop/s"},
    Gauge{"op/s", "gable_compute_ceiling_ops_per_second", "Measured ceiling of integers and special functions, op/s"},
    Gauge{"byte/s", "gable_bandwidth_ceiling_bytes_per_second", "Measured bandwidth of a memory level, byte/s"}};

void add(std::string& text, const Peaks& peaks, const Gauge& gauge, std::string_view tail, std::string_view what,
         std::optional<double> (*figure)(const Ceiling&)) {
  std::string lines;
  for (const Ceiling& row : peaks.rows) {
    const auto value = row.unit == gauge.unit ? figure(row) : std::nullopt;
    if (value) lines += fmt::format("{}{}{{{}}} {}\n", gauge.name, tail, labels_of(peaks, row), *value);
  }
  if (lines.empty()) return;
  text += fmt::format("# HELP {0}{1} {2}{3}.\n# TYPE {0}{1} gauge\n{4}", gauge.name, tail, gauge.help, what, lines);
}

/// A name of a performance variable: letters, digits and "_".
std::string variable_of(const Ceiling& row) {
  std::string name;
  for (const char c : label_of_peak(row)) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (word || (!name.empty() && name.back() != '_')) name += word ? c : '_';
  }
  return name;
}

/// A literal of Python, which JSON's strings are too.
std::string quoted(const std::string& text) { return dump_json(nlohmann::json(text), -1); }

/// "sustained, 95 % interval 1.9e+12 to 2.1e+12, matrix fp16->fp32 sustained, accumulates in fp32, wgmma".
std::string origin_of(const Ceiling& row) {
  std::string text = row.at == OperatingPoint::none ? "" : fmt::format("{}, ", to_string(row.at));
  if (row.value.ci_low && row.value.ci_high)
    text += fmt::format("95 % interval {:.4g} to {:.4g}, ", *row.value.ci_low, *row.value.ci_high);
  text += label_of_peak(row);
  if (row.accumulate) text += fmt::format(", accumulates in {}", to_string(*row.accumulate));
  return printable(text + ", " + row.implementation);
}

const Ceiling* best_of(const Peaks& peaks, std::initializer_list<DType> types) {
  for (const Unit unit : {Unit::matrix, Unit::vector}) {
    const Ceiling* best = nullptr;
    for (const DType dtype : types) {
      const Ceiling* row = peaks.compute(
          unit, dtype,
          {OperatingPoint::sustained, OperatingPoint::burst, OperatingPoint::library, OperatingPoint::none});
      if (!row) continue;
      const bool wider = best && accumulates_wide(*row) && !accumulates_wide(*best);
      const bool alike = best && accumulates_wide(*row) == accumulates_wide(*best);
      if (!best || wider || (alike && row->value.value > best->value.value)) best = row;
    }
    if (best) return best;
  }
  return nullptr;
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

std::string prometheus_text(const Peaks& peaks) {
  std::string text;
  for (const Gauge& gauge : gauges) {
    add(text, peaks, gauge, "", "", [](const Ceiling& row) -> std::optional<double> { return row.value.value; });
    add(text, peaks, gauge, "_low", ": lower end of its 95 % interval",
        [](const Ceiling& row) { return row.value.ci_low; });
    add(text, peaks, gauge, "_high", ": upper end of its 95 % interval",
        [](const Ceiling& row) { return row.value.ci_high; });
  }
  return text;
}

/// As references of a ReFrame test, in Python: (value, low, high, unit), where low and high are relative to the value.
/// They are the 95 % interval within one run; runs differ by more.
std::string reframe_text(const Peaks& peaks) {
  std::string text = fmt::format(
      "# {}, {}, by {}. Low and high are the 95 % intervals within that run; runs differ by more:\n"
      "# widen them to what several runs show.\n"
      "reference = {{\n    '*': {{\n",
      printable(peaks.device.name), printable(peaks.dated()), printable(peaks.tool));
  std::vector<std::string> names;
  for (const Ceiling& row : peaks.rows) {
    std::string name = variable_of(row);
    const auto same = std::ranges::count(names, name);
    names.push_back(name);
    if (same > 0) name += fmt::format("_{}", same + 1);
    const bool interval = row.value.ci_low && row.value.ci_high;
    const std::string ends = interval ? fmt::format("{:.4f}, {:.4f}", *row.value.ci_low / row.value.value - 1,
                                                    *row.value.ci_high / row.value.value - 1)
                                      : "None, None";
    text += fmt::format("        '{}': ({:.6g}, {}, '{}'),  # {}\n", name, row.value.value, ends, row.unit,
                        printable(row.implementation));
  }
  return text + "    },\n}\n";
}

/// As an entry of hardware_params of LLM-Viewer, in Python: byte/s and op/s. Rates are sustained where measured.
std::string llm_viewer_text(const Peaks& peaks) {
  std::string text = fmt::format("# {}, {}, by {}; onchip_buffer (the register files) is not measured: add it\n",
                                 printable(peaks.device.name), printable(peaks.dated()), printable(peaks.tool));
  text += fmt::format("hardware_params = {{\n    {}: {{\n", quoted(peaks.device.name));
  const auto add = [&](const char* key, const Ceiling* row) {
    if (row) text += fmt::format("        \"{}\": {:.6g},  # {}\n", key, row->value.value, origin_of(*row));
  };
  add("bandwidth", peaks.bandwidth(peaks.main_memory()));
  add("FP16", best_of(peaks, {DType::fp16, DType::bf16}));
  add("FP8", best_of(peaks, {DType::fp8_e4m3, DType::fp8_e4m3fnuz}));
  add("INT8", best_of(peaks, {DType::int8}));
  return text + "    },\n}\n";
}

}  // namespace gable::interchange
