#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/json/parse.hpp"
#include "core/questions/interchange/peaks.hpp"
#include "core/text/safe_text.hpp"

/// As an entry of hardware_params of LLM-Viewer, in Python: byte/s and op/s. Rates are sustained where measured.
namespace gable::interchange {
namespace {

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
