#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/vendor_call.hpp"

namespace gable::openmp {

/// The matrix products of VendorLibrary, as one CPU library has them for some types.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  virtual std::string refuses_gemm(const Types& types) const = 0;
  virtual std::string refuses_gemv(const Types& types) const = 0;
  virtual void gemm(const GemmCall& call) = 0;
  virtual void gemv(const GemvCall& call) = 0;
};

/// fp64 and fp32 gemm and gemv of the CBLAS this was linked with.
std::unique_ptr<MatrixLibrary> make_cblas(const std::vector<int>& cpus);
/// Name of the library ("openblas", "cblas") and its version ("unknown" if it does not tell).
std::string cblas_name();
std::string cblas_version();

/// bf16, fp16 (results in the same type or fp32) and int8 (int32 results) through oneDNN's matmul primitive. A type for
/// which this CPU has only oneDNN's reference implementation is refused. The first call of a shape makes its primitive;
/// the last shape is kept.
std::unique_ptr<MatrixLibrary> make_onednn(int threads);
/// "2.6.3" and its like, of the library found at run time.
std::string onednn_version();

/// The transforms of VendorLibrary.
class TransformLibrary {
 public:
  virtual ~TransformLibrary() = default;
  virtual std::string refuses(const Types& types) const = 0;
  virtual void transform(const FftCall& call) = 0;
};

/// fp64 and fp32 transforms through FFTW 3, with cpus.size() OpenMP threads on these cpus. Its plans are measured, on
/// arrays of their own, for at most some seconds. The first call of a shape plans it; the last plan is kept. A call
/// throws Error if FFTW has no plan.
std::unique_ptr<TransformLibrary> make_fftw(const std::vector<int>& cpus);
/// "3.3.10" and its like.
std::string fftw_version();

/// CPU libraries behind one interface: products of fp64 and fp32 go to CBLAS, of bf16, fp16 and int8 to oneDNN,
/// transforms to FFTW, each if it was found when this was built. All work with cpus.size() threads on these cpus,
/// whether the calling thread is already pinned or not. One that does not start says so when it is asked or called.
std::unique_ptr<VendorLibrary> make_vendor_library(const std::vector<int>& cpus);

/// Name and version of the libraries of this backend, for the result's provenance: those above and what else it needs.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace gable::openmp
