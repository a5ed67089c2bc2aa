#pragma once
#include <string>
#include <vector>

#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

/// Work of the operators of the cases with known answers, written out as stages; s is bytes per element.
namespace gable::test {

inline Stage stage(Unit unit, double operations, double read, double written) {
  return {.name = "stage",
          .work = {{unit, operations}},
          .bytes_read = read,
          .bytes_written = written,
          .working_set = read + written,
          .launches = 1,
          .inner = {}};
}

inline std::vector<Stage> gemm(double m, double n, double k, double s) {
  return {stage(Unit::matrix, 2 * m * n * k, s * (m * k + k * n), s * m * n)};
}

/// QK^T writes S; softmax (5 flop an element) reads S, writes P; PV reads P and V.
inline std::vector<Stage> naive_attention(double length, double width, double s) {
  const double square = length * length * s;
  const double strip = length * width * s;
  return {stage(Unit::matrix, 2 * length * length * width, 2 * strip, square),
          stage(Unit::exp, length * length, square, square),
          stage(Unit::matrix, 2 * length * length * width, square + strip, strip)};
}

inline std::vector<Stage> fused_attention(double length, double width, double s) {
  return {stage(Unit::matrix, 4 * length * length * width, 3 * length * width * s, length * width * s)};
}

inline ComputeRoof compute_roof(Unit unit, DType dtype, DType accumulate, double rate,
                                OperatingPoint at = OperatingPoint::none) {
  return {.unit = unit,
          .dtype = dtype,
          .accumulate = accumulate,
          .at = at,
          .flop_per_s = rate,
          .low = rate,
          .high = rate,
          .label = std::string(to_string(unit)) + " " + std::string(to_string(dtype))};
}

inline BandwidthRoof bandwidth_roof(const std::string& level, double rate, Access access = Access::none,
                                    Stores stores = Stores::none) {
  const std::string mix = access == Access::none ? "" : " " + std::string(to_string(access));
  return {.level = level,
          .access = access,
          .stores = stores,
          .byte_per_s = rate,
          .low = rate,
          .high = rate,
          .label = level + mix,
          .link = false};
}

/// Matrix work in one type throughout.
inline Types matrix_types(DType dtype, DType accumulate = DType::fp32) {
  return {dtype, dtype, dtype, accumulate, dtype};
}

/// A device of one compute roof and one memory.
inline Roofline simple(Unit unit, const Types& types, double flop_per_s, double byte_per_s) {
  Roofline roofline;
  roofline.add(compute_roof(unit, types.compute, types.accumulate, flop_per_s));
  roofline.add(bandwidth_roof("DRAM", byte_per_s));
  roofline.set_levels({{"DRAM", 0}});
  return roofline;
}

}  // namespace gable::test
