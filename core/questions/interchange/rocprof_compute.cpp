#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/questions/interchange/gpu_counters.hpp"
#include "core/questions/interchange/sheet.hpp"

/// AMD rocprof-compute (formerly Omniperf): `pmc_perf.csv`, a line a dispatch and a column a counter.
namespace gable::interchange {
namespace {

bool recognises(std::string_view text) {
  const auto header = text.substr(0, text.find('\n'));
  return header.find("Kernel_Name") != header.npos && header.find("Start_Timestamp") != header.npos &&
         header.find("Counter_Name") == header.npos && header.find("GPU_ID") != header.npos;
}

bool is_counter(std::string_view column) {
  constexpr std::array<std::string_view, 6> blocks{"SQ_", "TCC_", "TCP_", "TA_", "TD_", "GRBM_"};
  return std::ranges::any_of(blocks, [&](std::string_view block) { return column.starts_with(block); });
}

Contents read(const Source& source, const Target&) {
  const Sheet sheet(source.text);
  const std::size_t name = sheet.column("Kernel_Name"), gpu = sheet.column("GPU_ID");
  const std::size_t start = sheet.column("Start_Timestamp"), end = sheet.column("End_Timestamp");
  Contents contents;
  std::vector<std::pair<std::size_t, std::size_t>> counters;  // column, counter
  for (std::size_t i = 0; i < sheet.names().size(); ++i) {
    if (is_counter(sheet.names()[i])) counters.emplace_back(i, contents.kernels.counter(sheet.names()[i]));
  }
  Numbers numbers;
  std::set<std::string> gpus;
  for (const CsvRecord& row : sheet.rows()) {
    gpus.insert(row.cells[gpu]);
    for (const std::size_t at : {start, end}) numbers.see(row.cells[at], row.line);
    for (const auto& [column, counter] : counters) numbers.see(row.cells[column], row.line);
  }
  if (gpus.size() > 1)
    throw Error(
        fmt::format("dispatches on {} GPUs: a result is of one device, keep the lines of one GPU_ID", gpus.size()));
  for (const CsvRecord& row : sheet.rows()) {
    const auto nanoseconds = numbers.difference(row.cells[end], row.cells[start], row.line);
    if (!nanoseconds || !(*nanoseconds > 0)) throw Error(fmt::format("line {}: the dispatch has no time", row.line));
    Kernel& kernel = contents.kernels.kernel(row.cells[name]);
    kernel.calls += 1;
    kernel.launches += 1;
    kernel.seconds += *nanoseconds * 1e-9;
    for (const auto& [column, counter] : counters) {
      if (const auto value = numbers.value(row.cells[column], row.line)) contents.kernels.add(kernel, counter, *value);
    }
  }
  return contents;
}

}  // namespace

const Format rocprof_compute{"rocprof-compute pmc_perf.csv", "rocprof-compute", &recognises, &read,
                             &work_of_amd_counters};

}  // namespace gable::interchange
