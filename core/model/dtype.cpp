#include "core/model/dtype.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/model/work.hpp"

namespace gable {
namespace {
/// Finite values: whole numbers of at most `digits` bits times 2^least and more, below 2^(most + 1).
struct Values {
  int digits, least, most;
};

struct Storage {
  DType type, element;
  double bytes;  ///< of an element with its share of the scale: 8 bits for 32 elements of an MX format, for 16 of nvfp4
  Values values;  ///< of the elements, where blocks share a scale
};

/// In the order of DType.
constexpr std::array<Storage, all_dtypes.size()> storages{{
    {DType::fp64, DType::fp64, 8, {53, -1074, 1023}},
    {DType::fp32, DType::fp32, 4, {24, -149, 127}},
    {DType::tf32, DType::tf32, 4, {11, -136, 127}},
    {DType::fp16, DType::fp16, 2, {11, -24, 15}},
    {DType::bf16, DType::bf16, 2, {8, -133, 127}},
    {DType::fp8_e4m3, DType::fp8_e4m3, 1, {4, -9, 8}},
    {DType::fp8_e5m2, DType::fp8_e5m2, 1, {3, -16, 15}},
    {DType::fp8_e4m3fnuz, DType::fp8_e4m3fnuz, 1, {4, -10, 7}},
    {DType::fp8_e5m2fnuz, DType::fp8_e5m2fnuz, 1, {3, -17, 15}},
    {DType::fp4_e2m1, DType::fp4_e2m1, 0.5, {2, -1, 2}},
    {DType::mxfp4, DType::fp4_e2m1, 0.5 + 1.0 / 32, {2, -1, 2}},
    {DType::nvfp4, DType::fp4_e2m1, 0.5 + 1.0 / 16, {2, -1, 2}},
    {DType::fp6_e2m3, DType::fp6_e2m3, 0.75, {4, -3, 2}},
    {DType::fp6_e3m2, DType::fp6_e3m2, 0.75, {3, -4, 4}},
    {DType::mxfp6_e2m3, DType::fp6_e2m3, 0.75 + 1.0 / 32, {4, -3, 2}},
    {DType::mxfp6_e3m2, DType::fp6_e3m2, 0.75 + 1.0 / 32, {3, -4, 4}},
    {DType::mxfp8_e4m3, DType::fp8_e4m3, 1 + 1.0 / 32, {4, -9, 8}},
    {DType::mxfp8_e5m2, DType::fp8_e5m2, 1 + 1.0 / 32, {3, -16, 15}},
    {DType::int32, DType::int32, 4, {31, 0, 31}},
    {DType::int8, DType::int8, 1, {7, 0, 7}},
    {DType::int4, DType::int4, 0.5, {3, 0, 3}},
}};
static_assert(std::ranges::equal(storages, all_dtypes, {}, &Storage::type));

const Storage& storage_of(DType type) { return storages[static_cast<std::size_t>(type)]; }
}  // namespace

DType element_of(DType type) { return storage_of(type).element; }
bool is_block_scaled(DType type) { return element_of(type) != type; }
double size_bytes(DType type) { return storage_of(type).bytes; }

bool is_integer(DType type) { return type == DType::int32 || type == DType::int8 || type == DType::int4; }
bool holds(DType wide, DType narrow) {
  const Values outer = storage_of(wide).values, inner = storage_of(narrow).values;
  return outer.digits >= inner.digits && outer.least <= inner.least && outer.most >= inner.most;
}
bool is_fp8(DType type) {
  return type == DType::fp8_e4m3 || type == DType::fp8_e5m2 || type == DType::fp8_e4m3fnuz ||
         type == DType::fp8_e5m2fnuz;
}

Types uniform_types(DType storage) {
  Types types{storage, storage, storage, storage, storage};
  if (storage == DType::tf32) types.accumulate = DType::fp32;
  if (size_bytes(storage) < 4) types.accumulate = types.compute = is_integer(storage) ? DType::int32 : DType::fp32;
  return types;
}

std::string_view operation_name(const Types& types) { return operation_name(Unit::multiply_add, types.compute); }
std::string_view rate_unit(const Types& types) { return rate_unit(Unit::multiply_add, types.compute); }

}  // namespace gable
