#include "benchmarks/native_roofs.hpp"

#include <utility>

#include "backends/kokkos/runtime.hpp"
#include "backends/openmp/ceilings/benchmarks.hpp"

namespace gable::bench {

NativeRoofs::NativeRoofs(openmp::SharedSetup setup) : setup_(std::move(setup)) {}

NativeRoof* NativeRoofs::find(const Ceiling& row) {
  auto found = made_.find(row.id);
  if (found == made_.end()) found = made_.emplace(row.id, make(row)).first;
  return found->second.member ? &found->second : nullptr;
}

NativeRoof NativeRoofs::make(const Ceiling& row) {
  if (row.kind == CeilingKind::compute) return make_compute(row);
  if (row.kind == CeilingKind::bandwidth) return make_stream(row);
  return {std::make_unique<Member>(kokkos::launch_overhead(true)), 0};
}

NativeRoof NativeRoofs::make_compute(const Ceiling& row) {
  for (const auto& choice : openmp::compute_kernels(setup_->instructions, row.name, row.dtype.value())) {
    if (row.accumulate && parse_dtype(choice.kernel->accumulate) != row.accumulate) continue;
    auto benchmark = std::make_unique<openmp::ComputeBenchmark>(*setup_, choice);
    const double operations = benchmark->operations();
    return {std::make_unique<Member>(std::move(benchmark)), operations};
  }
  return {};
}

NativeRoof NativeRoofs::make_stream(const Ceiling& row) {
  const auto choice = openmp::stream_kernel(setup_->instructions, row.access, row.stores);
  if (choice.kernel == nullptr) return {};
  for (const auto& set : setup_->sets()) {
    if (set.level != row.name || !set.reason.empty()) continue;
    auto benchmark = std::make_unique<openmp::StreamBenchmark>(*setup_, choice, set.bytes);
    const double moved = benchmark->bytes_per_pass();
    return {std::make_unique<Member>(std::move(benchmark)), moved};
  }
  return {};
}

}  // namespace gable::bench
