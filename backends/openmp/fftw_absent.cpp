#include "backends/openmp/vendor_library.hpp"
#include "core/error.hpp"

/// A build without FFTW.
namespace gable::openmp {

struct FftwLibrary::State {};

FftwLibrary::FftwLibrary(const std::vector<int>&) {}
FftwLibrary::~FftwLibrary() = default;
std::string FftwLibrary::refuses(const Types&) const { return "this build has no FFTW"; }
void FftwLibrary::transform(const FftCall& call) { throw Error(refuses(call.types)); }
std::string fftw_version() { return {}; }

}  // namespace gable::openmp
