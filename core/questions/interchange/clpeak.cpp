#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// clpeak: what it prints for a device, a heading with the unit and below it a line for each width of vector.
namespace gable::interchange {
namespace {

struct Section {
  std::string_view heading;  ///< what it begins with
  CeilingKind kind;
  DType dtype;  ///< of compute
  double factor;
};
constexpr std::array sections = {
    Section{"Global memory bandwidth (GBPS)", CeilingKind::bandwidth, DType::fp32, 1e9},
    Section{"Local memory bandwidth (GBPS)", CeilingKind::bandwidth, DType::fp32, 1e9},
    Section{"Single-precision compute (GFLOPS)", CeilingKind::compute, DType::fp32, 1e9},
    Section{"Half-precision compute (GFLOPS)", CeilingKind::compute, DType::fp16, 1e9},
    Section{"Double-precision compute (GFLOPS)", CeilingKind::compute, DType::fp64, 1e9},
    Section{"Integer compute (GIOPS)", CeilingKind::compute, DType::int32, 1e9},
    Section{"Kernel launch latency", CeilingKind::overhead, DType::fp32, 1e-6},
};

bool recognises(std::string_view text) {
  return early_line_has(text, {"Global memory bandwidth (GBPS)"}) ||
         early_line_has(text, {"Single-precision compute (GFLOPS)"});
}

Ceiling row_of(const Section& section, double figure, const std::string& label, const Target& target) {
  const std::string source = fmt::format("{}: {}", section.heading, label);
  if (section.kind == CeilingKind::compute) {
    Ceiling row = compute_ceiling(Unit::vector, section.dtype, {}, figure * section.factor, source);
    if (section.dtype == DType::fp16) row.accumulate = DType::fp16;
    row.variant = label;
    return row;
  }
  const bool local = section.heading.starts_with("Local");
  const bool launch = section.kind == CeilingKind::overhead;
  Ceiling row = ceiling_of(section.kind,
                           launch  ? "opencl_launch"
                           : local ? "shared"
                                   : target.main_memory(),
                           figure * section.factor, source);
  if (!launch) {
    row.access = Access::read;
    row.variant = label;
  }
  return row;
}

Contents read(const Source& source, const Target& target) {
  struct Line {
    const Section* section;
    std::string label, figure;
    int number;
  };
  std::vector<Line> lines;
  Contents contents;
  Numbers numbers;
  const Section* section = nullptr;
  int devices = 0;
  for_each_line(source.text, [&](std::string_view line, int number) {
    const std::string_view text = trimmed(line);
    if (text.starts_with("Device:") || text.starts_with("Device ")) ++devices;
    if (text.empty()) section = nullptr;
    const auto heading =
        std::ranges::find_if(sections, [&](const Section& one) { return text.starts_with(one.heading); });
    const auto colon = text.rfind(':');
    if (heading != sections.end()) section = &*heading;
    const bool with_figure = section && colon != text.npos;
    if (!with_figure) {
      if (heading == sections.end()) section = nullptr;  // a heading that is not known here
      return;
    }
    std::string figure(trimmed(text.substr(colon + 1)));
    if (figure.ends_with(" us")) figure.resize(figure.size() - 3);
    numbers.see(figure, number);
    lines.push_back({section, std::string(trimmed(text.substr(0, colon))), figure, number});
  });
  if (devices > 1) throw Error(fmt::format("figures of {} devices: a result is of one, keep the part of one", devices));
  for (const Line& line : lines) {
    const auto figure = numbers.value(line.figure, line.number);
    if (!figure || *figure < 0) throw Error(fmt::format("line {}: '{:.40}' is no figure", line.number, line.figure));
    contents.ceilings.push_back(row_of(*line.section, *figure, line.label, target));
  }
  if (contents.ceilings.empty()) throw Error("no figure below the headings: the file was cut off");
  return contents;
}

}  // namespace

const Format clpeak{"clpeak output", "clpeak", &recognises, &read, nullptr};

}  // namespace gable::interchange
