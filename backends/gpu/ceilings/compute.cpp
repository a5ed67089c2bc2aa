#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "backends/gpu/ceilings/ceilings.hpp"
#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/rates.hpp"
#include "backends/gpu/setup.hpp"
#include "core/device/datasheet.hpp"
#include "core/row_item.hpp"

namespace gable::gpu {
namespace {

bool is_wanted(const Request& request, DType dtype) {
  return request.dtypes.empty() || std::ranges::find(request.dtypes, dtype) != request.dtypes.end();
}

bool has_sustained_row(const Setup& setup, const ComputeKernel& kernel) {
  if (kernel.beside || (kernel.unit != Unit::vector && kernel.unit != Unit::matrix)) return false;
  if (setup.full() || kernel.storage == DType::fp64) return true;
  if (kernel.unit == Unit::vector) return kernel.storage == DType::fp32;
  return kernel.storage == DType::bf16 || kernel.storage == DType::fp8_e4m3 || kernel.storage == DType::fp8_e4m3fnuz;
}

const char* pattern(const ComputeKernel& kernel) {
  if (kernel.unit == Unit::matrix) return "random_normal";
  return is_integer(kernel.storage) ? "random_integer" : "random_uniform";
}

Ceiling compute_row(const Setup& setup, const ComputeKernel& kernel, OperatingPoint at) {
  auto row = new_row(setup, CeilingKind::compute, std::string(to_string(kernel.unit)),
                     std::string(rate_unit(kernel.unit, kernel.storage)));
  row.dtype = kernel.storage;
  row.accumulate = kernel.accumulate;
  row.at = at;
  row.implementation = kernel.instruction;
  row.data_pattern = pattern(kernel);
  if (kernel.beside) row.variant = fmt::format("isa:{}", kernel.instruction);
  if (!kernel.reason.empty())
    mark(row, Status::unsupported, std::string(kernel.reason));
  else if (!kernel.beside)
    add_datasheet(setup.device, row);
  return row;
}

void measure_compute(const Setup& setup, Ceiling& row, const ComputeKernel& kernel, const measure::Policy& policy) {
  const auto benchmark = setup.measurements->compute(kernel);
  measure_row(setup, row, *benchmark, policy);
  if (!row.conditions.clock_hz) return;
  const auto known = rate(setup.facts, kernel.unit, kernel.storage, kernel.accumulate);
  if (known && !kernel.beside) row.theory_at_clock = datasheet_rate(setup.facts, *known, *row.conditions.clock_hz);
}

Item kernel_item(const SharedSetup& setup, const ComputeKernel& kernel, OperatingPoint at) {
  const auto policy = at == OperatingPoint::sustained ? setup->policies.sustained : setup->policies.burst;
  auto row = compute_row(*setup, kernel, at);
  auto title = fmt::format("{} {} in {}, {}, {}", to_string(kernel.storage), row.name, to_string(kernel.accumulate),
                           to_string(at), kernel.reason.empty() ? kernel.instruction : "no kernel");
  return row_item(
      setup, std::move(row), std::move(title), measure::expected_seconds(policy, beside_batch_s),
      [kernel, policy](const Setup& s, Ceiling& measured) { measure_compute(s, measured, kernel, policy); });
}

}  // namespace

std::vector<Item> compute_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto& kernel : setup->measurements->kernels()) {
    if (!is_wanted(setup->request, kernel.storage) || (kernel.beside && !setup->full())) continue;
    items.push_back(kernel_item(setup, kernel, OperatingPoint::burst));
    if (kernel.reason.empty() && has_sustained_row(*setup, kernel)) {
      items.push_back(kernel_item(setup, kernel, OperatingPoint::sustained));
    }
  }
  return items;
}

namespace {

constexpr std::int64_t largest_n = 8192;
constexpr std::int64_t least_n = 256;
constexpr std::int64_t others[] = {4096, 1024, 4097};

struct Multiplied {
  DType storage, accumulate;
};
using enum DType;
constexpr Multiplied wanted[] = {{fp64, fp64}, {fp32, fp32},     {tf32, fp32},     {fp16, fp32}, {fp16, fp16},
                                 {bf16, fp32}, {fp8_e4m3, fp32}, {fp8_e5m2, fp32}, {int8, int32}};
/// Where the device's matrix units multiply them, in fp32. Elsewhere the rows of the native kernels say that they do
/// not.
constexpr DType narrow[] = {mxfp8_e4m3, mxfp8_e5m2, nvfp4, mxfp4, fp4_e2m1, fp6_e2m3, fp6_e3m2, mxfp6_e2m3, mxfp6_e3m2};

/// The kind of fp8 that the device's matrix units multiply.
DType kind_of(const Setup& setup, DType storage) {
  const bool fnuz = rate(setup.facts, Unit::matrix, fp8_e4m3fnuz, fp32).has_value();
  if (fnuz && storage == fp8_e4m3) return fp8_e4m3fnuz;
  if (fnuz && storage == fp8_e5m2) return fp8_e5m2fnuz;
  return storage;
}

/// A, B and C; the result of 1-byte factors is wider than they are (fp8: bf16, int8: int32).
double bytes_of(std::int64_t n, DType storage) {
  const double result = storage == int8 ? size_bytes(int32) : std::max(size_bytes(bf16), size_bytes(storage));
  const auto size = static_cast<double>(n);
  return size * size * (2.0 * size_bytes(storage) + result);
}

std::int64_t ceiling_size(const Setup& setup, DType storage) {
  std::int64_t n = largest_n;
  while (n > least_n && bytes_of(n, storage) > setup.budget_bytes) n /= 2;
  return n;
}

/// The unit the library works on: its fp64 and fp32 are on the vector units where there is no matrix unit for them.
Unit unit_of(const Setup& setup, const Multiplied& types) {
  const bool either = types.storage == fp64 || types.storage == fp32;
  return either && !rate(setup.facts, Unit::matrix, types.storage, types.accumulate) ? Unit::vector : Unit::matrix;
}

void measure_gemm(const Setup& setup, Ceiling& row, const GemmSpec& spec) {
  const auto gemm = setup.measurements->library_gemm(spec);
  if (!gemm.reason.empty()) return mark(row, Status::unsupported, gemm.reason);
  row.algorithm = gemm.algorithm;
  measure_row(setup, row, *gemm.benchmark, setup.policies.library);
}

Item gemm_item(const SharedSetup& setup, const Multiplied& types, std::int64_t n, std::string variant) {
  const Unit unit = unit_of(*setup, types);
  auto row =
      new_row(*setup, CeilingKind::compute, std::string(to_string(unit)), std::string(rate_unit(unit, types.storage)));
  row.dtype = types.storage;
  row.accumulate = types.accumulate;
  row.at = OperatingPoint::library;
  row.implementation = setup->measurements->library_name(types.storage);
  row.variant = std::move(variant);
  row.data_pattern = "random_normal";
  row.working_set_bytes = bytes_of(n, types.storage);
  if (row.variant.empty()) add_datasheet(setup->device, row);
  if (bytes_of(n, types.storage) > setup->budget_bytes)
    mark(row, Status::skipped, "the matrices do not fit into a quarter of the free memory");
  auto title =
      fmt::format("{} GEMM in {}, n = {}, vendor's library", to_string(types.storage), to_string(types.accumulate), n);
  const GemmSpec spec{types.storage, types.accumulate, n};
  return row_item(setup, std::move(row), std::move(title),
                  measure::expected_seconds(setup->policies.library, beside_batch_s),
                  [spec](const Setup& s, Ceiling& measured) { measure_gemm(s, measured, spec); });
}

}  // namespace

std::vector<Item> library_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (auto types : wanted) {
    types.storage = kind_of(*setup, types.storage);
    if (!is_wanted(setup->request, types.storage)) continue;
    const auto n = ceiling_size(*setup, types.storage);
    items.push_back(gemm_item(setup, types, n, ""));
    if (!setup->full()) continue;
    for (const auto other : others) {
      if (other != n) items.push_back(gemm_item(setup, types, other, fmt::format("n={}", other)));
    }
  }
  for (const auto storage : narrow) {
    if (!is_wanted(setup->request, storage) || !rate(setup->facts, Unit::matrix, storage, fp32)) continue;
    items.push_back(gemm_item(setup, {storage, fp32}, ceiling_size(*setup, storage), ""));
  }
  return items;
}

}  // namespace gable::gpu
