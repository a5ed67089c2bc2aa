#include "operators/fft3d.hpp"

#include <string>

#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

struct Fft3dVendor : VendorKernel<FftCall, &VendorLibrary::fft> {
  static std::string refuses(const Types& types, const VendorLibrary* from) { return from->refuses_fft(types); }
  static std::string library(const VendorLibrary& from) { return from.fft_name(); }
  Fft3dVendor(const Fft3d::Params& p, const Types& types, const Buffers& buffers, VendorLibrary* from)
      : VendorKernel{{p.nx, p.ny, p.nz, types, buffers.input_pointer(0), buffers.output_pointer(0)}, from} {}
};

}  // namespace

const OperatorEntry& fft3d_entry() { return entry_of<Fft3d>({vendor_implementation<Fft3d, Fft3dVendor>("vendor")}); }

}  // namespace gable::operators
