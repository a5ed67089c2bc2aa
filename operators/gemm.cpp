#include "operators/gemm.hpp"

#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
using GemmKernel = tile::ProductKernel<T, tile::Product<T, false>>;

struct GemmVendor : VendorKernel<GemmCall, &VendorLibrary::gemm> {
  static std::string refuses(const Types& types, const VendorLibrary* vendor) { return vendor->refuses_gemm(types); }
  GemmVendor(const Gemm::Params& p, const Types& types, const Buffers& buffers, VendorLibrary* library)
      : VendorKernel{{p.m, p.n, p.k, p.k, p.n, p.n, types, buffers.input_pointer(0), buffers.input_pointer(1),
                      buffers.output_pointer(0)},
                     library} {}
};

}  // namespace

const OperatorEntry& gemm_entry() {
  return entry_of<Gemm>(tile::implementations<Gemm, GemmKernel>({vendor_implementation<Gemm, GemmVendor>("vendor")}));
}
const OperatorEntry& gemm_batched_entry() {
  return entry_of<GemmBatched>(tile::implementations<GemmBatched, GemmKernel>());
}

}  // namespace gable::operators
