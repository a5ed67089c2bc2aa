#include "core/model/types.hpp"

#include "core/model/work.hpp"

namespace gable {

Types uniform_types(DType storage) {
  Types types{storage, storage, storage, storage, storage};
  if (storage == DType::tf32) types.accumulate = DType::fp32;
  if (size_bytes(storage) < 4) types.accumulate = types.compute = is_integer(storage) ? DType::int32 : DType::fp32;
  return types;
}

std::string_view operation_name(const Types& types) { return operation_name(Unit::multiply_add, types.compute); }
std::string_view rate_unit(const Types& types) { return rate_unit(Unit::multiply_add, types.compute); }

}  // namespace gable
