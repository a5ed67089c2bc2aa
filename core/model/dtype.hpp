#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace gable {

/// Element types, as stored in memory. fp8 kinds are separate types: OCP e4m3/e5m2 (NVIDIA, gfx950) and AMD's FNUZ
/// variants (gfx942) give the same bits different values.
enum class DType {
  fp64,
  fp32,
  tf32,  ///< stored as fp32, multiplied with 8 exponent and 10 mantissa bits; AMD's instructions call it xf32
  fp16,
  bf16,
  fp8_e4m3,
  fp8_e5m2,
  fp8_e4m3fnuz,
  fp8_e5m2fnuz,
  int32,
  int8,
  int4,
};

inline constexpr std::array all_dtypes{DType::fp64,         DType::fp32,     DType::tf32,     DType::fp16,
                                       DType::bf16,         DType::fp8_e4m3, DType::fp8_e5m2, DType::fp8_e4m3fnuz,
                                       DType::fp8_e5m2fnuz, DType::int32,    DType::int8,     DType::int4};

/// Size of one element in memory, bytes (int4: one half).
double size_bytes(DType type);

/// Name as used on the command line and in files, e.g. "fp16", "fp8_e4m3".
std::string_view to_string(DType type);
std::optional<DType> parse_dtype(std::string_view text);
bool is_integer(DType type);
/// Whether every finite value of `narrow` is one of `wide`: numbers that are widened so give the same products.
bool holds(DType wide, DType narrow);
/// Any of the four 8-bit floating-point kinds.
bool is_fp8(DType type);

}  // namespace gable
