#include "backends/gpu/rates.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>

namespace gable::gpu {
namespace {

/// What one multiprocessor does in a cycle on each architecture of a vendor; 0 where it cannot, or no source of the row
/// says how much. flop (op for integers, exponentials and divisions), an FMA counts 2.
struct RateRow {
  Unit unit{};
  DType storage{}, accumulate{};
  std::array<double, 5> per_cycle;
  std::string_view source;
};

constexpr std::string_view derived_rate = "the vendor's dense peak / (multiprocessors x boost clock)";
constexpr std::string_view guide = "CUDA C++ Programming Guide, arithmetic throughput by compute capability";
constexpr std::string_view kinds =
    "NVIDIA CUTLASS, Blackwell SM100 GEMMs: throughput of each kind of tcgen05.mma, beside Hopper's fp8";

using enum DType;
constexpr std::string_view nvidia_isas[] = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100"};
constexpr RateRow nvidia_rates[] = {
    {Unit::vector, fp64, fp64, {64, 4, 4, 128, 128}, guide},
    {Unit::vector, fp32, fp32, {128, 256, 256, 256, 256}, guide},
    {Unit::vector, fp16, fp16, {512, 256, 256, 512, 512}, guide},
    {Unit::vector, bf16, bf16, {256, 256, 256, 512, 512}, guide},
    {Unit::vector, int32, int32, {128, 128, 128, 128, 128}, guide},
    {Unit::vector, int8, int32, {512, 512, 512, 512, 512}, guide},
    {Unit::exp, fp32, fp32, {16, 16, 16, 16, 16}, guide},
    {Unit::divide, fp32, fp32, {16, 16, 16, 16, 16}, guide},
    {Unit::matrix, fp64, fp64, {128, 0, 0, 256, 128}, derived_rate},
    {Unit::matrix, tf32, fp32, {1024, 512, 512, 2048, 4096}, derived_rate},
    {Unit::matrix, fp16, fp32, {2048, 1024, 1024, 4096, 8192}, derived_rate},
    {Unit::matrix, fp16, fp16, {2048, 1024, 1024, 4096, 0}, derived_rate},
    {Unit::matrix, bf16, fp32, {2048, 1024, 1024, 4096, 8192}, derived_rate},
    {Unit::matrix, fp8_e4m3, fp32, {0, 0, 2048, 8192, 16384}, derived_rate},
    {Unit::matrix, fp8_e5m2, fp32, {0, 0, 2048, 8192, 16384}, derived_rate},
    {Unit::matrix, int8, int32, {4096, 2048, 2048, 8192, 16384}, derived_rate},
    {Unit::matrix, int4, int32, {8192, 4096, 0, 0, 0}, derived_rate},
    {Unit::matrix, fp6_e2m3, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, fp6_e3m2, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, fp4_e2m1, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, mxfp8_e4m3, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, mxfp8_e5m2, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, mxfp6_e2m3, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, mxfp6_e3m2, fp32, {0, 0, 0, 0, 16384}, kinds},
    {Unit::matrix, mxfp4, fp32, {0, 0, 0, 0, 32768}, kinds},
    {Unit::matrix, nvfp4, fp32, {0, 0, 0, 0, 32768}, kinds},
};

/// GeForce products sum products of matrices in fp32 at half of the chip's rate.
bool is_halved(const DeviceFacts& device, Unit unit, DType accumulate) {
  return (device.isa == "sm_86" || device.isa == "sm_89") && unit == Unit::matrix && accumulate == fp32 &&
         device.name.find("GeForce") != std::string::npos;
}

constexpr std::string_view lanes = "64 lanes x 8 op of v_dot4 a cycle (AMD ISA guides)";
constexpr std::string_view quarter = "a quarter of 64 lanes a cycle (LLVM's machine models of the chips)";
constexpr std::string_view twice_a_quarter = "AMD CDNA4 white paper: twice the transcendental rate of CDNA3";
constexpr std::string_view either_way =
    "AMD MI355X product brief, dense peak of the format; one instruction with or without scales (CDNA4 ISA)";
constexpr std::string_view wmma = "GPUOpen, WMMA on RDNA 3: FLOPS a clock and compute unit";

/// fp32 of vector units: packed instructions from gfx90a on, two fused ones at once on gfx1100; fp16: packed (gfx1100:
/// and two at once). bf16 has no vector arithmetic in any of them.
constexpr std::string_view amd_isas[] = {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100"};
constexpr RateRow amd_rates[] = {
    {Unit::vector, fp64, fp64, {64, 128, 128, 128, 8}, derived_rate},
    {Unit::vector, fp32, fp32, {128, 256, 256, 256, 256}, derived_rate},
    {Unit::vector, fp16, fp16, {256, 256, 256, 256, 512}, derived_rate},
    {Unit::vector, int8, int32, {512, 512, 512, 512, 512}, lanes},
    {Unit::exp, fp32, fp32, {16, 16, 16, 0, 16}, quarter},
    {Unit::exp, fp32, fp32, {0, 0, 0, 32, 0}, twice_a_quarter},
    {Unit::divide, fp32, fp32, {16, 16, 16, 0, 16}, quarter},
    {Unit::divide, fp32, fp32, {0, 0, 0, 32, 0}, twice_a_quarter},
    {Unit::matrix, fp64, fp64, {0, 256, 256, 128, 0}, derived_rate},
    {Unit::matrix, fp32, fp32, {256, 256, 256, 256, 0}, derived_rate},
    {Unit::matrix, tf32, fp32, {0, 0, 1024, 0, 0}, derived_rate},
    {Unit::matrix, fp16, fp32, {1024, 1024, 2048, 4096, 0}, derived_rate},
    {Unit::matrix, bf16, fp32, {512, 1024, 2048, 4096, 0}, derived_rate},
    {Unit::matrix, fp8_e4m3fnuz, fp32, {0, 0, 4096, 0, 0}, derived_rate},
    {Unit::matrix, fp8_e5m2fnuz, fp32, {0, 0, 4096, 0, 0}, derived_rate},
    {Unit::matrix, fp8_e4m3, fp32, {0, 0, 0, 8192, 0}, derived_rate},
    {Unit::matrix, fp8_e5m2, fp32, {0, 0, 0, 8192, 0}, derived_rate},
    {Unit::matrix, int8, int32, {1024, 1024, 4096, 8192, 0}, derived_rate},
    {Unit::matrix, int4, int32, {1024, 1024, 0, 0, 0}, derived_rate},
    {Unit::matrix, fp6_e2m3, fp32, {0, 0, 0, 16384, 0}, either_way},
    {Unit::matrix, fp6_e3m2, fp32, {0, 0, 0, 16384, 0}, either_way},
    {Unit::matrix, fp4_e2m1, fp32, {0, 0, 0, 16384, 0}, either_way},
    {Unit::matrix, mxfp8_e4m3, fp32, {0, 0, 0, 8192, 0}, either_way},
    {Unit::matrix, mxfp8_e5m2, fp32, {0, 0, 0, 8192, 0}, either_way},
    {Unit::matrix, mxfp6_e2m3, fp32, {0, 0, 0, 16384, 0}, derived_rate},
    {Unit::matrix, mxfp6_e3m2, fp32, {0, 0, 0, 16384, 0}, derived_rate},
    {Unit::matrix, mxfp4, fp32, {0, 0, 0, 16384, 0}, derived_rate},
    {Unit::matrix, fp16, fp32, {0, 0, 0, 0, 512}, wmma},
    {Unit::matrix, fp16, fp16, {0, 0, 0, 0, 512}, wmma},
    {Unit::matrix, bf16, fp32, {0, 0, 0, 0, 512}, wmma},
    {Unit::matrix, bf16, bf16, {0, 0, 0, 0, 512}, wmma},
    {Unit::matrix, int8, int32, {0, 0, 0, 0, 512}, wmma},
    {Unit::matrix, int4, int32, {0, 0, 0, 0, 1024}, wmma},
};

}  // namespace

std::optional<Rate> rate(const DeviceFacts& device, Unit unit, DType storage, DType accumulate) {
  const bool of_amd = device.isa.starts_with("gfx");
  const std::span<const RateRow> rows = of_amd ? std::span<const RateRow>(amd_rates) : nvidia_rates;
  const std::span isas(of_amd ? amd_isas : nvidia_isas);
  const auto column = static_cast<std::size_t>(std::ranges::find(isas, device.isa) - isas.begin());
  if (column == isas.size()) return {};
  for (const RateRow& row : rows) {
    const double per_cycle = row.per_cycle[column] / (is_halved(device, unit, accumulate) ? 2 : 1);
    if (row.unit == unit && row.storage == storage && row.accumulate == accumulate && per_cycle > 0)
      return Rate{per_cycle, row.source};
  }
  return {};
}

double datasheet_rate(const DeviceFacts& device, const Rate& rate, double clock_hz) {
  return device.multiprocessors * rate.per_cycle * clock_hz;
}

namespace {

constexpr std::string_view banks = "32 banks x 4 byte a cycle";
constexpr std::string_view profiler = "ROCm Compute Profiler, peaks of its speed-of-light panels";

struct Entry {
  std::string_view isa;
  std::optional<NearRate> shared, l1;
};

/// gfx950: the profiler gives the LDS 128 bytes a cycle, announcements of the chip twice the reads of CDNA3. L1 of
/// gfx942 and gfx950: the profiler has 128 bytes a cycle, others measured about half of it; so there is none.
constexpr Entry amd[] = {
    {"gfx908", NearRate{128, banks}, NearRate{64, profiler}},
    {"gfx90a", NearRate{128, banks}, NearRate{64, profiler}},
    {"gfx942", NearRate{128, banks}, std::nullopt},
};

/// L1 and shared memory are the same array there (CUDA C++ Programming Guide, shared memory).
constexpr Entry nvidia{"sm_", NearRate{128, banks}, NearRate{128, banks}};

Entry entry_of(const DeviceFacts& device) {
  if (device.isa.starts_with(nvidia.isa)) return nvidia;
  const auto* found = std::ranges::find(amd, device.isa, &Entry::isa);
  return found == std::end(amd) ? Entry{} : *found;
}

}  // namespace

std::string_view shared_name(const BuiltFor& built) { return built.vendor == "AMD" ? "LDS" : "shared"; }

std::optional<NearRate> shared_rate(const DeviceFacts& device) { return entry_of(device).shared; }

std::optional<NearRate> l1_rate(const DeviceFacts& device) { return entry_of(device).l1; }

}  // namespace gable::gpu
