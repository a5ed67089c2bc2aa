#include "backends/gpu/fft.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "backends/gpu/failure.hpp"
#include "backends/gpu/loaded_library.hpp"
#include "core/error.hpp"
#include "library_names.hpp"

namespace gable::gpu {
namespace {

// The same numbers in both vendors' headers.
constexpr int complex_fp32 = 0x29, complex_fp64 = 0x69;
constexpr int forward = -1;

void check(int status, const char* what) {
  if (status != 0) fail(fft_label, what, fmt::format("status {}", status).c_str(), true);
}

struct Shape {
  std::int64_t nx{}, ny{}, nz{};
  DType dtype{};
  bool operator==(const Shape&) const = default;
};

}  // namespace

struct Fft::State {
  LoadedLibrary library = load_fft();
  int (*make)(FftPlan*, int, int, int, int){};
  int (*set_stream)(FftPlan, void*){};
  int (*run_fp64)(FftPlan, void*, void*, int){};
  int (*run_fp32)(FftPlan, void*, void*, int){};
  int (*destroy)(FftPlan){};
  Shape shape;
  std::optional<FftPlan> plan;

  State() {
    need(make, "Plan3d");
    need(set_stream, "SetStream");
    need(run_fp64, "ExecZ2Z");
    need(run_fp32, "ExecC2C");
    need(destroy, "Destroy");
  }
  /// The vendors' names are the same behind how they begin.
  template <class Function>
  void need(Function*& function, const char* name) {
    library.need(function, (std::string(fft_label) + name).c_str());
  }
  void forget() {
    if (plan) destroy(*plan);
    plan.reset();
  }
  void make_plan(const Shape& wanted) {
    forget();
    FftPlan made{};
    const int type = wanted.dtype == DType::fp64 ? complex_fp64 : complex_fp32;
    check(make(&made, static_cast<int>(wanted.nz), static_cast<int>(wanted.ny), static_cast<int>(wanted.nx), type),
          "planning a transform");
    plan = made;
    shape = wanted;
  }
};

Fft::Fft() : state_(std::make_unique<State>()) {}
Fft::~Fft() { state_->forget(); }

std::string Fft::refuses(const Types& types) const {
  if (types != uniform_types(DType::fp64) && types != uniform_types(DType::fp32)) {
    return fmt::format("{} has fp64 and fp32 only, not {}", fft_label, to_string(types.a));
  }
  return state_->library.missing();
}

void Fft::enqueue(const FftCall& call) {
  if (const std::string refused = refuses(call.types); !refused.empty()) throw Error(refused);
  for (const std::int64_t size : {call.nx, call.ny, call.nz}) {
    if (size <= 0 || size > std::numeric_limits<int>::max()) {
      throw Error(fmt::format("{}: size {} is not in 1..{}", fft_label, size, std::numeric_limits<int>::max()));
    }
  }
  const Shape wanted{call.nx, call.ny, call.nz, call.types.a};
  if (!state_->plan || !(wanted == state_->shape)) state_->make_plan(wanted);
  check(state_->set_stream(*state_->plan, call.stream), "choosing a stream");
  auto* run = wanted.dtype == DType::fp64 ? state_->run_fp64 : state_->run_fp32;
  check(run(*state_->plan, const_cast<void*>(call.in), call.out, forward), "transforming");
}

std::string fft_library_name() { return fft_label; }

}  // namespace gable::gpu
