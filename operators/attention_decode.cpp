#include "operators/attention.hpp"

#include <cstdint>
#include <type_traits>

#include "operators/device/tile/decode.hpp"
#include "operators/device/tile/implementations.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

/// Cache in C, queries in T.
template <class C, class T>
struct AttentionDecodeKernel : tile::DecodeAttention<C, T> {
  static Types types() {
    if constexpr (std::is_same_v<C, T>) return uniform_types(dtype_of<T>());
    return {dtype_of<C>(), dtype_of<T>(), dtype_of<T>(), DType::fp32, DType::fp32};
  }
  AttentionDecodeKernel(const AttentionDecode::Params& p, const Buffers& buffers)
      : tile::DecodeAttention<C, T>({p.b * p.kv, p.h / p.kv, p.s, p.d}, arrays(buffers)) {}

 private:
  static tile::DecodeArrays<C, T> arrays(const Buffers& buffers) {
    tile::DecodeArrays<C, T> list{buffers.input<T>(0), buffers.input<C>(1), buffers.input<C>(2), nullptr, nullptr,
                                  buffers.output<T>(0)};
    if constexpr (std::is_integral_v<C>) {
      list.k_factor = buffers.input<float>(3);
      list.v_factor = buffers.input<float>(4);
    }
    return list;
  }
};

}  // namespace

const OperatorEntry& attention_decode_entry() {
  return entry_of<AttentionDecode>(
      tile::implementations_of<AttentionDecode, AttentionDecodeKernel<float, float>, AttentionDecodeKernel<Fp16, Fp16>,
                               AttentionDecodeKernel<Bf16, Bf16>, AttentionDecodeKernel<std::int8_t, Fp16>>());
}

}  // namespace gable::operators
