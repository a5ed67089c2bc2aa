#include "operators/common.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/device/device_info.hpp"
#include "core/error.hpp"

namespace gable::operators {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

/// Distance from 1 to the next number.
double epsilon(DType type) {
  switch (type) {
    case DType::fp64:
      return 0x1p-52;
    case DType::fp32:
      return 0x1p-23;
    case DType::tf32:
    case DType::fp16:
      return 0x1p-10;
    case DType::bf16:
      return 0x1p-7;
    case DType::int32:
    case DType::int8:
      return 0.0;
    default:
      throw Error("no rounding error known for " + std::string(to_string(type)));
  }
}

}  // namespace

std::vector<Types> floating_types() {
  return {uniform_types(DType::fp64), uniform_types(DType::fp32), uniform_types(DType::fp16),
          uniform_types(DType::bf16)};
}

std::vector<Types> wide_types() { return {uniform_types(DType::fp64), uniform_types(DType::fp32)}; }

std::vector<double> working_sets(const DeviceInfo& device) {
  double l2 = 0.25 * mebibyte;
  for (std::size_t i = 0; i + 1 < device.memory.size(); ++i) {
    if (device.memory[i].name == "L2") l2 = 0.6 * total_bytes(device.memory[i]);
  }
  return {l2, main_memory_set_bytes(device)};
}

void demand_int32(std::string_view op, std::string_view parameter, Index size, std::string_view kind) {
  if (size > std::numeric_limits<std::int32_t>::max())
    throw Error(fmt::format("{}: '{}' is beyond the 32-bit {}: 2^31 - 1 at most", op, parameter, kind));
}

Stage moving_stage(double elements_read, double elements_written, const Types& types) {
  Stage stage;
  stage.name = "run";
  stage.bytes_read = elements_read * size_bytes(types.a);
  stage.bytes_written = elements_written * size_bytes(types.out);
  stage.working_set = stage.bytes_read + stage.bytes_written;
  return stage;
}

Stage streaming_stage(double flops, double exps, double elements_read, double elements_written, const Types& types) {
  Stage stage = moving_stage(elements_read, elements_written, types);
  stage.work.push_back({Unit::vector, flops});
  if (exps > 0) stage.work.push_back({Unit::exp, exps});
  if (size_bytes(types.a) < 4) stage.work.push_back({Unit::convert, elements_read + elements_written});
  return stage;
}

Stage product_stage(double flops, double elements_read, double elements_written, const Types& types) {
  Stage stage = moving_stage(elements_read, elements_written, types);
  stage.work.push_back({Unit::multiply_add, flops});
  return stage;
}

double rounding_tolerance(const Types& types, double operations) {
  return epsilon(types.out) / 2 + 2 * operations * epsilon(types.accumulate);
}

}  // namespace gable::operators
