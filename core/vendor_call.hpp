#pragma once
#include <cstdint>
#include <string>

#include "core/model/dtype.hpp"

namespace gable {

/// C = A x B, row-major: A [m,k] with row stride lda, B [k,n] with ldb, C [m,n] with ldc (elements). Pointers are in
/// the memory of the device; stream is the execution queue of the caller (null on hosts).
struct GemmCall {
  std::int64_t m{}, n{}, k{};
  std::int64_t lda{}, ldb{}, ldc{};
  Types types;
  const void* a{};
  const void* b{};
  void* c{};
  void* stream{};
};

/// y = A x x, A row-major [m,n] with row stride lda (elements), x [n], y [m].
struct GemvCall {
  std::int64_t m{}, n{}, lda{};
  Types types;
  const void* a{};
  const void* x{};
  void* y{};
  void* stream{};
};

/// out = the forward Fourier transform, not scaled, of in: [nz,ny,nx] complex numbers with nx contiguous, each two
/// elements, real part first. in is left as it is; the two do not overlap.
struct FftCall {
  std::int64_t nx{}, ny{}, nz{};
  Types types;
  const void* in{};
  void* out{};
  void* stream{};
};

/// A vendor's library as operators see it. Backends implement it; operators call it; neither includes the other.
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  /// Name and version as rows show it, e.g. "openblas". `types` because two libraries may share the work.
  virtual std::string name(const Types& types) const = 0;
  /// The same of the library that transforms, e.g. "fftw3".
  virtual std::string fft_name() const = 0;
  /// Empty if the call can be made, else the reason why not. Throws if the library fails, or does not start.
  virtual std::string refuses_gemm(const Types& types) const = 0;
  virtual std::string refuses_gemv(const Types& types) const = 0;
  virtual std::string refuses_fft(const Types& types) const = 0;
  virtual void gemm(const GemmCall& call) = 0;
  virtual void gemv(const GemvCall& call) = 0;
  /// The first call of a shape plans it; the last plan is kept.
  virtual void fft(const FftCall& call) = 0;
};

}  // namespace gable
