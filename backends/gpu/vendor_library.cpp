#include "backends/gpu/library.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <optional>

#include "backends/gpu/failure.hpp"
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

// The same numbers in both vendors' headers.
constexpr int complex_fp32 = 0x29, complex_fp64 = 0x69;
constexpr int forward = -1;

void check(int status, const char* what) {
  if (status != 0) fail(fft_label, what, fmt::format("status {}", status).c_str(), true);
}

/// The vendor's Fourier transforms on the current device; the library is loaded when this is made.
class Transforms {
 public:
  Transforms() {
    need(make_, "Plan3d");
    need(set_stream_, "SetStream");
    need(run_fp64_, "ExecZ2Z");
    need(run_fp32_, "ExecC2C");
    need(destroy_, "Destroy");
  }
  ~Transforms() { forget(); }
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  /// Empty, or why not: other types than fp64 and fp32, or no library.
  std::string refuses(const Types& types) const {
    if (types != uniform_types(DType::fp64) && types != uniform_types(DType::fp32)) {
      return fmt::format("{} has fp64 and fp32 only, not {}", fft_label, to_string(types.a));
    }
    return library_.missing();
  }

  /// Only enqueues, but for the first call of a shape, which plans it and takes the plan's work space; the last plan is
  /// kept. Throws DeviceFailure if the library fails.
  void enqueue(const FftCall& call) {
    if (const std::string refused = refuses(call.types); !refused.empty()) throw Error(refused);
    for (const std::int64_t size : {call.nx, call.ny, call.nz}) {
      if (size <= 0 || size > std::numeric_limits<int>::max()) {
        throw Error(fmt::format("{}: size {} is not in 1..{}", fft_label, size, std::numeric_limits<int>::max()));
      }
    }
    const Shape wanted{call.nx, call.ny, call.nz, call.types.a};
    if (!plan_ || wanted != shape_) make_plan(wanted);
    check(set_stream_(*plan_, call.stream), "choosing a stream");
    auto* run = wanted.dtype == DType::fp64 ? run_fp64_ : run_fp32_;
    check(run(*plan_, const_cast<void*>(call.in), call.out, forward), "transforming");
  }

 private:
  struct Shape {
    std::int64_t nx{}, ny{}, nz{};
    DType dtype{};
    bool operator==(const Shape&) const = default;
  };

  /// The vendors' names are the same behind how they begin.
  template <class Function>
  void need(Function*& function, const char* name) {
    library_.need(function, (std::string(fft_label) + name).c_str());
  }
  void forget() {
    if (plan_) destroy_(*plan_);
    plan_.reset();
  }
  void make_plan(const Shape& wanted) {
    forget();
    FftPlan made{};
    const int type = wanted.dtype == DType::fp64 ? complex_fp64 : complex_fp32;
    check(make_(&made, static_cast<int>(wanted.nz), static_cast<int>(wanted.ny), static_cast<int>(wanted.nx), type),
          "planning a transform");
    plan_ = made;
    shape_ = wanted;
  }

  LoadedLibrary library_ = load_fft();
  int (*make_)(FftPlan*, int, int, int, int){};
  int (*set_stream_)(FftPlan, void*){};
  int (*run_fp64_)(FftPlan, void*, void*, int){};
  int (*run_fp32_)(FftPlan, void*, void*, int){};
  int (*destroy_)(FftPlan){};
  Shape shape_;
  std::optional<FftPlan> plan_;
};

class GpuLibrary final : public VendorLibrary {
 public:
  std::string name(const Types& types) const override { return library_name(types.a); }
  std::string fft_name() const override { return fft_label; }
  std::string refuses_fft(const Types& types) const override { return transforms_.refuses(types); }
  std::string refuses_gemm(const Types& types) const override {
    constexpr std::int64_t n = 256;
    return plan_gemm({n, n, n, n, n, n, types}).reason;
  }
  std::string refuses_gemv(const Types& types) const override { return gpu::refuses_gemv(types); }

  void gemm(const GemmCall& call) override {
    const GemmShape shape{call.m, call.n, call.k, call.lda, call.ldb, call.ldc, call.types, false, alignment_of(call)};
    if (!last_ || shape != shape_) {
      auto planned = plan_gemm(shape);
      if (!planned.plan) throw Error(planned.reason);
      last_ = std::move(planned.plan);
      shape_ = shape;
    }
    last_->enqueue(call.a, call.b, call.c, call.stream);
  }
  void gemv(const GemvCall& call) override { enqueue_gemv(call); }
  void fft(const FftCall& call) override { transforms_.enqueue(call); }

 private:
  GemmShape shape_;
  std::unique_ptr<GemmPlan> last_;
  Transforms transforms_;
};

}  // namespace

std::string library_name(DType storage) { return library_label(storage); }

std::unique_ptr<VendorLibrary> make_vendor_library() { return std::make_unique<GpuLibrary>(); }

}  // namespace gable::gpu
