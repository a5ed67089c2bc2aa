#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/setup.hpp"
#include "core/device/datasheet.hpp"
#include "core/model/encoding.hpp"
#include "core/model/roofline.hpp"

namespace gable::openmp {
namespace {

/// Rows that every CPU gets, if only as `unsupported`.
struct Wanted {
  std::string_view unit;
  DType dtype;
};
constexpr Wanted wanted[] = {
    {"vector", DType::fp64},  {"vector", DType::fp32},  {"scalar", DType::fp64}, {"scalar", DType::fp32},
    {"vector", DType::fp16},  {"vector", DType::bf16},  {"vector", DType::int8}, {"matrix", DType::fp16},
    {"matrix", DType::bf16},  {"matrix", DType::int8},  {"exp", DType::fp64},    {"exp", DType::fp32},
    {"convert", DType::fp16}, {"convert", DType::bf16}, {"divide", DType::fp64}, {"divide", DType::fp32},
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

/// Includes the roofs that bound operators of the type: fp16 on a CPU that computes it in fp32 needs those of fp32.
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
    mark(row, Status::unsupported, why_missing(setup->instructions, unit, dtype));
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
    for (const auto& kernel : table->compute) {
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

namespace {

constexpr DType dtypes[] = {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::int8};

/// normal_values() as the type's bytes, over and over.
std::vector<std::byte> random_normal(DType dtype, std::size_t count, std::uint64_t seed) {
  auto bytes = encode(dtype, normal_values(dtype, std::min(count, normal_period), seed));
  const std::size_t drawn = bytes.size();
  bytes.resize(encoded_bytes(dtype, count));
  for (std::size_t at = drawn; at < bytes.size(); at += drawn) {
    std::memcpy(bytes.data() + at, bytes.data(), std::min(drawn, bytes.size() - at));
  }
  return bytes;
}

/// C = A B, n x n, by the vendor's library.
void measure_gemm(Setup& setup, Ceiling& row, const Types& types, std::int64_t n) {
  const auto elements = static_cast<std::size_t>(n * n);
  const auto a = random_normal(types.a, elements, 1), b = random_normal(types.b, elements, 2);
  std::vector<std::byte> c(elements * static_cast<std::size_t>(size_bytes(types.out)));
  const GemmCall call{n, n, n, n, n, n, types, a.data(), b.data(), c.data(), nullptr};
  TimedWork products([&](std::uint64_t calls) {
    return setup.pinned->timed_beside([&] {
      for (std::uint64_t i = 0; i < calls; ++i) setup.library->gemm(call);
    });
  });
  row.value = measure::measure(products, {2.0 * static_cast<double>(n) * static_cast<double>(elements), true},
                               setup.policies.library);
  row.working_set_bytes = static_cast<double>(a.size() + b.size() + c.size());
}

std::int64_t gemm_size(const Setup& setup) {
  if (!setup.full()) return 1024;
  return setup.threads() < 32 ? 2048 : 4096;
}

/// The unit the library works on: tiles where the CPU has them for the type.
Unit unit_of(const Setup& setup, DType dtype) {
  return compute_kernels(setup.instructions, "matrix", dtype).empty() ? Unit::vector : Unit::matrix;
}

Types gemm_types(DType dtype) {
  auto types = uniform_types(dtype);
  if (dtype == DType::int8) types.out = DType::int32;
  return types;
}

Item gemm_item(const SharedSetup& setup, DType dtype) {
  const Unit unit = unit_of(*setup, dtype);
  auto row = new_row(*setup, CeilingKind::compute, std::string(to_string(unit)), std::string(rate_unit(unit, dtype)));
  const auto types = gemm_types(dtype);
  row.dtype = dtype;
  row.accumulate = types.accumulate;
  row.at = OperatingPoint::library;
  row.data_pattern = "random_normal";
  auto* library = setup->library;
  try {
    row.reason = library == nullptr ? "no vendor library in this build" : library->refuses_gemm(types);
    if (!row.reason.empty()) row.status = Status::unsupported;
  } catch (const std::exception& failure) {
    row.status = Status::error;
    row.reason = failure.what();
  }
  if (row.status != Status::unsupported) row.implementation = library->name(types);
  const auto n = gemm_size(*setup);
  auto title = fmt::format("{} GEMM, {} x {} x {}, vendor library", to_string(dtype), n, n, n);
  return row_item(setup, std::move(row), std::move(title), setup->policies.library.time_limit_s,
                  [types, n](Setup& s, Ceiling& r) { measure_gemm(s, r, types, n); });
}

}  // namespace

std::vector<Item> library_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto dtype : dtypes) {
    const auto& asked = setup->request.dtypes;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), dtype) == asked.end()) continue;
    items.push_back(gemm_item(setup, dtype));
  }
  return items;
}

}  // namespace gable::openmp
