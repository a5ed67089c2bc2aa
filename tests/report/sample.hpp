#pragma once

#include "core/result/result.hpp"

/// Results made up for tests of reports. Their devices are called synthetic, their figures are nobody's measurement.
namespace gable::test {

enum class Devices { cpu, gpu, both };

/// `points` operators per device, spread over the intensities from 0.1 to 1000 flop/byte, placed under the roofs.
Result sample_result(Devices devices, int points);

/// One row of the sample's kind: a compute roof in flop/s (op/s for integers), its interval ±1 %.
Ceiling sample_compute(const std::string& device, Unit unit, DType dtype, OperatingPoint at, double value);
Ceiling sample_bandwidth(const std::string& device, const std::string& level, Access access, Stores stores,
                         double value);

}  // namespace gable::test
