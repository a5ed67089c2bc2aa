#include "operators/gemm.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/tile/implementations.hpp"
#include "operators/device/tile/product.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct GemmKernel : UniformTypes<T> {
  tile::Product<T, false> product;

  GemmKernel(const Gemm::Params& p, const Buffers& buffers)
      : product({1, p.m, p.n, p.k}, buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0), Accumulate<T>(1)) {}
  void run(const Exec& exec) { product.run(exec); }
};

struct GemmVendor {
  GemmCall call;
  VendorLibrary* vendor;

  static std::string refuses(const Types& types, const VendorLibrary* vendor) { return vendor->refuses_gemm(types); }
  GemmVendor(const Gemm::Params& p, const Types& types, const Buffers& buffers, VendorLibrary* library)
      : call{p.m,
             p.n,
             p.k,
             p.k,
             p.n,
             p.n,
             types,
             buffers.input_pointer(0),
             buffers.input_pointer(1),
             buffers.output_pointer(0),
             nullptr},
        vendor(library) {}
  void run(const Exec& exec) {
    call.stream = stream_of(exec);
    vendor->gemm(call);
  }
};

}  // namespace

const OperatorEntry& gemm_entry() {
  static const OperatorEntry entry{
      &spec_of<Gemm>(),
      tile::implementations<Gemm, GemmKernel>("kokkos", {vendor_implementation<Gemm, GemmVendor>("vendor")})};
  return entry;
}

}  // namespace gable::operators
