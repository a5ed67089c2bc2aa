#pragma once
#include "operators/device/function.hpp"

/// The instruction set that this is compiled for. The files of this folder are the only ones of the operators that know
/// any; all others write in Lanes and what is declared in portable.hpp.
#if !defined(GABLE_ARRAY_LANES)
#include "operators/device/isa/highway.hpp"
#else
#include "operators/device/isa/number.hpp"
#endif

namespace gable::device {

/// Bytes of a part of Lanes: those of one vector register, or what GABLE_LANE_BYTES says (16, 32 or 64), so that any
/// processor can run the form of another. On GPUs one thread's widest access.
#if defined(GABLE_ARRAY_LANES)
inline constexpr int register_bytes = 16;
#elif defined(GABLE_LANE_BYTES)
inline constexpr int register_bytes = GABLE_LANE_BYTES;
static_assert(register_bytes == 16 || register_bytes == 32 || register_bytes == 64);
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// Vector registers of the instruction set. Where registers have 64 bytes there are 32.
#if defined(__AVX512VL__) || defined(__aarch64__)
inline constexpr int register_count = 32;
#else
inline constexpr int register_count = register_bytes == 64 ? 32 : 16;
#endif

}  // namespace gable::device
