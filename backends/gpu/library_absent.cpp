#include "backends/gpu/library.hpp"
#include "core/error.hpp"

/// A build without the vendor's libraries.
namespace gable::gpu {
namespace {

std::string reason(DType storage) { return "this build has no " + library_name(storage); }

}  // namespace

PlannedGemm plan_gemm(const GemmShape& shape) { return {nullptr, reason(shape.types.a)}; }
std::string refuses_gemv(const Types& types) { return reason(types.a); }
void enqueue_gemv(const GemvCall& call) { throw Error(reason(call.types.a)); }
std::vector<std::pair<std::string, std::string>> library_versions() { return {}; }

}  // namespace gable::gpu
