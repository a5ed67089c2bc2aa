#include "backends/gpu/rate_table.hpp"

namespace gable::gpu {
namespace {

constexpr std::string_view lanes = "64 lanes x 8 op of v_dot4 a cycle (AMD ISA guides)";
constexpr std::string_view quarter = "a quarter of 64 lanes a cycle (LLVM's machine models of the chips)";
constexpr std::string_view twice_a_quarter = "AMD CDNA4 white paper: twice the transcendental rate of CDNA3";
constexpr std::string_view wmma = "GPUOpen, WMMA on RDNA 3: FLOPS a clock and compute unit";

/// fp32 of vector units: packed instructions from gfx90a on, two fused ones at once on gfx1100; fp16: packed (gfx1100:
/// and two at once). bf16 has no vector arithmetic in any of them.
using enum DType;
constexpr RateEntry entries[] = {
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

std::span<const RateEntry> amd_rates() { return entries; }

}  // namespace gable::gpu
