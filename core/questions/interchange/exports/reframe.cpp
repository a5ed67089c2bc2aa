#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/questions/interchange/peaks.hpp"
#include "core/text/safe_text.hpp"

/// As references of a ReFrame test, in Python: (value, low, high, unit), where low and high are relative to the value.
/// They are the 95 % interval within one run; runs differ by more.
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

}  // namespace

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

}  // namespace gable::interchange
