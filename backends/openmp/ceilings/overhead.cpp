#include "backends/openmp/ceilings/overhead.hpp"

#include <omp.h>

#include <cstdint>
#include <vector>

#include "backends/openmp/ceilings/row.hpp"
#include "core/measure/timed.hpp"

namespace gable::openmp {
namespace {

class EmptyRegions final : public measure::Benchmark {
 public:
  explicit EmptyRegions(const std::vector<int>& cpus) : cpus_(cpus) {}

  measure::Sample run(std::uint64_t regions) override {
    const auto threads = static_cast<int>(cpus_.size());
    const auto all = [regions, threads] {
      for (std::uint64_t i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(threads)
        {
          // Keeps the region: it may have an effect the compiler does not see.
          asm volatile("" : : : "memory");
        }
      }
    };
    return measure::timed(all, cpus_);
  }

 private:
  std::vector<int> cpus_;
};

}  // namespace

Item parallel_region_overhead(const SharedSetup& setup) {
  auto row = new_row(*setup, CeilingKind::overhead, "openmp_parallel_region", "s");
  row.implementation = "openmp";
  return row_item(setup, std::move(row), "OpenMP parallel region", expected_seconds(setup->policies.overhead),
                  [](Setup& s, Ceiling& r) {
                    s.team->pin();
                    EmptyRegions regions(s.cpus);
                    r.value = measure::measure(regions, {1.0, false}, s.policies.overhead);
                  });
}

}  // namespace gable::openmp
