#include "backends/openmp/ceilings/overhead.hpp"

#include <omp.h>

#include <cstdint>

#include "backends/openmp/ceilings/row.hpp"

namespace gable::openmp {
namespace {

class EmptyRegions final : public measure::Benchmark {
 public:
  explicit EmptyRegions(Team& team) : team_(team) {}

  measure::Sample run(std::uint64_t regions) override {
    const auto threads = team_.size();
    const auto all = [regions, threads] {
      for (std::uint64_t i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(threads)
        {
          // Keeps the region: it may have an effect the compiler does not see.
          asm volatile("" : : : "memory");
        }
      }
    };
    return team_.timed_beside(all);
  }

 private:
  Team& team_;
};

}  // namespace

Item parallel_region_overhead(const SharedSetup& setup) {
  auto row = new_row(*setup, CeilingKind::overhead, "openmp_parallel_region", "s");
  row.implementation = "openmp";
  return row_item(setup, std::move(row), "OpenMP parallel region", expected_seconds(setup->policies.overhead),
                  [](Setup& s, Ceiling& r) {
                    s.team->pin();
                    EmptyRegions regions(*s.team);
                    r.value = measure::measure(regions, {1.0, false}, s.policies.overhead);
                  });
}

}  // namespace gable::openmp
