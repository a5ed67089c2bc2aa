#include "backends/gpu/blas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/failure.hpp"

namespace gable::gpu {
namespace {

void check_library(LtStatus status, const char* what) {
  if (status != GABLE_BLAS(_STATUS_SUCCESS)) fail(lt_title, what, lt_status(status).c_str(), true);
}

/// Lives as long as the process: when that ends the driver may be gone before it.
GABLE_LT(Handle_t) handle() {
  static GABLE_LT(Handle_t) made = [] {
    GABLE_LT(Handle_t) created{};
    check_library(GABLE_LT(Create)(&created), "starting");
    return created;
  }();
  return made;
}

std::optional<LtData> data_type(DType type) {
  switch (type) {
    case DType::fp64:
      return GABLE_LT_DATA(64F);
    case DType::fp32:
    case DType::tf32:
      return GABLE_LT_DATA(32F);
    case DType::fp16:
      return GABLE_LT_DATA(16F);
    case DType::bf16:
      return GABLE_LT_DATA(16BF);
    case DType::int8:
      return GABLE_LT_DATA(8I);
    case DType::int32:
      return GABLE_LT_DATA(32I);
    default:
      return lt_narrow(type);
  }
}

struct Arithmetic {
  LtCompute compute;
  LtData scale;
  std::uint64_t one;  ///< 1 of the scale's type: what the library reads through a pointer
};

std::optional<Arithmetic> arithmetic(const Types& types) {
  constexpr std::uint64_t one_fp32 = 0x3f800000U;
  if (types.a == DType::tf32) return Arithmetic{GABLE_BLAS(_COMPUTE_32F_FAST_TF32), GABLE_LT_DATA(32F), one_fp32};
  switch (types.accumulate) {
    case DType::fp64:
      return Arithmetic{GABLE_BLAS(_COMPUTE_64F), GABLE_LT_DATA(64F), 0x3ff0000000000000U};
    case DType::fp32:
      return Arithmetic{GABLE_BLAS(_COMPUTE_32F), GABLE_LT_DATA(32F), one_fp32};
    case DType::fp16:
      return Arithmetic{GABLE_BLAS(_COMPUTE_16F), GABLE_LT_DATA(16F), 0x3c00U};
    case DType::int32:
      return Arithmetic{GABLE_BLAS(_COMPUTE_32I), GABLE_LT_DATA(32I), 1U};
    default:
      return {};
  }
}

/// Owns one of the library's descriptors.
template <class Handle, LtStatus (*destroy)(Handle)>
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
using Layout = Owned<GABLE_LT(MatrixLayout_t), GABLE_LT(MatrixLayoutDestroy)>;
using Product = Owned<GABLE_LT(MatmulDesc_t), GABLE_LT(MatmulDescDestroy)>;
using Preference = Owned<GABLE_LT(MatmulPreference_t), GABLE_LT(MatmulPreferenceDestroy)>;

/// The library works by columns: C^T = B^T A^T, so its first factor is our B.
class LtPlan final : public GemmPlan {
 public:
  explicit LtPlan(Arithmetic with) : with_(with) {}

  /// Takes the heuristic's first choice, or says why there is none.
  std::string choose(const GemmShape& shape) {
    const auto made = GABLE_LT(MatmulDescCreate)(product_.out(), with_.compute, with_.scale);
    if (made != GABLE_BLAS(_STATUS_SUCCESS)) return lt_status(made);
    describe(shape);
    Preference preference;
    check_library(GABLE_LT(MatmulPreferenceCreate)(preference.out()), describing);
    constexpr std::uint64_t workspace = lt_workspace_bytes;
    check_library(GABLE_LT(MatmulPreferenceSetAttribute)(
                      preference.get(), GABLE_BLAS(LT_MATMUL_PREF_MAX_WORKSPACE_BYTES), &workspace, sizeof workspace),
                  describing);
    check_library(lt_prefer_alignment(preference.get(), static_cast<std::uint32_t>(shape.alignment)), describing);
    if (shape.types.out != shape.types.accumulate) check_library(lt_keep_sums(preference.get()), describing);
    int found = 0;
    const auto status = GABLE_LT(MatmulAlgoGetHeuristic)(handle(), product_.get(), b_.get(), a_.get(), c_.get(),
                                                         c_.get(), preference.get(), 1, &choice_, &found);
    if (status != GABLE_BLAS(_STATUS_SUCCESS)) return lt_status(status);
    if (found == 0) return "its heuristic finds no algorithm";
    if (choice_.workspaceSize > 0) workspace_ = Buffer(choice_.workspaceSize);
    return "";
  }

  void enqueue(const void* a, const void* b, void* c, void* stream) override {
    constexpr std::uint64_t zero = 0;  // of every type
    check_library(GABLE_LT(Matmul)(handle(), product_.get(), &with_.one, b, b_.get(), a, a_.get(), &zero, c, c_.get(),
                                   c, c_.get(), &choice_.algo, workspace_.as<void>(), workspace_.size_bytes(),
                                   static_cast<Stream>(stream)),
                  "multiplying matrices");
  }

  std::string algorithm() const override {
    return fmt::format("{}, workspace {} byte", lt_algorithm(handle(), choice_.algo), choice_.workspaceSize);
  }

 private:
  static constexpr const char* describing = "describing a product";

  void describe(const GemmShape& shape) {
    if (shape.k_contiguous) {
      constexpr auto transposed = GABLE_BLAS(_OP_T);
      check_library(GABLE_LT(MatmulDescSetAttribute)(product_.get(), GABLE_BLAS(LT_MATMUL_DESC_TRANSA), &transposed,
                                                     sizeof transposed),
                    describing);
    }
    if (is_fp8(shape.types.a)) check_library(lt_prepare_fp8(product_.get()), describing);
    if (const auto scales = lt_block_scales(shape.types.a)) scale_blocks(shape, *scales);
    describe(b_, shape.types.b, shape.k_contiguous ? shape.k : shape.n, shape.k_contiguous ? shape.n : shape.k,
             shape.ldb);
    describe(a_, shape.types.a, shape.k, shape.m, shape.lda);
    describe(c_, shape.types.out, shape.n, shape.m, shape.ldc);
  }
  /// All scales are 1, so that neither their order nor which factor they are of matters: a tile of 128 rows by four
  /// blocks lies behind another, and both factors have the same array.
  void scale_blocks(const GemmShape& shape, const LtBlockScales& scales) {
    const std::int64_t across = 4 * std::int64_t{scales.elements};
    const std::int64_t rows = (std::max(shape.m, shape.n) + 127) / 128 * 128,
                       blocks = (shape.k + across - 1) / across * 4;
    const std::vector<std::byte> ones(static_cast<std::size_t>(rows * blocks), std::byte{scales.one});
    scales_ = Buffer(ones.size());
    copy_async(scales_.as<void>(), ones.data(), ones.size(), Copy::to_device, Stream{});
    synchronize(Stream{});
    check_library(lt_set_block_scales(product_.get(), scales, scales_.as<void>()), describing);
  }
  static void describe(Layout& layout, DType type, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
    check_library(GABLE_LT(MatrixLayoutCreate)(layout.out(), *data_type(type), static_cast<std::uint64_t>(rows),
                                               static_cast<std::uint64_t>(columns), stride),
                  "describing a matrix");
  }

  Arithmetic with_;
  Product product_;
  Layout a_, b_, c_;
  GABLE_LT(MatmulHeuristicResult_t) choice_{};
  Buffer workspace_, scales_;
};

std::string none_for(const GemmShape& shape, const std::string& why) {
  return fmt::format("{} has no {} x {} -> {} accumulating {} for m={}, n={}, k={}: {}", library_name(shape.types.a),
                     to_string(shape.types.a), to_string(shape.types.b), to_string(shape.types.out),
                     to_string(shape.types.accumulate), shape.m, shape.n, shape.k, why);
}

}  // namespace

PlannedGemm plan_lt_gemm(const GemmShape& shape) {
  auto refused = lt_refuses(shape.types.a, shape.types.b);
  if (!refused.empty()) return {nullptr, none_for(shape, refused)};
  const auto with = arithmetic(shape.types);
  if (!with || !data_type(shape.types.a) || !data_type(shape.types.b) || !data_type(shape.types.out)) {
    return {nullptr, none_for(shape, "no such type")};
  }
  auto plan = std::make_unique<LtPlan>(*with);
  const auto reason = plan->choose(shape);
  if (!reason.empty()) return {nullptr, none_for(shape, reason)};
  return {std::move(plan), ""};
}

}  // namespace gable::gpu
