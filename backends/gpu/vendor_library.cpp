#include "backends/gpu/library.hpp"

#include <bit>
#include <cstdint>
#include <utility>

#include "backends/gpu/fft.hpp"
#include "core/error.hpp"
#include "library_names.hpp"

namespace gable::gpu {
namespace {

/// Largest power of two, up to 256, that divides all three addresses.
std::int64_t alignment_of(const GemmCall& call) {
  const auto all = reinterpret_cast<std::uintptr_t>(call.a) | reinterpret_cast<std::uintptr_t>(call.b) |
                   reinterpret_cast<std::uintptr_t>(call.c) | std::uintptr_t{256};
  return std::int64_t{1} << std::countr_zero(all);
}

class GpuLibrary final : public VendorLibrary {
 public:
  std::string name(const Types& types) const override { return library_name(types.a); }
  std::string fft_name() const override { return fft_library_name(); }
  std::string refuses_fft(const Types& types) const override { return fft_.refuses(types); }
  std::string refuses_gemm(const Types& types) const override {
    constexpr std::int64_t n = 256;
    return plan_gemm({n, n, n, n, n, n, types}).reason;
  }
  std::string refuses_gemv(const Types& types) const override { return gpu::refuses_gemv(types); }

  void gemm(const GemmCall& call) override {
    const GemmShape shape{call.m, call.n, call.k, call.lda, call.ldb, call.ldc, call.types, false, alignment_of(call)};
    if (!last_ || !(shape == shape_)) {
      auto planned = plan_gemm(shape);
      if (!planned.plan) throw Error(planned.reason);
      last_ = std::move(planned.plan);
      shape_ = shape;
    }
    last_->enqueue(call.a, call.b, call.c, call.stream);
  }
  void gemv(const GemvCall& call) override { enqueue_gemv(call); }
  void fft(const FftCall& call) override { fft_.enqueue(call); }

 private:
  GemmShape shape_;
  std::unique_ptr<GemmPlan> last_;
  Fft fft_;
};

}  // namespace

std::string library_name(DType storage) { return library_label(storage); }

std::unique_ptr<VendorLibrary> make_vendor_library() { return std::make_unique<GpuLibrary>(); }

}  // namespace gable::gpu
