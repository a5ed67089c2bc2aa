#include "backends/openmp/vendor_library.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>

#include "backends/openmp/binding.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

constexpr double most_planning_s = 3.0;

struct Shape {
  std::int64_t nx{}, ny{}, nz{};
  bool operator==(const Shape&) const = default;
  std::size_t points() const { return static_cast<std::size_t>(nx * ny * nz); }
};

/// FFTW's names for one precision.
struct Fp64 {
  using Complex = fftw_complex;
  using Plan = fftw_plan;
  static constexpr auto* start = &fftw_init_threads;
  static constexpr auto* use_threads = &fftw_plan_with_nthreads;
  static constexpr auto* limit_time = &fftw_set_timelimit;
  static constexpr auto* make = &fftw_plan_dft_3d;
  static constexpr auto* run = &fftw_execute_dft;
  static constexpr auto* destroy = &fftw_destroy_plan;
  static constexpr auto* allocate = &fftw_alloc_complex;
  static constexpr auto* release = &fftw_free;
  static constexpr auto* alignment = &fftw_alignment_of;
  using Real = double;
};
struct Fp32 {
  using Complex = fftwf_complex;
  using Plan = fftwf_plan;
  static constexpr auto* start = &fftwf_init_threads;
  static constexpr auto* use_threads = &fftwf_plan_with_nthreads;
  static constexpr auto* limit_time = &fftwf_set_timelimit;
  static constexpr auto* make = &fftwf_plan_dft_3d;
  static constexpr auto* run = &fftwf_execute_dft;
  static constexpr auto* destroy = &fftwf_destroy_plan;
  static constexpr auto* allocate = &fftwf_alloc_complex;
  static constexpr auto* release = &fftwf_free;
  static constexpr auto* alignment = &fftwf_alignment_of;
  using Real = float;
};

/// Transforms of one precision: the plan of the last shape.
template <class Api>
class Transforms {
 public:
  explicit Transforms(const std::vector<int>& cpus) : cpus_(cpus) {
    if (Api::start() == 0) throw Error("fftw3: no threads");
  }
  ~Transforms() { forget(); }
  Transforms(const Transforms&) = delete;
  Transforms& operator=(const Transforms&) = delete;

  void run(const FftCall& call) {
    const Shape shape{call.nx, call.ny, call.nz};
    if (plan_ == nullptr || !(shape == shape_)) make_plan(shape);
    using Complex = typename Api::Complex;
    auto* in = static_cast<Complex*>(const_cast<void*>(call.in));  // out of place: FFTW only reads it
    auto* out = static_cast<Complex*>(call.out);
    if (alignment(in) != 0 || alignment(out) != 0) throw Error("fftw3: arrays must begin at whole vectors");
    Api::run(plan_, in, out);
  }

 private:
  static int alignment(typename Api::Complex* array) {
    return Api::alignment(reinterpret_cast<typename Api::Real*>(array));
  }
  void forget() {
    if (plan_ != nullptr) Api::destroy(plan_);
    plan_ = nullptr;
  }
  void make_plan(const Shape& shape) {
    forget();
    const WithCpus all(cpus_);  // threads that planning starts inherit the mask
    Api::use_threads(static_cast<int>(cpus_.size()));
    Api::limit_time(most_planning_s);
    auto* in = Api::allocate(shape.points());
    auto* out = Api::allocate(shape.points());
    if (in != nullptr && out != nullptr) {
      plan_ = Api::make(static_cast<int>(shape.nz), static_cast<int>(shape.ny), static_cast<int>(shape.nx), in, out,
                        FFTW_FORWARD, FFTW_MEASURE);
    }
    Api::release(in);
    Api::release(out);
    if (plan_ == nullptr) {
      throw Error(fmt::format("fftw3: no plan for {} x {} x {}", shape.nz, shape.ny, shape.nx));
    }
    shape_ = shape;
  }

  std::vector<int> cpus_;
  Shape shape_;
  typename Api::Plan plan_{};
};

class FftwLibrary final : public TransformLibrary {
 public:
  explicit FftwLibrary(const std::vector<int>& cpus) : fp64_(cpus), fp32_(cpus) {}

  std::string refuses(const Types& types) const override {
    if (types == uniform_types(DType::fp64) || types == uniform_types(DType::fp32)) return {};
    return fmt::format("fftw3 has fp64 and fp32 only, not {}", to_string(types.a));
  }

  void transform(const FftCall& call) override {
    if (const std::string refused = refuses(call.types); !refused.empty()) throw Error(refused);
    for (const std::int64_t size : {call.nx, call.ny, call.nz}) {
      if (size <= 0 || size > std::numeric_limits<int>::max()) {
        throw Error(fmt::format("fftw3: size {} is not in 1..{}", size, std::numeric_limits<int>::max()));
      }
    }
    if (call.types.a == DType::fp64) {
      fp64_.run(call);
    } else {
      fp32_.run(call);
    }
  }

 private:
  Transforms<Fp64> fp64_;
  Transforms<Fp32> fp32_;
};

}  // namespace

std::unique_ptr<TransformLibrary> make_fftw(const std::vector<int>& cpus) {
  return std::make_unique<FftwLibrary>(cpus);
}

/// "fftw-3.3.10-sse2-avx-avx2": the version is its second part.
std::string fftw_version() {
  std::istringstream parts(::fftw_version);
  std::string name, version;
  std::getline(parts, name, '-');
  std::getline(parts, version, '-');
  return version;
}

}  // namespace gable::openmp
