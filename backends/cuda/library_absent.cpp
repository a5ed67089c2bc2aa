#include "backends/gpu/library.hpp"
#include "core/error.hpp"

/// A build without cuBLAS.
namespace gable::gpu {
namespace {

constexpr const char* reason = "this build has no cuBLAS";

}  // namespace

PlannedGemm plan_gemm(const GemmShape&) { return {nullptr, reason}; }
std::string refuses_gemv(const Types&) { return reason; }
void enqueue_gemv(const GemvCall&) { throw Error(reason); }
std::string library_name() { return "cublaslt"; }
std::vector<std::pair<std::string, std::string>> library_versions() { return {}; }

}  // namespace gable::gpu
