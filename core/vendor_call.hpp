#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/types.hpp"

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

/// A vendor's library as operators see it. Backends implement it; operators call it; neither includes the other.
class VendorLibrary {
 public:
  virtual ~VendorLibrary() = default;
  /// Name and version as rows show it, e.g. "openblas". `types` because two libraries may share the work.
  virtual std::string name(const Types& types) const = 0;
  /// Empty if the call can be made, else the reason why not.
  virtual std::string refuses_gemm(const Types& types) const = 0;
  virtual std::string refuses_gemv(const Types& types) const = 0;
  virtual void gemm(const GemmCall& call) = 0;
  virtual void gemv(const GemvCall& call) = 0;
};

}  // namespace gable
