#include "core/model/dtype.hpp"

#include "core/model/work.hpp"

namespace gable {
namespace {
/// 8 bits of scale for 32 elements of an MX format, for 16 of NVIDIA's, in bytes an element.
constexpr double scale_bytes(DType type) { return type == DType::nvfp4 ? 1.0 / 16 : 1.0 / 32; }

/// Finite values: whole numbers of at most `digits` bits times 2^least and more, below 2^(most + 1).
struct Values {
  int digits, least, most;
};

/// Of the elements, where blocks share a scale.
Values values(DType type) {
  switch (element_of(type)) {
    case DType::fp64:
      return {53, -1074, 1023};
    case DType::fp32:
      return {24, -149, 127};
    case DType::tf32:
      return {11, -136, 127};
    case DType::fp16:
      return {11, -24, 15};
    case DType::bf16:
      return {8, -133, 127};
    case DType::fp8_e4m3:
      return {4, -9, 8};
    case DType::fp8_e5m2:
      return {3, -16, 15};
    case DType::fp8_e4m3fnuz:
      return {4, -10, 7};
    case DType::fp8_e5m2fnuz:
      return {3, -17, 15};
    case DType::fp6_e2m3:
      return {4, -3, 2};
    case DType::fp6_e3m2:
      return {3, -4, 4};
    case DType::fp4_e2m1:
      return {2, -1, 2};
    case DType::int32:
      return {31, 0, 31};
    case DType::int8:
      return {7, 0, 7};
    case DType::int4:
      return {3, 0, 3};
    default:
      return {};
  }
}
}  // namespace

DType element_of(DType type) {
  switch (type) {
    case DType::mxfp8_e4m3:
      return DType::fp8_e4m3;
    case DType::mxfp8_e5m2:
      return DType::fp8_e5m2;
    case DType::mxfp6_e2m3:
      return DType::fp6_e2m3;
    case DType::mxfp6_e3m2:
      return DType::fp6_e3m2;
    case DType::mxfp4:
    case DType::nvfp4:
      return DType::fp4_e2m1;
    default:
      return type;
  }
}

bool is_block_scaled(DType type) { return element_of(type) != type; }

double size_bytes(DType type) {
  if (is_block_scaled(type)) return size_bytes(element_of(type)) + scale_bytes(type);
  switch (type) {
    case DType::fp64:
      return 8;
    case DType::fp32:
    case DType::tf32:
    case DType::int32:
      return 4;
    case DType::fp16:
    case DType::bf16:
      return 2;
    case DType::fp6_e2m3:
    case DType::fp6_e3m2:
      return 0.75;
    case DType::fp4_e2m1:
    case DType::int4:
      return 0.5;
    default:
      return 1;
  }
}

bool is_integer(DType type) { return type == DType::int32 || type == DType::int8 || type == DType::int4; }
bool holds(DType wide, DType narrow) {
  const Values outer = values(wide), inner = values(narrow);
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
