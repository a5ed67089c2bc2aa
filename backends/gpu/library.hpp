#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/vendor_call.hpp"

/// The vendor's dense linear algebra on the current device; each vendor has its own source.
namespace gable::gpu {

/// C = A B, row-major: A [m,k] with row stride lda, B [k,n] with ldb (k_contiguous: [n,k]), C [m,n] with ldc. Strides
/// are in elements. tf32: fp32 in memory, multiplied as tf32.
struct GemmShape {
  std::int64_t m{}, n{}, k{};
  std::int64_t lda{}, ldb{}, ldc{};
  Types types;
  bool k_contiguous{};
  std::int64_t alignment{256};  ///< of all three pointers, byte
  bool operator==(const GemmShape&) const = default;
};

/// A product of one shape, made ready: algorithm chosen by the library's own heuristic, workspace allocated.
class GemmPlan {
 public:
  virtual ~GemmPlan() = default;
  /// Only enqueues; `stream` is the runtime's.
  virtual void enqueue(const void* a, const void* b, void* c, void* stream) = 0;
  /// What the heuristic chose, in the library's own numbers.
  virtual std::string algorithm() const = 0;
};

/// The plan, or why the library has none. Throws DeviceFailure if the library fails otherwise.
struct PlannedGemm {
  std::unique_ptr<GemmPlan> plan;
  std::string reason;
};
PlannedGemm plan_gemm(const GemmShape& shape);

/// Empty, or why gemv() cannot be called with these types.
std::string refuses_gemv(const Types& types);
/// Only enqueues.
void enqueue_gemv(const GemvCall& call);

/// As rows name what multiplies matrices of this type.
std::string library_name(DType storage);
/// Name and version of what this was built with, for the result's provenance.
std::vector<std::pair<std::string, std::string>> library_versions();

/// The library of the current device behind core's contract. The plan of the last shape is kept: the first call of a
/// shape plans it, the others only enqueue.
std::unique_ptr<VendorLibrary> make_vendor_library();

}  // namespace gable::gpu
