#include <fmt/format.h>

#include "backends/gpu/blas.hpp"
#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/library.hpp"
#include "core/error.hpp"

namespace gable::gpu {
namespace {

bool is_half(DType type) { return type == DType::fp16 || type == DType::bf16; }

/// y = A x with sums in the same type, through the library's function for it.
template <class T, class Function>
BlasStatus whole(Function* gemv, const GemvCall& call) {
  constexpr T one = 1, zero = 0;
  return gemv(blas_handle(), blas_transposed, call.n, call.m, &one, static_cast<const T*>(call.a), call.lda,
              static_cast<const T*>(call.x), 1, &zero, static_cast<T*>(call.y), 1);
}

/// The same for 2-byte types, which the libraries have as batches.
template <class T, class Function>
BlasStatus batch_of_one(Function* gemv, const GemvCall& call) {
  constexpr float one = 1, zero = 0;
  return gemv(blas_handle(), blas_transposed, call.n, call.m, &one, static_cast<const T*>(call.a), call.lda, 0,
              static_cast<const T*>(call.x), 1, 0, &zero, static_cast<T*>(call.y), 1, 0, 1);
}

}  // namespace

std::string refuses_gemv(const Types& types) {
  const bool same = types.a == types.b && types.a == types.out;
  const bool own = (types.a == DType::fp64 || types.a == DType::fp32) && types.accumulate == types.a;
  if (same && (own || (is_half(types.a) && types.accumulate == DType::fp32))) return "";
  return fmt::format("{} has no gemv of {} x {} -> {} accumulating {}", blas_title, to_string(types.a),
                     to_string(types.b), to_string(types.out), to_string(types.accumulate));
}

/// The libraries work by columns, so our A is their A transposed.
void enqueue_gemv(const GemvCall& call) {
  const auto refused = refuses_gemv(call.types);
  if (!refused.empty()) throw Error(refused);
  check_blas(blas_set_stream(blas_handle(), static_cast<Stream>(call.stream)), "choosing a stream");
  const auto status = [&] {
    switch (call.types.a) {
      case DType::fp64:
        return whole<double>(blas_gemv_fp64, call);
      case DType::fp32:
        return whole<float>(blas_gemv_fp32, call);
      case DType::fp16:
        return batch_of_one<BlasHalf>(blas_gemv_fp16, call);
      default:
        return batch_of_one<BlasBfloat16>(blas_gemv_bf16, call);
    }
  }();
  check_blas(status, "multiplying a matrix and a vector");
}

}  // namespace gable::gpu
