#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/vendor_call.hpp"

namespace gable::openmp {

/// CPU libraries behind one face: products of fp64 and fp32 go to CBLAS, of bf16, fp16 and int8 to oneDNN, transforms
/// to FFTW, each if it was found when this was built. All work with cpus.size() threads on these cpus, whether the
/// calling thread is already pinned or not.
std::unique_ptr<VendorLibrary> make_vendor_library(const std::vector<int>& cpus);

/// Name and version of the libraries in this build, for the result's provenance.
std::vector<std::pair<std::string, std::string>> vendor_library_versions();

}  // namespace gable::openmp
