#include "backends/gpu/ceilings/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "backends/gpu/ceilings/compute_kernel.hpp"
#include "backends/gpu/ceilings/measure_row.hpp"
#include "backends/gpu/rates.hpp"
#include "core/device/datasheet.hpp"

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
  if (!kernel.reason.empty()) {
    row.status = Status::unsupported;
    row.reason = kernel.reason;
  } else if (!kernel.beside) {
    add_datasheet(setup.device, row);
  }
  return row;
}

void measure_compute(const Setup& setup, Ceiling& row, const ComputeKernel& kernel, const measure::Policy& policy) {
  const auto benchmark = setup.measurements->compute(kernel);
  measure_row(setup, row, *benchmark, policy);
  if (!row.conditions.clock_hz) return;
  const auto known = rate(setup.facts, kernel.unit, kernel.storage, kernel.accumulate);
  if (known && !kernel.beside) row.theory_at_clock = theory(setup.facts, *known, *row.conditions.clock_hz);
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

}  // namespace gable::gpu
