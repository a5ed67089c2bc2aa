#include "backends/openmp/ceilings/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "backends/openmp/ceilings/compute_benchmark.hpp"
#include "backends/openmp/ceilings/row.hpp"
#include "core/device/datasheet.hpp"
#include "core/model/roofline.hpp"

namespace gable::openmp {
namespace {

/// What every CPU is asked for.
struct Wanted {
  std::string_view unit;
  DType dtype;
};
constexpr Wanted wanted[] = {
    {"vector", DType::fp64},  {"vector", DType::fp32},  {"scalar", DType::fp64}, {"scalar", DType::fp32},
    {"vector", DType::fp16},  {"vector", DType::bf16},  {"vector", DType::int8}, {"matrix", DType::fp16},
    {"matrix", DType::bf16},  {"matrix", DType::int8},  {"exp", DType::fp64},    {"exp", DType::fp32},
    {"convert", DType::fp16}, {"convert", DType::bf16},
};

void measure_compute(Setup& setup, Ceiling& row, const ComputeChoice& choice) {
  ComputeBenchmark benchmark(setup, choice);
  const auto& policy = row.at == OperatingPoint::sustained ? setup.policies.sustained : setup.policies.burst;
  row.value = measure::measure(benchmark, {benchmark.operations(), true}, policy);
  benchmark.probe().report(row.conditions);
  if (!row.variant.empty()) return;  // the catalogue's rates are those of the ceilings
  if (const auto* peak = compute_peak(setup.device, row)) {
    row.theory_at_clock = theory_at_clock(setup.threads(), peak->per_core_and_cycle, row.conditions.clock_hz);
  }
}

/// Also the roofs that operators of the type meet: fp16 on a CPU that computes it in fp32 needs those of fp32.
bool is_wanted(const Request& request, std::string_view unit, DType dtype) {
  return request.dtypes.empty() || std::any_of(request.dtypes.begin(), request.dtypes.end(), [&](DType asked) {
           return may_need(uniform_types(asked), parse_unit(unit).value(), dtype);
         });
}

Ceiling compute_row(const Setup& setup, std::string_view unit, DType dtype, OperatingPoint at) {
  const std::string_view counted = rate_unit(parse_unit(unit).value(), dtype);
  auto row = new_row(setup, CeilingKind::compute, std::string(unit), std::string(counted));
  row.dtype = dtype;
  row.at = at;
  return row;
}

Item kernel_item(const SharedSetup& setup, const ComputeChoice& choice, OperatingPoint at, std::string variant) {
  const auto dtype = parse_dtype(choice.kernel->dtype).value();
  auto row = compute_row(*setup, choice.kernel->unit, dtype, at);
  row.accumulate = parse_dtype(choice.kernel->accumulate);
  row.implementation = choice.table->name;
  row.variant = std::move(variant);
  row.data_pattern = is_integer(dtype) ? "random_integer" : "random_uniform";
  if (row.variant.empty()) add_datasheet(setup->device, row);
  const auto& policy = at == OperatingPoint::sustained ? setup->policies.sustained : setup->policies.burst;
  auto title = fmt::format("{} {} {}, {}{}{}", to_string(dtype), row.name, to_string(at), row.implementation,
                           row.variant.empty() ? "" : " ", row.variant);
  return row_item(setup, std::move(row), std::move(title), expected_seconds(policy),
                  [choice](Setup& s, Ceiling& r) { measure_compute(s, r, choice); });
}

bool has_sustained_row(const Setup& setup, std::string_view unit, DType dtype) {
  if (unit == "matrix") return true;
  return unit == "vector" && (setup.full() || dtype == DType::fp64 || dtype == DType::fp32);
}

/// The rows of one unit and type: the ceiling at its operating points, or why there is none.
void add_ceiling(std::vector<Item>& items, const SharedSetup& setup, std::string_view unit, DType dtype) {
  const auto kernels = compute_kernels(setup->instructions, unit, dtype);
  if (kernels.empty()) {
    auto row = compute_row(*setup, unit, dtype, OperatingPoint::burst);
    row.status = Status::unsupported;
    row.reason = why_missing(setup->instructions, unit, dtype);
    items.push_back(row_item(setup, std::move(row), fmt::format("{} {}", to_string(dtype), unit), 0.0, {}));
    return;
  }
  items.push_back(kernel_item(setup, kernels.front(), OperatingPoint::burst, ""));
  if (has_sustained_row(*setup, unit, dtype)) {
    items.push_back(kernel_item(setup, kernels.front(), OperatingPoint::sustained, ""));
  }
}

/// Rows beside the ceilings: narrower instruction sets, and the variants of the widest table that has them.
void add_beside(std::vector<Item>& items, const SharedSetup& setup, std::string_view unit, DType dtype) {
  const auto kernels = compute_kernels(setup->instructions, unit, dtype);
  for (std::size_t i = 1; i < kernels.size(); ++i) {
    items.push_back(
        kernel_item(setup, kernels[i], OperatingPoint::burst, fmt::format("isa:{}", kernels[i].table->name)));
  }
  for (const char* variant : {"no_fma", "no_ilp", "fma_add"}) {
    const auto beside = compute_kernels(setup->instructions, unit, dtype, variant);
    if (!beside.empty()) items.push_back(kernel_item(setup, beside.front(), OperatingPoint::burst, variant));
  }
}

/// The wanted rows first, then what else the tables have, then types asked for that no kernel has.
std::vector<Wanted> rows_of(const Instructions& instructions, const std::vector<DType>& asked) {
  std::vector<Wanted> rows(std::begin(wanted), std::end(wanted));
  for (const auto* table : instructions.tables) {
    for (std::size_t i = 0; i < table->compute_count; ++i) {
      const auto& kernel = table->compute[i];
      const auto dtype = parse_dtype(kernel.dtype);
      const bool known = !dtype || std::any_of(rows.begin(), rows.end(), [&](const Wanted& row) {
        return row.unit == kernel.unit && row.dtype == *dtype;
      });
      if (!known) rows.push_back({kernel.unit, *dtype});
    }
  }
  for (const DType dtype : asked) {
    if (std::none_of(rows.begin(), rows.end(), [&](const Wanted& row) { return row.dtype == dtype; })) {
      rows.push_back({"vector", dtype});
    }
  }
  return rows;
}

}  // namespace

std::optional<double> theory_at_clock(int threads, std::optional<double> per_core_and_cycle,
                                      std::optional<double> clock_hz) {
  if (!per_core_and_cycle || !clock_hz) return {};
  return threads * *per_core_and_cycle * *clock_hz;
}

std::vector<Item> compute_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto& [unit, dtype] : rows_of(setup->instructions, setup->request.dtypes)) {
    if (!is_wanted(setup->request, unit, dtype)) continue;
    add_ceiling(items, setup, unit, dtype);
    if (setup->full()) add_beside(items, setup, unit, dtype);
  }
  return items;
}

}  // namespace gable::openmp
