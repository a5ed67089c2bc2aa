#pragma once
#include <string>

#include "core/vendor_call.hpp"

namespace gable::openmp {

/// The matrix products of VendorLibrary, as one CPU library has them for some types.
class MatrixLibrary {
 public:
  virtual ~MatrixLibrary() = default;
  virtual std::string name(const Types& types) const = 0;
  virtual std::string refuses_gemm(const Types& types) const = 0;
  virtual std::string refuses_gemv(const Types& types) const = 0;
  virtual void gemm(const GemmCall& call) = 0;
  virtual void gemv(const GemvCall& call) = 0;
};

}  // namespace gable::openmp
