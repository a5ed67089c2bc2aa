#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// clpeak: what it prints for its devices, a heading with the unit and below it a line for each width of vector; and
/// its XML, of clpeak 1 (an element a test) and 2 (elements "test" and "metric").
namespace gable::interchange {
namespace {

struct Section {
  std::string_view heading;  ///< what it begins with
  std::string_view test;     ///< its name in XML
  CeilingKind kind;
  DType dtype;  ///< of compute
  double factor;
};
constexpr std::array sections = {
    Section{"Global memory bandwidth (GBPS)", "global_memory_bandwidth", CeilingKind::bandwidth, DType::fp32, 1e9},
    Section{"Local memory bandwidth (GBPS)", "local_memory_bandwidth", CeilingKind::bandwidth, DType::fp32, 1e9},
    Section{"Single-precision compute (GFLOPS)", "single_precision_compute", CeilingKind::compute, DType::fp32, 1e9},
    Section{"Half-precision compute (GFLOPS)", "half_precision_compute", CeilingKind::compute, DType::fp16, 1e9},
    Section{"Double-precision compute (GFLOPS)", "double_precision_compute", CeilingKind::compute, DType::fp64, 1e9},
    Section{"Integer compute (GIOPS)", "integer_compute", CeilingKind::compute, DType::int32, 1e9},
    Section{"Kernel launch latency", "kernel_launch_latency", CeilingKind::overhead, DType::fp32, 1e-6},
};

bool recognises(std::string_view text) {
  return early_line_has(text, {{"Global memory bandwidth (GBPS)"}, {"Single-precision compute (GFLOPS)"}, {"<clpeak"}});
}

/// A figure of a test.
struct Figure {
  const Section* section;
  std::string label, value, device;
  double factor;
  int number;
};

/// The type of a line's label: "half2" stands below the heading of single precision in some versions.
DType type_of_label(std::string_view label, DType of_heading) {
  if (label.starts_with("half")) return DType::fp16;
  if (label.starts_with("double")) return DType::fp64;
  if (label.starts_with("float")) return DType::fp32;
  return of_heading;
}

Ceiling row_of(const Figure& figure, double value, const Target& target) {
  const Section& section = *figure.section;
  const std::string source = fmt::format("{}: {}", section.heading, figure.label);
  if (section.kind == CeilingKind::compute) {
    const DType dtype = type_of_label(figure.label, section.dtype);
    Ceiling row = compute_ceiling(Unit::vector, dtype, {}, value * figure.factor, source);
    if (dtype == DType::fp16) row.accumulate = DType::fp16;
    row.variant = figure.label;
    return row;
  }
  const bool local = section.heading.starts_with("Local");
  const bool launch = section.kind == CeilingKind::overhead;
  Ceiling row = ceiling_of(section.kind,
                           launch  ? "opencl_launch"
                           : local ? "shared"
                                   : target.main_memory(),
                           value * figure.factor, source);
  if (!launch) {
    row.access = Access::read;
    row.variant = figure.label;
  } else if (figure.label != section.heading) {
    row.variant = figure.label;
  }
  return row;
}

std::vector<Figure> figures_of_text(std::string_view source) {
  std::vector<Figure> figures;
  const Section* section = nullptr;
  std::string device;
  for_each_line(source, [&](std::string_view line, int number) {
    const std::string_view text = trimmed(line);
    const auto colon = text.rfind(':');
    if (text.starts_with("Device:") || text.starts_with("Device "))
      device = trimmed(text.substr(std::min(text.find(':'), text.size() - 1) + 1));
    if (text.empty()) section = nullptr;
    const auto heading =
        std::ranges::find_if(sections, [&](const Section& one) { return text.starts_with(one.heading); });
    if (heading != sections.end()) section = &*heading;
    if (!section || colon == text.npos) {
      if (heading == sections.end()) section = nullptr;  // a heading that is not known here, or what failed
      return;
    }
    std::string value(trimmed(text.substr(colon + 1)));
    if (value.ends_with(" us")) value.resize(value.size() - 3);
    figures.push_back({section, std::string(trimmed(text.substr(0, colon))), value, device, section->factor, number});
  });
  return figures;
}

/// "gflops", "tops", "us": what one of it is; 0 of another.
double factor_of(std::string unit) {
  if (const auto seconds = unit_factor(unit, {"s"})) return *seconds;
  if (!unit.empty()) unit[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0])));
  return unit_factor(unit, {"flops", "ops", "iops", "bps"}).value_or(0);
}

std::string attribute(std::string_view tag, std::string_view name) {
  const auto at = tag.find(fmt::format(" {}=\"", name));
  if (at == tag.npos) return {};
  const auto begin = at + name.size() + 3;
  return std::string(tag.substr(begin, std::min(tag.find('"', begin), tag.size()) - begin));
}

/// Elements one after the other: their names tell what their figures are of.
class XmlFigures {
 public:
  explicit XmlFigures(std::string_view text) {
    int number = 1;
    for (std::size_t at = text.find('<'); at != text.npos;) {
      const auto end = text.find('>', at);
      if (end == text.npos) throw Error("an element has no end: the file was cut off");
      const auto next = std::min(text.find('<', end), text.size());
      take(text.substr(at + 1, end - at - 1), trimmed(text.substr(end + 1, next - end - 1)), number);
      number += static_cast<int>(std::ranges::count(text.substr(at, next - at), '\n'));
      at = next < text.size() ? next : text.npos;
    }
    if (!is_closed_) throw Error("the element 'clpeak' has no end: the file was cut off");
  }

  std::vector<Figure> figures;
  std::string version;

 private:
  void take(std::string_view tag, std::string_view content, int number) {
    const std::string_view name = tag.substr(0, tag.find(' '));
    if (name == "/clpeak") is_closed_ = true;
    if (name == "clpeak") version = attribute(tag, "clpeak_version");
    if (name == "run")
      device_ =
          fmt::format("{} {} {}", attribute(tag, "device"), attribute(tag, "backend"), attribute(tag, "platform"));
    if (name == "device") device_ = attribute(tag, "name");
    if (name == "test" || tag.find(" unit=\"") != tag.npos)
      begin_test(tag, name == "test" ? attribute(tag, "name") : std::string(name));
    if (!section_ || content.empty() || factor_ == 0) return;
    const bool is_label = name != "test" && tag.find("unit=") == tag.npos && !name.starts_with('/');
    if (!is_label) {
      if (section_->kind == CeilingKind::overhead && !name.starts_with('/'))
        add(std::string(section_->heading), content, number);
      return;
    }
    add(name == "metric" ? attribute(tag, "name") : std::string(name), content, number);
  }

  /// CPUs have a test for each instruction set: "single_precision_compute_avx2_fma".
  void begin_test(std::string_view tag, const std::string& test) {
    const auto found = std::ranges::find_if(sections, [&](const Section& one) {
      return test == one.test || (one.kind == CeilingKind::compute && one.dtype != DType::int32 &&
                                  test.starts_with(std::string(one.test) + "_"));
    });
    section_ = found == sections.end() ? nullptr : &*found;
    suffix_ = section_ ? test.substr(section_->test.size()) : "";
    factor_ = factor_of(attribute(tag, "unit"));
  }

  void add(std::string label, std::string_view content, int number) {
    for (char& c : suffix_) c = c == '_' ? ' ' : c;
    figures.push_back({section_, std::move(label) + suffix_, std::string(content), device_, factor_, number});
  }

  const Section* section_{};
  double factor_{};
  std::string device_, suffix_;
  bool is_closed_{};
};

/// Whether a device of the file is the one that the user names.
bool is_device(const std::string& named, const Target& target) {
  return !target.device.name.empty() && target.device.name != target.device.id &&
         (named.find(target.device.name) != named.npos || target.device.name.find(named) != std::string::npos);
}

Contents read(const Source& source, const Target& target) {
  Contents contents;
  std::vector<Figure> figures;
  if (source.text.find("<clpeak") != std::string::npos) {
    XmlFigures xml(source.text);
    figures = std::move(xml.figures);
    if (!xml.version.empty()) contents.version = xml.version;
  } else {
    figures = figures_of_text(source.text);
  }
  Numbers numbers;
  std::set<std::string> devices;
  bool named = false;
  for (const Figure& figure : figures) {
    numbers.see(figure.value, figure.number);
    devices.insert(figure.device);
    named = named || is_device(figure.device, target);
  }
  const bool several = devices.size() > 1 && !named;
  for (const Figure& figure : figures) {
    if (named && !is_device(figure.device, target)) continue;
    const bool is_figure = !figure.value.empty() && std::isdigit(static_cast<unsigned char>(figure.value[0])) != 0;
    if (!is_figure) {
      say(contents.notes, "line {}: {}: {} failed ({:.60})", figure.number, figure.section->heading, figure.label,
          figure.value.empty() ? "no figure" : figure.value);
      continue;
    }
    const auto value = numbers.value(figure.value, figure.number);
    Ceiling row = row_of(figure, *value, target);
    if (several) row.variant += (row.variant.empty() ? "" : ", ") + figure.device;
    add_run(contents, std::move(row));
  }
  if (contents.ceilings.empty())
    throw Error("no figure below the headings: the file was cut off, or every test failed");
  if (devices.size() > 1)
    contents.notes.push_back(named ? fmt::format("figures of other devices than {} were left out", target.device.name)
                                   : fmt::format("figures of {} devices: each row names its own", devices.size()));
  finish_runs(contents);
  return contents;
}

}  // namespace

const Format clpeak{"clpeak", "clpeak", &recognises, &read, nullptr, WrittenAs::table};

}  // namespace gable::interchange
