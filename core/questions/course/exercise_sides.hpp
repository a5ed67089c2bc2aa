#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/questions/course/exercise.hpp"

/// What the parts of exercises() share.
namespace gable::questions {

/// Main memory and the highest roof of a type: all that the simplest roofline needs.
struct Sides {
  double peak{}, bandwidth{};  ///< flop/s, byte/s
  std::string label;           ///< of the peak
  double ridge() const { return peak / bandwidth; }
  double most(double intensity) const;            ///< flop/s
  double time(double flops, double bytes) const;  ///< s
  std::string words() const;
  /// "the highest fp32 roof 1 TFLOP/s, main memory 100 GB/s".
  std::string figures(DType dtype) const;
};

/// Nothing of integers, and where one of the two is not known.
std::optional<Sides> sides_of(const ExerciseDevice& device, DType dtype);

inline constexpr const char* times_as_fast = "times as fast";

/// The device that a row belongs to, at the scope that is asked about; null where there is none.
template <class Row>
const ExerciseDevice* device_of(std::span<const ExerciseDevice> devices, const Row& row) {
  for (const ExerciseDevice& device : devices) {
    if (device.scope && device.id == row.device && *device.scope == row.scope) return &device;
  }
  return nullptr;
}

/// What vectors, fused multiply-add, cores and stores past the caches give, one by one.
void add_ablations(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices);

/// The first operator that ran in several kernels and as one.
void add_fusion(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices,
                Operators operators);

}  // namespace gable::questions
