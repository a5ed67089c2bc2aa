#include "backends/gpu/rates.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

namespace gable::gpu {
namespace {

/// What one multiprocessor of an architecture does in a cycle: flop (op for integers and exponentials), an FMA
/// counts 2.
struct RateEntry {
  std::string_view isa;  ///< sm_90, gfx942
  Unit unit{};
  DType storage{}, accumulate{};
  double per_cycle{};
  std::string_view source;
  bool half_on_geforce{};  ///< GeForce products sum products of matrices in fp32 at half of the chip's rate
};

constexpr std::string_view derived_rate = "the vendor's dense peak / (multiprocessors x boost clock)";

constexpr std::string_view guide = "CUDA C++ Programming Guide, arithmetic throughput by compute capability";

constexpr std::string_view kinds =
    "NVIDIA CUTLASS, Blackwell SM100 GEMMs: throughput of each kind of tcgen05.mma, beside Hopper's fp8";

using enum DType;
constexpr RateEntry nvidia_rates[] = {
    {"sm_80", Unit::vector, fp64, fp64, 64, guide},
    {"sm_80", Unit::vector, fp32, fp32, 128, guide},
    {"sm_80", Unit::vector, fp16, fp16, 512, guide},
    {"sm_80", Unit::vector, bf16, bf16, 256, guide},
    {"sm_80", Unit::vector, int32, int32, 128, guide},
    {"sm_80", Unit::vector, int8, int32, 512, guide},
    {"sm_80", Unit::exp, fp32, fp32, 16, guide},
    {"sm_80", Unit::matrix, fp64, fp64, 128, derived_rate},
    {"sm_80", Unit::matrix, tf32, fp32, 1024, derived_rate},
    {"sm_80", Unit::matrix, fp16, fp32, 2048, derived_rate},
    {"sm_80", Unit::matrix, fp16, fp16, 2048, derived_rate},
    {"sm_80", Unit::matrix, bf16, fp32, 2048, derived_rate},
    {"sm_80", Unit::matrix, int8, int32, 4096, derived_rate},
    {"sm_80", Unit::matrix, int4, int32, 8192, derived_rate},

    {"sm_86", Unit::vector, fp64, fp64, 4, guide},
    {"sm_86", Unit::vector, fp32, fp32, 256, guide},
    {"sm_86", Unit::vector, fp16, fp16, 256, guide},
    {"sm_86", Unit::vector, bf16, bf16, 256, guide},
    {"sm_86", Unit::vector, int32, int32, 128, guide},
    {"sm_86", Unit::vector, int8, int32, 512, guide},
    {"sm_86", Unit::exp, fp32, fp32, 16, guide},
    {"sm_86", Unit::matrix, tf32, fp32, 512, derived_rate, true},
    {"sm_86", Unit::matrix, fp16, fp32, 1024, derived_rate, true},
    {"sm_86", Unit::matrix, fp16, fp16, 1024, derived_rate},
    {"sm_86", Unit::matrix, bf16, fp32, 1024, derived_rate, true},
    {"sm_86", Unit::matrix, int8, int32, 2048, derived_rate},
    {"sm_86", Unit::matrix, int4, int32, 4096, derived_rate},

    {"sm_89", Unit::vector, fp64, fp64, 4, guide},
    {"sm_89", Unit::vector, fp32, fp32, 256, guide},
    {"sm_89", Unit::vector, fp16, fp16, 256, guide},
    {"sm_89", Unit::vector, bf16, bf16, 256, guide},
    {"sm_89", Unit::vector, int32, int32, 128, guide},
    {"sm_89", Unit::vector, int8, int32, 512, guide},
    {"sm_89", Unit::exp, fp32, fp32, 16, guide},
    {"sm_89", Unit::matrix, tf32, fp32, 512, derived_rate, true},
    {"sm_89", Unit::matrix, fp16, fp32, 1024, derived_rate, true},
    {"sm_89", Unit::matrix, fp16, fp16, 1024, derived_rate},
    {"sm_89", Unit::matrix, bf16, fp32, 1024, derived_rate, true},
    {"sm_89", Unit::matrix, fp8_e4m3, fp32, 2048, derived_rate, true},
    {"sm_89", Unit::matrix, fp8_e5m2, fp32, 2048, derived_rate, true},
    {"sm_89", Unit::matrix, int8, int32, 2048, derived_rate},

    {"sm_90", Unit::vector, fp64, fp64, 128, guide},
    {"sm_90", Unit::vector, fp32, fp32, 256, guide},
    {"sm_90", Unit::vector, fp16, fp16, 512, guide},
    {"sm_90", Unit::vector, bf16, bf16, 512, guide},
    {"sm_90", Unit::vector, int32, int32, 128, guide},
    {"sm_90", Unit::vector, int8, int32, 512, guide},
    {"sm_90", Unit::exp, fp32, fp32, 16, guide},
    {"sm_90", Unit::matrix, fp64, fp64, 256, derived_rate},
    {"sm_90", Unit::matrix, tf32, fp32, 2048, derived_rate},
    {"sm_90", Unit::matrix, fp16, fp32, 4096, derived_rate},
    {"sm_90", Unit::matrix, fp16, fp16, 4096, derived_rate},
    {"sm_90", Unit::matrix, bf16, fp32, 4096, derived_rate},
    {"sm_90", Unit::matrix, fp8_e4m3, fp32, 8192, derived_rate},
    {"sm_90", Unit::matrix, fp8_e5m2, fp32, 8192, derived_rate},
    {"sm_90", Unit::matrix, int8, int32, 8192, derived_rate},

    {"sm_100", Unit::vector, fp64, fp64, 128, guide},
    {"sm_100", Unit::vector, fp32, fp32, 256, guide},
    {"sm_100", Unit::vector, fp16, fp16, 512, guide},
    {"sm_100", Unit::vector, bf16, bf16, 512, guide},
    {"sm_100", Unit::vector, int32, int32, 128, guide},
    {"sm_100", Unit::vector, int8, int32, 512, guide},
    {"sm_100", Unit::exp, fp32, fp32, 16, guide},
    {"sm_100", Unit::matrix, fp64, fp64, 128, derived_rate},
    {"sm_100", Unit::matrix, tf32, fp32, 4096, derived_rate},
    {"sm_100", Unit::matrix, fp16, fp32, 8192, derived_rate},
    {"sm_100", Unit::matrix, bf16, fp32, 8192, derived_rate},
    {"sm_100", Unit::matrix, fp8_e4m3, fp32, 16384, derived_rate},
    {"sm_100", Unit::matrix, fp8_e5m2, fp32, 16384, derived_rate},
    {"sm_100", Unit::matrix, int8, int32, 16384, derived_rate},
    {"sm_100", Unit::matrix, fp6_e2m3, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, fp6_e3m2, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, fp4_e2m1, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, mxfp8_e4m3, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, mxfp8_e5m2, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, mxfp6_e2m3, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, mxfp6_e3m2, fp32, 16384, kinds},
    {"sm_100", Unit::matrix, mxfp4, fp32, 32768, kinds},
    {"sm_100", Unit::matrix, nvfp4, fp32, 32768, kinds},
};

constexpr std::string_view lanes = "64 lanes x 8 op of v_dot4 a cycle (AMD ISA guides)";
constexpr std::string_view quarter = "a quarter of 64 lanes a cycle (LLVM's machine models of the chips)";
constexpr std::string_view twice_a_quarter = "AMD CDNA4 white paper: twice the transcendental rate of CDNA3";
constexpr std::string_view either_way =
    "AMD MI355X product brief, dense peak of the format; one instruction with or without scales (CDNA4 ISA)";
constexpr std::string_view wmma = "GPUOpen, WMMA on RDNA 3: FLOPS a clock and compute unit";

/// fp32 of vector units: packed instructions from gfx90a on, two fused ones at once on gfx1100; fp16: packed (gfx1100:
/// and two at once). bf16 has no vector arithmetic in any of them.
constexpr RateEntry amd_rates[] = {
    {"gfx908", Unit::vector, fp64, fp64, 64, derived_rate},
    {"gfx908", Unit::vector, fp32, fp32, 128, derived_rate},
    {"gfx908", Unit::vector, fp16, fp16, 256, derived_rate},
    {"gfx908", Unit::vector, int8, int32, 512, lanes},
    {"gfx908", Unit::exp, fp32, fp32, 16, quarter},
    {"gfx908", Unit::matrix, fp32, fp32, 256, derived_rate},
    {"gfx908", Unit::matrix, fp16, fp32, 1024, derived_rate},
    {"gfx908", Unit::matrix, bf16, fp32, 512, derived_rate},
    {"gfx908", Unit::matrix, int8, int32, 1024, derived_rate},
    {"gfx908", Unit::matrix, int4, int32, 1024, derived_rate},

    {"gfx90a", Unit::vector, fp64, fp64, 128, derived_rate},
    {"gfx90a", Unit::vector, fp32, fp32, 256, derived_rate},
    {"gfx90a", Unit::vector, fp16, fp16, 256, derived_rate},
    {"gfx90a", Unit::vector, int8, int32, 512, lanes},
    {"gfx90a", Unit::exp, fp32, fp32, 16, quarter},
    {"gfx90a", Unit::matrix, fp64, fp64, 256, derived_rate},
    {"gfx90a", Unit::matrix, fp32, fp32, 256, derived_rate},
    {"gfx90a", Unit::matrix, fp16, fp32, 1024, derived_rate},
    {"gfx90a", Unit::matrix, bf16, fp32, 1024, derived_rate},
    {"gfx90a", Unit::matrix, int8, int32, 1024, derived_rate},
    {"gfx90a", Unit::matrix, int4, int32, 1024, derived_rate},

    {"gfx942", Unit::vector, fp64, fp64, 128, derived_rate},
    {"gfx942", Unit::vector, fp32, fp32, 256, derived_rate},
    {"gfx942", Unit::vector, fp16, fp16, 256, derived_rate},
    {"gfx942", Unit::vector, int8, int32, 512, lanes},
    {"gfx942", Unit::exp, fp32, fp32, 16, quarter},
    {"gfx942", Unit::matrix, fp64, fp64, 256, derived_rate},
    {"gfx942", Unit::matrix, fp32, fp32, 256, derived_rate},
    {"gfx942", Unit::matrix, tf32, fp32, 1024, derived_rate},
    {"gfx942", Unit::matrix, fp16, fp32, 2048, derived_rate},
    {"gfx942", Unit::matrix, bf16, fp32, 2048, derived_rate},
    {"gfx942", Unit::matrix, fp8_e4m3fnuz, fp32, 4096, derived_rate},
    {"gfx942", Unit::matrix, fp8_e5m2fnuz, fp32, 4096, derived_rate},
    {"gfx942", Unit::matrix, int8, int32, 4096, derived_rate},

    {"gfx950", Unit::vector, fp64, fp64, 128, derived_rate},
    {"gfx950", Unit::vector, fp32, fp32, 256, derived_rate},
    {"gfx950", Unit::vector, fp16, fp16, 256, derived_rate},
    {"gfx950", Unit::vector, int8, int32, 512, lanes},
    {"gfx950", Unit::exp, fp32, fp32, 32, twice_a_quarter},
    {"gfx950", Unit::matrix, fp64, fp64, 128, derived_rate},
    {"gfx950", Unit::matrix, fp32, fp32, 256, derived_rate},
    {"gfx950", Unit::matrix, fp16, fp32, 4096, derived_rate},
    {"gfx950", Unit::matrix, bf16, fp32, 4096, derived_rate},
    {"gfx950", Unit::matrix, fp8_e4m3, fp32, 8192, derived_rate},
    {"gfx950", Unit::matrix, fp8_e5m2, fp32, 8192, derived_rate},
    {"gfx950", Unit::matrix, int8, int32, 8192, derived_rate},
    {"gfx950", Unit::matrix, fp6_e2m3, fp32, 16384, either_way},
    {"gfx950", Unit::matrix, fp6_e3m2, fp32, 16384, either_way},
    {"gfx950", Unit::matrix, fp4_e2m1, fp32, 16384, either_way},
    {"gfx950", Unit::matrix, mxfp8_e4m3, fp32, 8192, either_way},
    {"gfx950", Unit::matrix, mxfp8_e5m2, fp32, 8192, either_way},
    {"gfx950", Unit::matrix, mxfp6_e2m3, fp32, 16384, derived_rate},
    {"gfx950", Unit::matrix, mxfp6_e3m2, fp32, 16384, derived_rate},
    {"gfx950", Unit::matrix, mxfp4, fp32, 16384, derived_rate},

    {"gfx1100", Unit::vector, fp64, fp64, 8, derived_rate},
    {"gfx1100", Unit::vector, fp32, fp32, 256, derived_rate},
    {"gfx1100", Unit::vector, fp16, fp16, 512, derived_rate},
    {"gfx1100", Unit::vector, int8, int32, 512, lanes},
    {"gfx1100", Unit::exp, fp32, fp32, 16, quarter},
    {"gfx1100", Unit::matrix, fp16, fp32, 512, wmma},
    {"gfx1100", Unit::matrix, fp16, fp16, 512, wmma},
    {"gfx1100", Unit::matrix, bf16, fp32, 512, wmma},
    {"gfx1100", Unit::matrix, bf16, bf16, 512, wmma},
    {"gfx1100", Unit::matrix, int8, int32, 512, wmma},
    {"gfx1100", Unit::matrix, int4, int32, 1024, wmma},
};

}  // namespace

std::optional<Rate> rate(const DeviceFacts& device, Unit unit, DType storage, DType accumulate) {
  std::span<const RateEntry> entries = nvidia_rates;
  if (device.isa.starts_with("gfx")) entries = amd_rates;
  const auto found = std::ranges::find_if(entries, [&](const RateEntry& entry) {
    return entry.isa == device.isa && entry.unit == unit && entry.storage == storage && entry.accumulate == accumulate;
  });
  if (found == entries.end()) return {};
  const bool halved = found->half_on_geforce && device.name.find("GeForce") != std::string::npos;
  return Rate{found->per_cycle / (halved ? 2.0 : 1.0), found->source};
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
