#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// Intel Advisor: the roofline of its loops and functions as CSV, a line each. Its operations are of all types
/// together.
namespace gable::interchange {
namespace {

constexpr std::string_view loop = "loop_name", call_site = "function_call_sites_and_loops";

bool recognises(std::string_view text) {
  return early_line_has(text, {"self_gflop", loop}) || early_line_has(text, {"self_gflop", call_site});
}

Contents read(const Source& source, const Target&) {
  const auto columns = source.text.find("self_gflop");  // lines above it are the tool's
  const auto begin = source.text.rfind('\n', columns);
  const Sheet sheet(std::string_view(source.text).substr(begin == std::string::npos ? 0 : begin + 1));
  const std::size_t name = sheet.find(loop) ? *sheet.find(loop) : sheet.column(call_site);
  const std::size_t time =
      sheet.find("self_elapsed_time") ? *sheet.find("self_elapsed_time") : sheet.column("self_time");
  Contents contents;
  Numbers numbers;
  constexpr std::array columns_used = {"self_gflop", "self_memory_gb", "self_l2_gb", "self_l3_gb", "self_dram_gb"};
  for (const CsvRecord& row : sheet.rows()) {
    numbers.see(row.cells[time], row.line);
    for (const char* column : columns_used) {
      if (const auto at = sheet.find(column)) numbers.see(row.cells[*at], row.line);
    }
  }
  int without_time = 0;
  for (const CsvRecord& row : sheet.rows()) {
    const auto seconds = numbers.value(row.cells[time], row.line);
    if (!seconds || !(*seconds > 0)) {
      ++without_time;
      continue;
    }
    Kernel& kernel = contents.kernels.kernel(trimmed(row.cells[name]));
    kernel.calls = 1;  // the report has sums over all trips, not how often a loop was entered
    kernel.seconds += *seconds;
    for (const char* column : columns_used) {
      const auto at = sheet.find(column);
      const auto value = at ? numbers.value(row.cells[*at], row.line) : std::nullopt;
      if (value) contents.kernels.add(kernel, contents.kernels.counter(column), *value * 1e9);
    }
  }
  if (without_time > 0)
    contents.notes.push_back(fmt::format("{} loops without a time of their own were left out", without_time));
  if (contents.kernels.kernels().empty()) throw Error("no loop has a time");
  return contents;
}

KernelWork work_of(Counted& counted, const Target& target) {
  KernelWork work;
  if (const auto bytes = counted.find("self_dram_gb"))
    work.bytes_read = *bytes;
  else
    work.unknown.emplace_back("bytes of the main memory");
  for (const auto& [column, level] :
       {std::pair{"self_memory_gb", "L1"}, std::pair{"self_l2_gb", "L2"}, std::pair{"self_l3_gb", "L3"}}) {
    if (const auto bytes = counted.find(column)) work.inner.push_back({level, *bytes});
  }
  if (const auto flops = counted.find("self_gflop"))
    add_untyped_operations(work, target, *flops);
  else
    work.unknown.emplace_back("operations");
  return work;
}

}  // namespace

const Format advisor{"Intel Advisor roofline CSV", "advisor", &recognises, &read, &work_of, NamesOf::regions};

}  // namespace gable::interchange
