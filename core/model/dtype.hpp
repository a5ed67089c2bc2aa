#pragma once
#include <compare>
#include <optional>
#include <string_view>

#include "core/enum_names.hpp"

namespace gable {

/// Element types, as stored in memory. fp8 kinds are separate types: OCP e4m3/e5m2 (NVIDIA, gfx950) and AMD's FNUZ
/// variants (gfx942) give the same bits different values. mx… are the block-scaled formats of the OCP Microscaling
/// Formats (MX) specification 1.0: 32 elements of the type behind the mx share a scale of 8 bits, a power of two. nvfp4
/// is NVIDIA's: 16 elements share one of type fp8_e4m3.
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
  fp4_e2m1,
  mxfp4,  ///< of fp4_e2m1, the only type of four bits in MX
  nvfp4,  ///< of fp4_e2m1, too
  fp6_e2m3,
  fp6_e3m2,
  mxfp6_e2m3,
  mxfp6_e3m2,
  mxfp8_e4m3,
  mxfp8_e5m2,
  int32,
  int8,
  int4,
};
/// As used on the command line and in files.
constexpr auto names_of(DType) {
  return names_up_to<DType::int4>("fp64", "fp32", "tf32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2", "fp8_e4m3fnuz",
                                  "fp8_e5m2fnuz", "fp4_e2m1", "mxfp4", "nvfp4", "fp6_e2m3", "fp6_e3m2", "mxfp6_e2m3",
                                  "mxfp6_e3m2", "mxfp8_e4m3", "mxfp8_e5m2", "int32", "int8", "int4");
}
inline std::optional<DType> parse_dtype(std::string_view text) { return parse_name<DType>(text); }

inline constexpr auto all_dtypes = all_of<DType>;

/// Size of one element in memory, bytes (int4: one half; mxfp4: 17/32, nvfp4: 9/16, its share of the block's scale
/// included).
double size_bytes(DType type);
/// The type of the elements of a block-scaled format; of others the type itself.
DType element_of(DType type);
/// Whether blocks of the format share a scale.
bool is_block_scaled(DType type);

bool is_integer(DType type);
/// Whether every finite value of `narrow` is one of `wide`: numbers that are widened so give the same products. Of
/// block-scaled formats the elements are looked at: the scale of a block multiplies sums, not elements.
bool holds(DType wide, DType narrow);
/// Any of the four 8-bit floating-point kinds.
bool is_fp8(DType type);

/// The types one piece of work touches: operands a and b and the output as stored, the accumulator, and the type
/// the arithmetic is done in (int8 weights with fp16 activations compute in fp16, say).
struct Types {
  DType a{};
  DType b{};
  DType out{};
  DType accumulate{};
  DType compute{};

  auto operator<=>(const Types&) const = default;
};

/// One storage type throughout. Accumulates in the storage type from 4 bytes up, in fp32 (int32 for integers) below;
/// computes in the accumulator's type where the storage type is narrower than 4 bytes. tf32 accumulates in fp32.
Types uniform_types(DType storage);

/// What an operation on these types is called: "flop", and "op" where integers are computed with.
std::string_view operation_name(const Types& types);
/// "flop/s" or "op/s".
std::string_view rate_unit(const Types& types);

}  // namespace gable
