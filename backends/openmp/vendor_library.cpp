#include "backends/openmp/vendor_library.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/error.hpp"

#ifdef GABLE_CBLAS
#include "backends/openmp/cblas_library.hpp"
#endif
#ifdef GABLE_ONEDNN
#include "backends/openmp/onednn_library.hpp"
#endif

namespace gable::openmp {
namespace {

/// Hands each call to the library for its types.
class CpuLibraries final : public VendorLibrary {
 public:
  CpuLibraries(std::unique_ptr<VendorLibrary> wide, std::unique_ptr<VendorLibrary> narrow)
      : wide_(std::move(wide)), narrow_(std::move(narrow)) {}

  std::string name(const Types& types) const override {
    const auto* library = choose(types);
    return library ? library->name(types) : is_wide(types) ? "cblas" : "onednn";
  }
  std::string refuses_gemm(const Types& types) const override {
    const auto* library = choose(types);
    return library ? library->refuses_gemm(types) : absent(types);
  }
  std::string refuses_gemv(const Types& types) const override {
    const auto* library = choose(types);
    return library ? library->refuses_gemv(types) : absent(types);
  }
  void gemm(const GemmCall& call) override { require(call.types).gemm(call); }
  void gemv(const GemvCall& call) override { require(call.types).gemv(call); }

 private:
  static bool is_wide(const Types& types) { return types.a == DType::fp64 || types.a == DType::fp32; }
  static std::string absent(const Types& types) {
    return fmt::format("this build has no {} (for {})", is_wide(types) ? "CBLAS library" : "oneDNN",
                       to_string(types.a));
  }
  VendorLibrary* choose(const Types& types) const { return is_wide(types) ? wide_.get() : narrow_.get(); }
  VendorLibrary& require(const Types& types) const {
    auto* library = choose(types);
    if (!library) throw Error(absent(types));
    return *library;
  }

  std::unique_ptr<VendorLibrary> wide_, narrow_;
};

}  // namespace

std::unique_ptr<VendorLibrary> make_vendor_library([[maybe_unused]] const std::vector<int>& cpus) {
  std::unique_ptr<VendorLibrary> wide, narrow;
#ifdef GABLE_CBLAS
  wide = std::make_unique<CblasLibrary>(cpus);
#endif
#ifdef GABLE_ONEDNN
  narrow = std::make_unique<OneDnnLibrary>(static_cast<int>(cpus.size()));
#endif
  return std::make_unique<CpuLibraries>(std::move(wide), std::move(narrow));
}

std::vector<std::pair<std::string, std::string>> vendor_library_versions() {
  std::vector<std::pair<std::string, std::string>> versions;
#ifdef GABLE_CBLAS
  versions.emplace_back(cblas_name(), cblas_version());
#endif
#ifdef GABLE_ONEDNN
  versions.emplace_back("onednn", onednn_version());
#endif
  return versions;
}

}  // namespace gable::openmp
