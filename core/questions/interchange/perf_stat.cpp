#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Linux perf: `perf stat -x,`: value, unit, event, time it was counted (ns), share of the run in percent, …
namespace gable::interchange {
namespace {

constexpr std::string_view wall_time = "duration_time";
constexpr std::string_view arm_fixed = "fp_fixed_ops_spec", arm_scalable = "fp_scale_ops_spec";

/// A line of an event that was counted or not; with -r a spread stands behind the event.
struct Line {
  std::string value, unit, event, share;
  int number;
};

/// "cpu/FP_ARITH_INST_RETIRED.SCALAR_DOUBLE/u" and "fp_arith_inst_retired.scalar_double:u" as
/// "fp_arith_inst_retired.scalar_double".
std::string event_name(std::string_view written) {
  const auto slash = written.find('/');
  if (slash != written.npos) {
    written.remove_prefix(slash + 1);
    written = written.substr(0, written.find('/'));
  }
  written = written.substr(0, written.find(':'));
  std::string name(written);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Line> line_of(std::string_view text, int number) {
  if (text.empty() || text.find('"') != text.npos || !(is_digit(text[0]) || text.starts_with("<not "))) return {};
  const auto cells = parse_csv(text);
  if (cells.empty() || cells.front().cells.size() < 5) return {};
  const auto& found = cells.front().cells;
  const bool spread = found[3].ends_with('%');
  if (spread && found.size() < 6) return {};
  return Line{found[0], found[1], found[2], found[spread ? 5 : 4], number};
}

bool recognises(std::string_view text) {
  bool found = false;
  int looked = 0;
  for_each_line(text.substr(0, 200000), [&](std::string_view line, int number) {
    if (found || ++looked > 2000 || line.find('"') != line.npos) return;
    const auto parts = std::ranges::count(line, ',');
    if (parts < 4 || parts > 9) return;
    const auto read = line_of(line, number);
    const bool event = read && !read->event.empty() && !is_digit(read->event[0]) &&
                       read->event.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/"
                           "=-") == std::string::npos;
    found = event && (read->value.starts_with("<not ") || read->event.find_first_of("._-/:") != std::string::npos ||
                      read->event == "cycles" || read->event == "instructions");
  });
  return found;
}

/// Bytes of a unit that perf scaled an event to; nothing of any other unit.
std::optional<double> bytes_of(const std::string& unit) {
  constexpr std::pair<std::string_view, double> units[] = {{"B", 1},         {"Bytes", 1},        {"KiB", 1024},
                                                           {"MiB", 1048576}, {"GiB", 1073741824}, {"KB", 1e3},
                                                           {"MB", 1e6},      {"GB", 1e9}};
  for (const auto& [name, bytes] : units) {
    if (unit == name) return bytes;
  }
  return {};
}

Contents read(const Source& source, const Target&) {
  std::vector<Line> lines;
  Numbers numbers;
  for_each_line(source.text, [&](std::string_view text, int number) {
    auto line = line_of(text, number);
    if (!line) return;
    numbers.see(line->value, number);
    lines.push_back(std::move(*line));
  });
  Contents contents;
  Kernel& kernel = contents.kernels.kernel(std::filesystem::path(source.name).stem().string());
  kernel.calls = 1;
  for (const Line& line : lines) {
    const auto value = numbers.value(line.value, line.number);
    const std::string event = event_name(line.event);
    if (!value) {
      contents.notes.push_back(
          fmt::format("{} was not counted ({}; virtual machines often hide counters)", line.event, line.value));
      continue;
    }
    if (event == wall_time) {
      if (line.unit != "ns" && !line.unit.empty())
        throw Error(fmt::format("line {}: {} in '{}'", line.number, line.event, line.unit));
      if (kernel.seconds > 0)
        throw Error(fmt::format("line {}: {} is there twice: intervals (-I) are not read", line.number, wall_time));
      kernel.seconds = *value * 1e-9;
      continue;
    }
    const auto bytes = bytes_of(line.unit);
    const std::string unit = bytes ? "byte" : line.unit;  // one that is not known is no plain count of the event
    const std::string counter = unit.empty() ? event : fmt::format("{} [{}]", event, unit);
    contents.kernels.add(kernel, contents.kernels.counter(counter), *value * bytes.value_or(1));
    if (event == arm_fixed || event == arm_scalable)
      contents.notes.push_back(fmt::format(
          "{} counts operations that were begun, also those of a path that was not taken (speculative)", line.event));
    const auto share = Numbers().value(line.share.substr(0, line.share.find('.')), line.number);
    if (share && *share < 99)
      contents.notes.push_back(
          fmt::format("{} was counted in {} % of the time, and perf estimated the rest", line.event, line.share));
  }
  if (!(kernel.seconds > 0))
    throw Error(fmt::format("no {}: add it to the events (perf stat -x, -e {},…), a roofline needs the time", wall_time,
                            wall_time));
  return contents;
}

/// Intel's counters of a type by the width of the vectors. An FMA is counted twice.
void add_intel(KernelWork& work, Counted& counted, const Target& target, DType dtype, std::string_view name,
               double lanes_of_128) {
  const auto find = [&](std::string_view width) {
    return counted.find(fmt::format("fp_arith_inst_retired.{}_{}", width, name));
  };
  const auto scalar = find("scalar"), v128 = find("128b_packed"), v256 = find("256b_packed"),
             v512 = find("512b_packed");
  const auto is_avx512 = [](const std::string& isa) { return isa.find("avx512") != isa.npos; };
  const bool no_v512 = !target.device.isa.empty() && std::ranges::none_of(target.device.isa, is_avx512);
  add_operations(work, dtype, Unit::vector,
                 scalar.value_or(0) + lanes_of_128 * v128.value_or(0) + 2 * lanes_of_128 * v256.value_or(0) +
                     4 * lanes_of_128 * v512.value_or(0));
  if (!scalar || !v128 || !v256 || !(v512 || no_v512))
    work.unknown.push_back(fmt::format("operations of {} (a width of vectors was not counted)", to_string(dtype)));
}

/// Arm's counters of all types together: of scalar and Advanced SIMD instructions every operation, of scalable vectors
/// (SVE) those of 128 bit of each vector, so that all are the count times length / 128 bit (Arm Architecture Reference
/// Manual for A-profile, PMU events 0x80C1 and 0x80C0). An FMA counts twice in both.
void add_arm(KernelWork& work, const Target& target, const std::optional<double>& fixed,
             const std::optional<double>& scalable) {
  if (fixed)
    add_untyped_operations(work, target, *fixed);
  else
    work.unknown.push_back(fmt::format("operations of scalar and Advanced SIMD instructions ({})", arm_fixed));
  if (!scalable)
    work.unknown.push_back(fmt::format("operations of scalable vectors ({})", arm_scalable));
  else if (*scalable > 0)
    work.unknown.push_back(
        fmt::format("operations of scalable vectors ({:.4g} for each 128 bit of their length, which "
                    "is not in the file)",
                    *scalable));
}

std::optional<double> line_bytes(Counted& counted, std::initializer_list<const char*> events) {
  for (const char* event : events) {
    if (const auto bytes = counted.find(fmt::format("{} [byte]", event))) return bytes;
    constexpr double line = 64;
    if (const auto lines = counted.find(event)) return line * *lines;
  }
  return {};
}

KernelWork work_of(Counted& counted, const Target& target) {
  KernelWork work;
  const auto read = line_bytes(counted, {"umc_cas_cmd.rd", "unc_m_cas_count.rd", "cas_count_read"});
  const auto written = line_bytes(counted, {"umc_cas_cmd.wr", "unc_m_cas_count.wr", "cas_count_write"});
  work.bytes_read = read.value_or(0);
  work.bytes_written = written.value_or(0);
  if (!read || !written) work.unknown.emplace_back("bytes of the main memory");
  if (const auto both = counted.find("fp_ret_sse_avx_ops.all")) {
    add_untyped_operations(work, target, *both);
  } else if (const auto fixed = counted.find(arm_fixed), scalable = counted.find(arm_scalable); fixed || scalable) {
    add_arm(work, target, fixed, scalable);
  } else {
    add_intel(work, counted, target, DType::fp64, "double", 2);
    add_intel(work, counted, target, DType::fp32, "single", 4);
  }
  return work;
}

}  // namespace

const Format perf_stat{"perf stat -x,", "perf", &recognises, &read, &work_of, NamesOf::regions};

}  // namespace gable::interchange
