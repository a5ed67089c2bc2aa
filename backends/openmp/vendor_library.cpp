#include "backends/openmp/vendor_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <filesystem>

#include "core/error.hpp"

namespace gable::openmp {
namespace {

/// A library that was started when this was made: null if the build has none.
template <class Library>
class Started {
 public:
  Started() = default;
  template <class Make>
  explicit Started(Make&& make) {
    try {
      library_ = make();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  /// Throws what kept it from starting.
  Library* get() const {
    if (failure_) std::rethrow_exception(failure_);
    return library_.get();
  }

 private:
  std::unique_ptr<Library> library_;
  std::exception_ptr failure_;
};

/// Hands each call to the library for it and for its types.
class CpuLibraries final : public VendorLibrary {
 public:
  CpuLibraries(Started<MatrixLibrary> wide, Started<MatrixLibrary> narrow, Started<TransformLibrary> transforms)
      : wide_(std::move(wide)), narrow_(std::move(narrow)), transforms_(std::move(transforms)) {}

  std::string name([[maybe_unused]] const Types& types) const override {
#ifdef GABLE_CBLAS
    if (is_wide(types)) return cblas_name();
#endif
    return is_wide(types) ? "cblas" : "onednn";
  }
  std::string refuses_gemm(const Types& types) const override {
    const auto* library = choose(types);
    return library ? library->refuses_gemm(types) : absent(types);
  }
  std::string refuses_gemv(const Types& types) const override {
    const auto* library = choose(types);
    return library ? library->refuses_gemv(types) : absent(types);
  }
  std::string fft_name() const override { return "fftw3"; }
  std::string refuses_fft(const Types& types) const override {
    const auto* library = transforms_.get();
    return library ? library->refuses(types) : "this build has no FFTW";
  }
  void gemm(const GemmCall& call) override { require(call.types).gemm(call); }
  void gemv(const GemvCall& call) override { require(call.types).gemv(call); }
  void fft(const FftCall& call) override {
    auto* library = transforms_.get();
    if (!library) throw Error(refuses_fft(call.types));
    library->transform(call);
  }

 private:
  static bool is_wide(const Types& types) { return types.a == DType::fp64 || types.a == DType::fp32; }
  static std::string absent(const Types& types) {
    return fmt::format("this build has no {} (for {})", is_wide(types) ? "CBLAS library" : "oneDNN",
                       to_string(types.a));
  }
  MatrixLibrary* choose(const Types& types) const { return is_wide(types) ? wide_.get() : narrow_.get(); }
  MatrixLibrary& require(const Types& types) const {
    auto* library = choose(types);
    if (!library) throw Error(absent(types));
    return *library;
  }

  Started<MatrixLibrary> wide_, narrow_;
  Started<TransformLibrary> transforms_;
};

/// "202111 (libgomp.so.1)": what this was compiled for, and the file that answers, which has no version to ask for.
std::string openmp_runtime() {
  Dl_info found{};
  void* const function = ::dlsym(RTLD_DEFAULT, "omp_get_max_threads");
  const bool known = function && ::dladdr(function, &found) != 0;
  return fmt::format("{} ({})", _OPENMP,
                     known ? std::filesystem::path(found.dli_fname).filename().string() : "unknown");
}

}  // namespace

std::unique_ptr<VendorLibrary> make_vendor_library([[maybe_unused]] const std::vector<int>& cpus) {
  Started<MatrixLibrary> wide, narrow;
  Started<TransformLibrary> transforms;
#ifdef GABLE_CBLAS
  wide = Started<MatrixLibrary>([&] { return make_cblas(cpus); });
#endif
#ifdef GABLE_ONEDNN
  narrow = Started<MatrixLibrary>([&] { return make_onednn(static_cast<int>(cpus.size())); });
#endif
#ifdef GABLE_FFTW
  transforms = Started<TransformLibrary>([&] { return make_fftw(cpus); });
#endif
  return std::make_unique<CpuLibraries>(std::move(wide), std::move(narrow), std::move(transforms));
}

std::vector<std::pair<std::string, std::string>> library_versions() {
  std::vector<std::pair<std::string, std::string>> versions{
      {"Highway", GABLE_HIGHWAY_VERSION}, {"hwloc", GABLE_HWLOC_VERSION}, {"OpenMP", openmp_runtime()}};
#ifdef GABLE_CBLAS
  versions.emplace_back(cblas_name(), cblas_version());
#endif
#ifdef GABLE_ONEDNN
  versions.emplace_back("onednn", onednn_version());
#endif
#ifdef GABLE_FFTW
  versions.emplace_back("fftw3", fftw_version());
#endif
  return versions;
}

}  // namespace gable::openmp
