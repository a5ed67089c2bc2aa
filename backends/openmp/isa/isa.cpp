#include "backends/openmp/isa/isa.hpp"

namespace gable::isa {

const std::vector<Candidate>& all_tables() {
  static const std::vector<Candidate> tables = probe_tables();
  return tables;
}

std::uint64_t dependent_additions(std::uint64_t hundreds) {
  std::uint64_t sum = 0;
  const std::uint64_t one = 1;
  for (; hundreds != 0; --hundreds) {
    // Written out, so that it is the same in a build without optimisation.
#if defined(__x86_64__)
    asm volatile(".rept 100\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
#elif defined(__aarch64__)
    asm volatile(".rept 100\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(one));
#else
    for (int i = 0; i < 100; ++i) {
      sum += one;
      asm volatile("" : "+r"(sum));
    }
#endif
  }
  return sum;
}

}  // namespace gable::isa
