#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// The CARM tool (cache-aware roofline): its ceilings, whose columns are named by two lines, and its applications.
namespace gable::interchange {
namespace {

constexpr double giga = 1e9;

std::optional<DType> type_of(std::string_view precision) {
  constexpr std::array<std::pair<std::string_view, DType>, 6> names{{{"dp", DType::fp64},
                                                                     {"sp", DType::fp32},
                                                                     {"hp", DType::fp16},
                                                                     {"bf16", DType::bf16},
                                                                     {"DP", DType::fp64},
                                                                     {"SP", DType::fp32}}};
  const auto found = std::ranges::find(names, precision, &std::pair<std::string_view, DType>::first);
  return found == names.end() ? std::nullopt : std::optional{found->second};
}

bool recognises_roofs(std::string_view text) {
  return text.starts_with("Name:,") && text.find("\nDate,ISA,Precision,") != text.npos;
}

bool recognises_applications(std::string_view text) { return text.starts_with("Date,Method,Name,ISA,Precision,"); }

/// The mix that the numbers of loads and stores make, where it is one that Gable has.
Access access_of(double loads, double stores) {
  if (stores == 0 && loads > 0) return Access::read;
  if (loads == 0 && stores > 0) return Access::write;
  if (loads == stores && loads > 0) return Access::copy;
  return loads == 2 * stores && stores > 0 ? Access::triad : Access::none;
}

Contents read_roofs(const Source& source, const Target& target) {
  Contents contents;
  const auto records = parse_csv(source.text);
  if (records.size() < 3) throw Error("no line with figures below the two lines of names: the file was cut off");
  const auto& kinds = records[0].cells;
  const auto& names = records[1].cells;
  const auto at = [&](std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) fail_at(records[1].line, "column '{}' is missing", name);
    return static_cast<std::size_t>(found - names.begin());
  };
  const std::size_t isa = at("ISA"), precision = at("Precision"), threads = at("Threads");
  const std::size_t loads = at("Loads"), stores = at("Stores"), fp = at("FP Inst.");
  Numbers numbers;
  for (std::size_t i = 2; i < records.size(); ++i) {
    if (records[i].cells.size() != names.size())
      fail_at(records[i].line, "{} cells, line {} names {}: the file was cut off", records[i].cells.size(),
              records[1].line, names.size());
    for (std::size_t c = fp + 1; c < names.size(); ++c) numbers.see(records[i].cells[c], records[i].line);
  }
  const bool several = records.size() > 3;
  for (std::size_t i = 2; i < records.size(); ++i) {
    const auto& cells = records[i].cells;
    const int line = records[i].line;
    const auto dtype = type_of(cells[precision]);
    if (!dtype) fail_at(line, "precision '{}' is not known here", cells[precision]);
    const auto count = [&](std::size_t column) { return numbers.value(cells[column], line).value_or(0); };
    for (std::size_t c = fp + 1; c < names.size() && c < kinds.size(); ++c) {
      const bool bandwidth = names[c] == "GB/s", rate = names[c] == "Gflop/s" || names[c] == "Gflops/s";
      const auto value = bandwidth || rate ? numbers.value(cells[c], line) : std::nullopt;
      if (!value || *value == 0) continue;  // 0: not measured by this call of the tool
      if (*value < 0) throw Error(fmt::format("line {}, column {}: is negative", line, kinds[c]));
      const std::string level = kinds[c] == "DRAM" || kinds[c] == "Global" ? target.main_memory() : kinds[c];
      Ceiling row = bandwidth ? ceiling_of(CeilingKind::bandwidth, level, *value * giga, kinds[c])
                              : compute_ceiling(Unit::vector, *dtype, {}, *value * giga, kinds[c]);
      if (bandwidth) row.access = access_of(count(loads), count(stores));
      const bool fma = rate && kinds[c] != "FP";
      const std::string inst = rate && !fma ? cells[fp] : "";
      row.variant = fmt::format("{}{}{}", cells[isa], inst.empty() ? "" : " ", inst);
      if (several) row.variant += fmt::format(", line {}", line);
      row.threads = static_cast<int>(std::clamp(count(threads), 0.0, 1e9));
      contents.ceilings.push_back(std::move(row));
    }
  }
  if (contents.ceilings.empty()) throw Error("no figure above 0");
  return contents;
}

Contents read_applications(const Source& source, const Target&) {
  Contents contents;
  const Sheet sheet(source.text);
  const std::size_t method = sheet.column("Method"), name = sheet.column("Name"), precision = sheet.column("Precision");
  const std::size_t rate = sheet.column("GFLOPS"), bandwidth = sheet.column("Bandwidth"), time = sheet.column("Time");
  Numbers numbers;
  for (const CsvRecord& row : sheet) {
    for (const std::size_t at : {rate, bandwidth, time}) numbers.see(row.cells[at], row.line);
  }
  for (const CsvRecord& row : sheet) {
    const auto seconds = numbers.value(row.cells[time], row.line);
    if (!seconds || !(*seconds > 0)) throw Error(fmt::format("line {}, column Time: is no time", row.line));
    Kernel& kernel = contents.kernels.kernel(fmt::format("{} ({})", row.cells[name], row.cells[method]));
    kernel.add_call(*seconds);
    const auto dtype = type_of(row.cells[precision]);
    const auto flops = numbers.value(row.cells[rate], row.line), bytes = numbers.value(row.cells[bandwidth], row.line);
    const auto add = [&](const std::string& counter, const std::optional<double>& per_s) {
      if (per_s) contents.kernels.add(kernel, counter, *per_s * giga * *seconds);
    };
    add(dtype ? fmt::format("GFLOPS {}", to_string(*dtype)) : "GFLOPS", flops);
    add("Bandwidth", bytes);
  }
  return contents;
}

KernelWork work_of(Counted& counted, const Target& target) {
  KernelWork work;
  work.unknown.emplace_back("bytes of the main memory (the tool counts what the core asks for)");
  if (const auto bytes = counted.find("Bandwidth")) work.inner.push_back({"L1", *bytes});
  for (const DType dtype : {DType::fp64, DType::fp32, DType::fp16, DType::bf16}) {
    if (const auto flops = counted.find(fmt::format("GFLOPS {}", to_string(dtype))))
      add_operations(work, dtype, Unit::vector, *flops);
  }
  if (const auto flops = counted.find("GFLOPS")) add_untyped_operations(work, counted, target, *flops);
  return work;
}

}  // namespace

const Format carm_roofs{"CARM tool ceilings", "carm", &recognises_roofs, &read_roofs, nullptr, WrittenAs::table};
const Format carm_applications{"CARM tool applications", "carm",   &recognises_applications,
                               &read_applications,       &work_of, WrittenAs::table,
                               NamesOf::regions};

}  // namespace gable::interchange
