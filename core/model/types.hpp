#pragma once
#include <string_view>

#include "core/model/dtype.hpp"

namespace gable {

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
