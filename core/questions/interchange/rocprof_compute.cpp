#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// AMD rocprof-compute (formerly Omniperf): `pmc_perf.csv`, a line a dispatch and a column a counter; `roofline.csv`,
/// the peaks that it measured, GB/s and GFLOP/s, a line a device.
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

bool recognises_roofline(std::string_view text) {
  const auto header = text.substr(0, text.find('\n'));
  return header.find("HBMBw") != header.npos &&
         (header.starts_with("device") || header.starts_with("devID") || header.starts_with("\"device"));
}

constexpr double giga = 1e9;

struct Level {
  std::string_view column, name;  ///< name empty: the main memory
};
constexpr std::array levels = {Level{"HBMBw", ""},  Level{"MALLBw", "MALL"}, Level{"L2Bw", "L2"},
                               Level{"L1Bw", "L1"}, Level{"L0Bw", "L0"},     Level{"LDSBw", "LDS"}};

struct Rate {
  std::string_view column;
  Unit unit;
  DType dtype;
  std::optional<DType> accumulate;
};
constexpr std::array rates = {
    Rate{"FP16Flops", Unit::vector, DType::fp16, DType::fp16},
    Rate{"BF16Flops", Unit::vector, DType::bf16, {}},
    Rate{"FP32Flops", Unit::vector, DType::fp32, {}},
    Rate{"FP64Flops", Unit::vector, DType::fp64, {}},
    Rate{"I8Ops", Unit::vector, DType::int8, {}},
    Rate{"I32Ops", Unit::vector, DType::int32, {}},
    Rate{"MFMABF16Flops", Unit::matrix, DType::bf16, DType::fp32},
    Rate{"MFMAF16Flops", Unit::matrix, DType::fp16, DType::fp32},
    Rate{"MFMAF32Flops", Unit::matrix, DType::fp32, DType::fp32},
    Rate{"MFMAF64Flops", Unit::matrix, DType::fp64, DType::fp64},
    Rate{"MFMAI8Ops", Unit::matrix, DType::int8, DType::int32},
    Rate{"WMMABF16Flops", Unit::matrix, DType::bf16, DType::fp32},
    Rate{"WMMAF16Flops", Unit::matrix, DType::fp16, DType::fp32},
    Rate{"WMMAI8Ops", Unit::matrix, DType::int8, DType::int32},
};

/// Low and high ends of a column ("HBMBwLow", "hbmBwHigh", "MFMAFI8OpsLow"): the tool's own spread, which is not one of
/// 95 % over blocks.
bool is_end(std::string_view column) { return column.ends_with("Low") || column.ends_with("High"); }

Contents read_roofline(const Source& source, const Target& target) {
  const Sheet sheet(source.text);
  Contents contents;
  Numbers numbers;
  int devices = 0;
  for (const CsvRecord& row : sheet.rows()) {
    ++devices;
    for (std::size_t i = 1; i < row.cells.size(); ++i) numbers.see(row.cells[i], row.line);
  }
  const std::size_t known_before = contents.ceilings.size();
  for (const CsvRecord& row : sheet.rows()) {
    const std::string variant = devices > 1 ? "device " + row.cells.front() : "";
    const auto add = [&](Ceiling ceiling) {
      ceiling.variant = variant;
      contents.ceilings.push_back(std::move(ceiling));
    };
    for (std::size_t i = 1; i < sheet.names().size(); ++i) {
      const std::string& column = sheet.names()[i];
      const auto value = numbers.value(row.cells[i], row.line);
      if (is_end(column) || !value) continue;
      if (*value < 0) throw Error(fmt::format("line {}, column {}: is negative", row.line, column));
      const auto level = std::ranges::find(levels, column, &Level::column);
      const auto rate = std::ranges::find(rates, column, &Rate::column);
      if (level != levels.end())
        add(ceiling_of(CeilingKind::bandwidth, level->name.empty() ? target.main_memory() : std::string(level->name),
                       *value * giga, column));
      else if (rate != rates.end())
        add(compute_ceiling(rate->unit, rate->dtype, rate->accumulate, *value * giga, column));
      else
        contents.notes.push_back(
            fmt::format("column {} was left out: it does not say one data type that Gable has", column));
    }
  }
  if (contents.ceilings.size() == known_before) throw Error("no column with a ceiling that is known here");
  return contents;
}

}  // namespace

const Format rocprof_compute{"rocprof-compute pmc_perf.csv", "rocprof-compute", &recognises, &read,
                             &work_of_amd_counters};
const Format rocprof_roofline{"rocprof-compute roofline.csv", "rocprof-compute", &recognises_roofline, &read_roofline,
                              nullptr};

}  // namespace gable::interchange
