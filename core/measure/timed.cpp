#include "core/measure/timed.hpp"

#include <sys/resource.h>

namespace gable::measure {

double involuntary_switches() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<double>(usage.ru_nivcsw) : 0.0;
}

}  // namespace gable::measure
