#include "backends/gpu/rate_table.hpp"

namespace gable::gpu {
namespace {

constexpr std::string_view guide = "CUDA C++ Programming Guide, arithmetic throughput by compute capability";

using enum DType;
constexpr RateEntry entries[] = {
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
};

}  // namespace

std::span<const RateEntry> nvidia_rates() { return entries; }

}  // namespace gable::gpu
