#include "core/render/palette.hpp"

#include <array>

namespace gable::render {

unsigned dtype_colour(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 0x0072B2;
    case DType::fp32:
      return 0xD55E00;
    case DType::tf32:
      return 0x8C6D00;
    case DType::fp16:
      return 0x009E73;
    case DType::bf16:
      return 0xCC79A7;
    case DType::fp8_e4m3:
    case DType::fp8_e5m2:
    case DType::fp8_e4m3fnuz:
    case DType::fp8_e5m2fnuz:
    case DType::fp6_e2m3:
    case DType::fp6_e3m2:
    case DType::fp4_e2m1:
    case DType::mxfp8_e4m3:
    case DType::mxfp8_e5m2:
    case DType::mxfp6_e2m3:
    case DType::mxfp6_e3m2:
    case DType::mxfp4:
    case DType::nvfp4:
      return 0x3F9FD0;
    case DType::int32:
    case DType::int8:
    case DType::int4:
      break;
  }
  return 0x6A3D9A;
}

unsigned device_colour(std::size_t index) {
  constexpr std::array<unsigned, 10> colours{0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0x662200,
                                             0x5577FF, 0x771155, 0x1111FF, 0xDD2244, 0x2222AA};
  return colours[index % colours.size()];
}

int dtype_shape(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 1;
    case DType::fp32:
    case DType::tf32:
      return 0;
    case DType::fp16:
      return 2;
    case DType::bf16:
      return 3;
    case DType::int32:
    case DType::int8:
    case DType::int4:
      return 5;
    default:
      return 4;
  }
}

}  // namespace gable::render
