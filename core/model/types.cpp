#include "core/model/types.hpp"

namespace gable {

Types uniform_types(DType storage) {
  Types types{storage, storage, storage, storage, storage};
  if (storage == DType::tf32) types.accumulate = DType::fp32;
  if (size_bytes(storage) < 4) types.accumulate = types.compute = is_integer(storage) ? DType::int32 : DType::fp32;
  return types;
}

std::string_view operation_name(const Types& types) { return is_integer(types.compute) ? "op" : "flop"; }
std::string_view rate_unit(const Types& types) { return is_integer(types.compute) ? "op/s" : "flop/s"; }

}  // namespace gable
