#include "core/questions/interchange/format.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/error.hpp"
#include "core/model/figure_limits.hpp"

namespace gable::interchange {

std::span<const Format> formats() {
  static const std::array all{
      ncu,        rocprofv3,         rocprofv3_json,   rocprof_compute,    rocprofv2, rocprof,  rocprof_text,
      rocpd,      rocprof_database,  rocprof_roofline, rocprof_no_kernels, likwid,    advisor,  ert,
      carm_roofs, carm_applications, clpeak,           babelstream,        caliper,   perf_stat};
  return all;
}

std::string Target::main_memory() const { return device.memory.empty() ? "DRAM" : device.memory.back().name; }

Ceiling ceiling_of(CeilingKind kind, std::string name, double value, std::string source) {
  Ceiling row;
  row.kind = kind;
  row.name = std::move(name);
  row.unit = kind == CeilingKind::compute ? "flop/s" : kind == CeilingKind::bandwidth ? "byte/s" : "s";
  row.value.value = row.value.median = value;
  row.value.samples = {value};
  row.value.blocks = row.value.used_blocks = 1;
  row.imported.emplace();
  row.imported->counters = {source};
  if (!(value > 0)) {
    row.status = Status::unsupported;
    row.reason = fmt::format("{} is {:g} in the file: the tool could not measure it", source, value);
  } else if (const std::string why = why_impossible(value, limits_of_unit(row.unit)); !why.empty()) {
    throw Error(fmt::format("{}: {}", source, why));
  }
  return row;
}

Ceiling compute_ceiling(Unit unit, DType dtype, std::optional<DType> accumulate, double value, std::string source) {
  Ceiling row = ceiling_of(CeilingKind::compute, std::string(to_string(unit)), value, std::move(source));
  row.dtype = dtype;
  row.accumulate = accumulate;
  row.unit = rate_unit(unit, dtype);
  return row;
}

void add_operations(KernelWork& work, DType dtype, Unit unit, double operations, std::optional<DType> accumulate) {
  if (!(operations > 0)) return;
  for (TypedWork& known : work.operations) {
    if (known.dtype != dtype || known.unit != unit || known.accumulate != accumulate) continue;
    known.operations += operations;
    return;
  }
  work.operations.push_back({dtype, accumulate, unit, operations});
}

void add_untyped_operations(KernelWork& work, const Target& target, double operations) {
  if (target.dtype)
    add_operations(work, *target.dtype, Unit::vector, operations);
  else if (operations > 0)
    work.unknown.push_back(fmt::format("the type of {:.4g} operations (--dtype states it)", operations));
}

}  // namespace gable::interchange
