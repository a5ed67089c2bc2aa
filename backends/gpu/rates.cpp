#include "backends/gpu/rates.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace gable::gpu {
namespace {

struct Entry {
  int capability;  ///< 10 x major + minor
  Unit unit;
  DType storage, accumulate;
  double per_cycle;
  bool half_on_geforce{};  ///< GeForce products sum products of matrices in fp32 at half of the chip's rate
};

constexpr std::string_view guide = "CUDA C++ Programming Guide, arithmetic throughput by compute capability";
constexpr std::string_view derived = "the vendor's dense peak / (multiprocessors x boost clock)";

using enum DType;
constexpr Entry entries[] = {
    {80, Unit::vector, fp64, fp64, 64},
    {80, Unit::vector, fp32, fp32, 128},
    {80, Unit::vector, fp16, fp16, 512},
    {80, Unit::vector, bf16, bf16, 256},
    {80, Unit::vector, int32, int32, 128},
    {80, Unit::vector, int8, int32, 512},
    {80, Unit::exp, fp32, fp32, 16},
    {80, Unit::matrix, fp64, fp64, 128},
    {80, Unit::matrix, tf32, fp32, 1024},
    {80, Unit::matrix, fp16, fp32, 2048},
    {80, Unit::matrix, fp16, fp16, 2048},
    {80, Unit::matrix, bf16, fp32, 2048},
    {80, Unit::matrix, int8, int32, 4096},
    {80, Unit::matrix, int4, int32, 8192},

    {86, Unit::vector, fp64, fp64, 4},
    {86, Unit::vector, fp32, fp32, 256},
    {86, Unit::vector, fp16, fp16, 256},
    {86, Unit::vector, bf16, bf16, 256},
    {86, Unit::vector, int32, int32, 128},
    {86, Unit::vector, int8, int32, 512},
    {86, Unit::exp, fp32, fp32, 16},
    {86, Unit::matrix, tf32, fp32, 512, true},
    {86, Unit::matrix, fp16, fp32, 1024, true},
    {86, Unit::matrix, fp16, fp16, 1024},
    {86, Unit::matrix, bf16, fp32, 1024, true},
    {86, Unit::matrix, int8, int32, 2048},
    {86, Unit::matrix, int4, int32, 4096},

    {89, Unit::vector, fp64, fp64, 4},
    {89, Unit::vector, fp32, fp32, 256},
    {89, Unit::vector, fp16, fp16, 256},
    {89, Unit::vector, bf16, bf16, 256},
    {89, Unit::vector, int32, int32, 128},
    {89, Unit::vector, int8, int32, 512},
    {89, Unit::exp, fp32, fp32, 16},
    {89, Unit::matrix, tf32, fp32, 512, true},
    {89, Unit::matrix, fp16, fp32, 1024, true},
    {89, Unit::matrix, fp16, fp16, 1024},
    {89, Unit::matrix, bf16, fp32, 1024, true},
    {89, Unit::matrix, fp8_e4m3, fp32, 2048, true},
    {89, Unit::matrix, fp8_e5m2, fp32, 2048, true},
    {89, Unit::matrix, int8, int32, 2048},

    {90, Unit::vector, fp64, fp64, 128},
    {90, Unit::vector, fp32, fp32, 256},
    {90, Unit::vector, fp16, fp16, 512},
    {90, Unit::vector, bf16, bf16, 512},
    {90, Unit::vector, int32, int32, 128},
    {90, Unit::vector, int8, int32, 512},
    {90, Unit::exp, fp32, fp32, 16},
    {90, Unit::matrix, fp64, fp64, 256},
    {90, Unit::matrix, tf32, fp32, 2048},
    {90, Unit::matrix, fp16, fp32, 4096},
    {90, Unit::matrix, fp16, fp16, 4096},
    {90, Unit::matrix, bf16, fp32, 4096},
    {90, Unit::matrix, fp8_e4m3, fp32, 8192},
    {90, Unit::matrix, fp8_e5m2, fp32, 8192},
    {90, Unit::matrix, int8, int32, 8192},

    {100, Unit::vector, fp64, fp64, 128},
    {100, Unit::vector, fp32, fp32, 256},
    {100, Unit::vector, fp16, fp16, 512},
    {100, Unit::vector, bf16, bf16, 512},
    {100, Unit::vector, int32, int32, 128},
    {100, Unit::vector, int8, int32, 512},
    {100, Unit::exp, fp32, fp32, 16},
    {100, Unit::matrix, fp64, fp64, 128},
    {100, Unit::matrix, tf32, fp32, 4096},
    {100, Unit::matrix, fp16, fp32, 8192},
    {100, Unit::matrix, bf16, fp32, 8192},
    {100, Unit::matrix, fp8_e4m3, fp32, 16384},
    {100, Unit::matrix, fp8_e5m2, fp32, 16384},
    {100, Unit::matrix, int8, int32, 16384},
};

}  // namespace

std::optional<Rate> rate(const DeviceFacts& device, Unit unit, DType storage, DType accumulate) {
  const int capability = 10 * device.major + device.minor;
  const auto found = std::find_if(std::begin(entries), std::end(entries), [&](const Entry& entry) {
    return entry.capability == capability && entry.unit == unit && entry.storage == storage &&
           entry.accumulate == accumulate;
  });
  if (found == std::end(entries)) return {};
  const bool halved = found->half_on_geforce && device.name.find("GeForce") != std::string::npos;
  return Rate{found->per_cycle / (halved ? 2.0 : 1.0), unit == Unit::matrix ? derived : guide};
}

double theory(const DeviceFacts& device, const Rate& rate, double clock_hz) {
  return device.multiprocessors * rate.per_cycle * clock_hz;
}

}  // namespace gable::gpu
