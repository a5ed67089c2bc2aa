#include "backends/openmp/ceilings/overhead.hpp"

#include <omp.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>

#include "backends/openmp/ceilings/row.hpp"

namespace gable::openmp {
namespace {

class EmptyRegions final : public measure::Benchmark {
 public:
  explicit EmptyRegions(int threads) : threads_(threads) {}

  measure::Sample run(std::uint64_t regions) override {
    measure::Sample sample;
    const double switches = involuntary_switches();
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < regions; ++i) {
#pragma omp parallel num_threads(threads_)
      {
        // Keeps the region: it may have an effect the compiler does not see.
        asm volatile("" : : : "memory");
      }
    }
    sample.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    sample.involuntary_switches = involuntary_switches() - switches;
    return sample;
  }

 private:
  /// Of the whole process: all its threads take part.
  static double involuntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_nivcsw);
  }
  int threads_;
};

}  // namespace

Item parallel_region_overhead(const SharedSetup& setup) {
  auto row = new_row(*setup, CeilingKind::overhead, "openmp_parallel_region", "s");
  row.implementation = "openmp";
  return row_item(setup, std::move(row), "OpenMP parallel region", expected_seconds(setup->policies.overhead),
                  [](Setup& s, Ceiling& r) {
                    s.team->pin();
                    EmptyRegions regions(s.threads());
                    r.value = measure::measure(regions, {1.0, false}, s.policies.overhead);
                  });
}

}  // namespace gable::openmp
