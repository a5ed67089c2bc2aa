#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/json/parse.hpp"
#include "core/questions/interchange/peaks.hpp"
#include "core/text/safe_text.hpp"

/// The peaks in the forms of other programs that are Python.
namespace gable::interchange {
namespace {

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
