#include "operators/gemm.hpp"

#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct GemmInt8Kernel : tile::Product<T, true> {
  static Types types() { return GemmInt8::types().front(); }
  GemmInt8Kernel(const GemmInt8::Params& p, const Buffers& buffers)
      : GemmInt8Kernel::Product({1, p.m, p.n, p.k}, buffers.input<T>(0), buffers.input<T>(1),
                                buffers.output<tile::Result<T>>(0), 1) {}
};

}  // namespace

const OperatorEntry& gemm_int8_entry() {
  return entry_of<GemmInt8>(tile::implementations_of<GemmInt8, GemmInt8Kernel<std::int8_t>>());
}

}  // namespace gable::operators
