#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// `roofline.csv` of AMD's rocprof-compute (formerly Omniperf): the peaks that it measured, GB/s and GFLOP/s, a line a
/// device.
namespace gable::interchange {
namespace {

bool recognises_roofline(std::string_view text) {
  const auto header = first_line(text);
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
    Rate{"MFMAF4Flops", Unit::matrix, DType::fp4_e2m1, DType::fp32},
    Rate{"WMMABF16Flops", Unit::matrix, DType::bf16, DType::fp32},
    Rate{"WMMAF16Flops", Unit::matrix, DType::fp16, DType::fp32},
    Rate{"WMMAI8Ops", Unit::matrix, DType::int8, DType::int32},
};

/// The rate of a column. Of fp8 the type that the chip's instructions have, "fp8" in AMD's names, where the device says
/// which chip it is: e4m3 with AMD's own bits on gfx942.
std::optional<Rate> rate_of(std::string_view column, const Target& target) {
  if (const auto known = std::ranges::find(rates, column, &Rate::column); known != rates.end()) return *known;
  if (column != "MFMAF8Flops" && column != "WMMAF8Flops") return {};
  if (target.has_isa("gfx94")) return Rate{column, Unit::matrix, DType::fp8_e4m3fnuz, DType::fp32};
  if (target.has_isa("gfx95") || target.has_isa("gfx12"))
    return Rate{column, Unit::matrix, DType::fp8_e4m3, DType::fp32};
  return {};
}

std::string why_left_out(std::string_view column) {
  if (column.find("F8Flops") != column.npos && column.find("MX") == column.npos)
    return fmt::format(
        "column {} was left out: chips have other types of fp8, and --device does not say which one this is", column);
  return fmt::format("column {} was left out: it does not say one data type that Gable has", column);
}

/// Low and high ends of a column ("HBMBwLow", "hbmBwHigh", "MFMAFI8OpsLow"): the tool's own spread, which is not one of
/// 95 % over blocks.
bool is_end(std::string_view column) { return column.ends_with("Low") || column.ends_with("High"); }

Contents read_roofline(const Source& source, const Target& target) {
  const Sheet sheet(source.text);
  Contents contents;
  Numbers numbers;
  int devices = 0;
  for (const CsvRecord& row : sheet) {
    ++devices;
    for (std::size_t i = 1; i < row.cells.size(); ++i) numbers.see(row.cells[i], row.line);
  }
  for (const CsvRecord& row : sheet) {
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
      const auto rate = rate_of(column, target);
      if (level != levels.end())
        add(ceiling_of(CeilingKind::bandwidth, level->name.empty() ? target.main_memory() : std::string(level->name),
                       *value * giga, column));
      else if (rate)
        add(compute_ceiling(rate->unit, rate->dtype, rate->accumulate, *value * giga, column));
      else if (*value > 0 && std::ranges::count(contents.notes, why_left_out(column)) == 0)
        contents.notes.push_back(why_left_out(column));
    }
  }
  if (contents.ceilings.empty()) throw Error("no column with a ceiling that is known here");
  return contents;
}

}  // namespace

const Format rocprof_roofline{"rocprof-compute roofline.csv", "rocprof-compute", &recognises_roofline, &read_roofline,
                              nullptr};

}  // namespace gable::interchange
