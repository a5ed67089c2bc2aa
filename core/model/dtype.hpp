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

/// The types one piece of work touches: operands a and b and the output as stored, the accumulator, and the type
/// the arithmetic is done in (int8 weights with fp16 activations compute in fp16, say).
struct Types {
  DType a{};
  DType b{};
  DType out{};
  DType accumulate{};
  DType compute{};

  bool operator==(const Types&) const = default;
};

/// One storage type throughout. Accumulates in the storage type from 4 bytes up, in fp32 (int32 for integers) below;
/// computes in the accumulator's type where the storage type is narrower than 4 bytes. tf32 accumulates in fp32.
Types uniform_types(DType storage);

/// What an operation on these types is called: "flop", and "op" where integers are computed with.
std::string_view operation_name(const Types& types);
/// "flop/s" or "op/s".
std::string_view rate_unit(const Types& types);

}  // namespace gable
