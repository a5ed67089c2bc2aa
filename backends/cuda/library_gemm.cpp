#include <cublasLt.h>
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/library.hpp"

namespace gable::gpu {
namespace {

/// What NVIDIA advises for sm_90; more than enough for the others.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

void check_library(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) fail("cuBLASLt", what, cublasLtGetStatusString(status), true);
}

/// Lives as long as the process: when that ends the driver may be gone before it.
cublasLtHandle_t handle() {
  static cublasLtHandle_t made = [] {
    cublasLtHandle_t created{};
    check_library(cublasLtCreate(&created), "starting");
    return created;
  }();
  return made;
}

std::optional<cudaDataType_t> data_type(DType type) {
  switch (type) {
    case DType::fp64:
      return CUDA_R_64F;
    case DType::fp32:
    case DType::tf32:
      return CUDA_R_32F;
    case DType::fp16:
      return CUDA_R_16F;
    case DType::bf16:
      return CUDA_R_16BF;
    case DType::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case DType::fp8_e5m2:
      return CUDA_R_8F_E5M2;
    case DType::int8:
      return CUDA_R_8I;
    case DType::int32:
      return CUDA_R_32I;
    default:
      return {};
  }
}

struct Arithmetic {
  cublasComputeType_t compute;
  cudaDataType_t scale;
};

std::optional<Arithmetic> arithmetic(const Types& types) {
  if (types.a == DType::tf32) return Arithmetic{CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F};
  switch (types.accumulate) {
    case DType::fp64:
      return Arithmetic{CUBLAS_COMPUTE_64F, CUDA_R_64F};
    case DType::fp32:
      return Arithmetic{CUBLAS_COMPUTE_32F, CUDA_R_32F};
    case DType::fp16:
      return Arithmetic{CUBLAS_COMPUTE_16F, CUDA_R_16F};
    case DType::int32:
      return Arithmetic{CUBLAS_COMPUTE_32I, CUDA_R_32I};
    default:
      return {};
  }
}

bool is_fp8(DType type) { return type == DType::fp8_e4m3 || type == DType::fp8_e5m2; }

/// 1 and 0 of every scale type: what the library reads through a pointer.
struct Scalar {
  std::uint64_t bits;

  static Scalar one(cudaDataType_t type) {
    switch (type) {
      case CUDA_R_64F:
        return {0x3ff0000000000000U};
      case CUDA_R_32F:
        return {0x3f800000U};
      case CUDA_R_16F:
        return {0x3c00U};
      default:
        return {1U};
    }
  }
};

/// Owns one of the library's descriptors.
template <class Handle, cublasStatus_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle_ != nullptr) destroy(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle* out() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  Handle handle_{};
};
using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Product = Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class T>
T config(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t which) {
  T value{};
  std::size_t written = 0;
  check_library(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, which, &value, sizeof value, &written),
                "asking what it chose");
  return value;
}

/// The library works by columns: C^T = B^T A^T, so its first factor is our B.
class LtPlan final : public GemmPlan {
 public:
  LtPlan(const GemmShape& shape, Arithmetic with) : one_(Scalar::one(with.scale)) {
    check_library(cublasLtMatmulDescCreate(product_.out(), with.compute, with.scale), "describing a product");
    if (shape.k_contiguous) {
      constexpr cublasOperation_t transposed = CUBLAS_OP_T;
      check_library(
          cublasLtMatmulDescSetAttribute(product_.get(), CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
          "describing a product");
    }
    if (is_fp8(shape.types.a)) {
      // sums stay in the matrix units, as those of the native kernel do
      constexpr std::int8_t fast = 1;
      check_library(cublasLtMatmulDescSetAttribute(product_.get(), CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast),
                    "describing a product");
    }
    describe(b_, shape.types.b, shape.k_contiguous ? shape.k : shape.n, shape.k_contiguous ? shape.n : shape.k,
             shape.ldb);
    describe(a_, shape.types.a, shape.k, shape.m, shape.lda);
    describe(c_, shape.types.out, shape.n, shape.m, shape.ldc);
  }

  /// The heuristic's first choice, or why there is none.
  std::string choose(std::int64_t alignment) {
    Preference preference;
    check_library(cublasLtMatmulPreferenceCreate(preference.out()), "describing a preference");
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, auto value) {
      check_library(cublasLtMatmulPreferenceSetAttribute(preference.get(), which, &value, sizeof value),
                    "describing a preference");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_bytes});
    for (const auto which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                             CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      prefer(which, static_cast<std::uint32_t>(alignment));
    }
    int found = 0;
    const auto status = cublasLtMatmulAlgoGetHeuristic(handle(), product_.get(), b_.get(), a_.get(), c_.get(), c_.get(),
                                                       preference.get(), 1, &choice_, &found);
    if (status != CUBLAS_STATUS_SUCCESS) return cublasLtGetStatusString(status);
    if (found == 0) return "its heuristic finds no algorithm";
    if (choice_.workspaceSize > 0) workspace_ = Buffer(choice_.workspaceSize);
    return "";
  }

  void enqueue(const void* a, const void* b, void* c, void* stream) override {
    constexpr Scalar zero{0};
    check_library(
        cublasLtMatmul(handle(), product_.get(), &one_, b, b_.get(), a, a_.get(), &zero, c, c_.get(), c, c_.get(),
                       &choice_.algo, workspace_.as<void>(), workspace_.size_bytes(), static_cast<Stream>(stream)),
        "multiplying matrices");
  }

  std::string algorithm() const override {
    return fmt::format("{}, tile {}, stages {}, split-k {}, workspace {} byte",
                       config<int>(choice_.algo, CUBLASLT_ALGO_CONFIG_ID),
                       config<std::uint32_t>(choice_.algo, CUBLASLT_ALGO_CONFIG_TILE_ID),
                       config<std::uint32_t>(choice_.algo, CUBLASLT_ALGO_CONFIG_STAGES_ID),
                       config<std::int32_t>(choice_.algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM), choice_.workspaceSize);
  }

 private:
  static void describe(Layout& layout, DType type, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    check_library(cublasLtMatrixLayoutCreate(layout.out(), *data_type(type), static_cast<std::uint64_t>(rows),
                                             static_cast<std::uint64_t>(columns), stride),
                  "describing a matrix");
  }

  Scalar one_;
  Product product_;
  Layout a_, b_, c_;
  cublasLtMatmulHeuristicResult_t choice_{};
  Buffer workspace_;
};

std::string none_for(const GemmShape& shape, const std::string& why) {
  return fmt::format("{} has no {} x {} -> {} accumulating {} for m={}, n={}, k={}: {}", library_name(),
                     to_string(shape.types.a), to_string(shape.types.b), to_string(shape.types.out),
                     to_string(shape.types.accumulate), shape.m, shape.n, shape.k, why);
}

}  // namespace

PlannedGemm plan_gemm(const GemmShape& shape) {
  if (shape.types.a == DType::fp8_e5m2 && shape.types.b == DType::fp8_e5m2) {  // cuBLAS, cublasLtMatmul(), FP8 kernels
    return {nullptr, none_for(shape, "one factor at most is fp8_e5m2")};
  }
  const auto with = arithmetic(shape.types);
  if (!with || !data_type(shape.types.a) || !data_type(shape.types.b) || !data_type(shape.types.out)) {
    return {nullptr, none_for(shape, "no such type")};
  }
  auto plan = std::make_unique<LtPlan>(shape, *with);
  const auto reason = plan->choose(shape.alignment);
  if (!reason.empty()) return {nullptr, none_for(shape, reason)};
  return {std::move(plan), ""};
}

std::string library_name() { return "cublaslt"; }

std::vector<std::pair<std::string, std::string>> library_versions() {
  const auto version = cublasLtGetVersion();
  return {{"cuBLASLt", fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)}};
}

}  // namespace gable::gpu
