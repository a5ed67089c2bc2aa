#include <fmt/format.h>

#include <array>

#include "core/questions/interchange/peaks.hpp"
#include "core/text/safe_text.hpp"

/// As gauges of the Prometheus text format, for the textfile collector: one for each unit, and the ends of its
/// interval.
namespace gable::interchange {
namespace {

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

}  // namespace

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

}  // namespace gable::interchange
