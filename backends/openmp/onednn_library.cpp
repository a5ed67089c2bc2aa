#include "backends/openmp/vendor_library.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <cstring>
#include <dnnl.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace gable::openmp {
namespace {

using Memory = dnnl::memory;

std::optional<Memory::data_type> data_type(DType dtype) {
  switch (dtype) {
    case DType::fp32:
      return Memory::data_type::f32;
    case DType::fp16:
      return Memory::data_type::f16;
    case DType::bf16:
      return Memory::data_type::bf16;
    case DType::int8:
      return Memory::data_type::s8;
    case DType::int32:
      return Memory::data_type::s32;
    default:
      return {};
  }
}

bool wanted(const Types& types) {
  if (types.a != types.b) return false;
  if (types.a == DType::int8) return types.out == DType::int32 && types.accumulate == DType::int32;
  const bool half = types.a == DType::bf16 || types.a == DType::fp16;
  return half && (types.out == types.a || types.out == DType::fp32) && types.accumulate == DType::fp32;
}

struct Descriptors {
  Memory::desc a, b, c;
};

Descriptors descriptors(const GemmCall& call) {
  const auto type = *data_type(call.types.a);
  return {Memory::desc({call.m, call.k}, type, Memory::dims{call.lda, 1}),
          Memory::desc({call.k, call.n}, type, Memory::dims{call.ldb, 1}),
          Memory::desc({call.m, call.n}, *data_type(call.types.out), Memory::dims{call.n, 1})};
}

dnnl::matmul::primitive_desc primitive(const dnnl::engine& engine, const Descriptors& of) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, of.a, of.b, of.c};
#else
  return {dnnl::matmul::desc(of.a, of.b, of.c), engine};
#endif
}

/// A matmul made for one shape, with its three arrays.
struct Prepared {
  GemmCall shape;
  dnnl::matmul matmul;
  Memory a, b, c;
  std::unordered_map<int, Memory> arguments;
  std::vector<char> dense;  // C without the gaps between its rows; empty if there are none

  /// oneDNN 3 writes into the gaps of a strided int8 output, so it only ever gets a dense one.
  void scatter(void* output) const {
    const auto element = static_cast<std::size_t>(size_bytes(shape.types.out));
    const auto row = static_cast<std::size_t>(shape.n) * element;
    for (std::int64_t i = 0; i < shape.m; ++i) {
      std::memcpy(static_cast<char*>(output) + static_cast<std::size_t>(i * shape.ldc) * element,
                  dense.data() + static_cast<std::size_t>(i) * row, row);
    }
  }

  bool fits(const GemmCall& call) const {
    return shape.m == call.m && shape.n == call.n && shape.k == call.k && shape.lda == call.lda &&
           shape.ldb == call.ldb && shape.ldc == call.ldc && shape.types == call.types;
  }
};

GemmCall as_gemm(const GemvCall& call) {
  return {call.m, 1, call.n, call.lda, 1, 1, call.types, call.a, call.x, call.y, call.stream};
}

class OneDnnLibrary final : public MatrixLibrary {
 public:
  explicit OneDnnLibrary(int threads) : threads_(threads) {}

  std::string refuses_gemm(const Types& types) const override { return refuses(types, 256); }
  std::string refuses_gemv(const Types& types) const override { return refuses(types, 1); }

  void gemm(const GemmCall& call) override {
    if (!wanted(call.types)) throw Error(refuses(call.types, call.n));
    omp_set_num_threads(threads_);  // oneDNN asks OpenMP for its number, when it plans and when it runs
    try {
      if (!last_ || !last_->fits(call)) prepare(call);
      auto& ready = *last_;
      ready.a.set_data_handle(const_cast<void*>(call.a));
      ready.b.set_data_handle(const_cast<void*>(call.b));
      ready.c.set_data_handle(ready.dense.empty() ? call.c : ready.dense.data());
      ready.matmul.execute(stream_, ready.arguments);
      stream_.wait();
      if (!ready.dense.empty()) ready.scatter(call.c);
    } catch (const dnnl::error& failure) {
      throw std::runtime_error(fmt::format("onednn: {}", failure.what()));
    }
  }

  void gemv(const GemvCall& call) override { gemm(as_gemm(call)); }

 private:
  std::string refuses(const Types& types, std::int64_t columns) const {
    if (!wanted(types)) {
      return fmt::format("onednn is used for bf16, fp16 and int8 (a = b = type), not for {} x {} -> {}",
                         to_string(types.a), to_string(types.b), to_string(types.out));
    }
    try {
      constexpr std::int64_t n = 256;
      const auto found = primitive(engine_, descriptors({n, columns, n, n, columns, columns, types, {}, {}, {}, {}}));
      const std::string_view implementation = found.impl_info_str();
      if (implementation.substr(0, 3) != "ref") return {};
    } catch (const dnnl::error&) {
      return fmt::format("onednn {} has no {} matmul for this CPU", onednn_version(), to_string(types.a));
    }
    return fmt::format("onednn {} has only its reference code for {} matmul on this CPU", onednn_version(),
                       to_string(types.a));
  }

  void prepare(const GemmCall& call) {
    const auto of = descriptors(call);
    Prepared made{call,
                  dnnl::matmul(primitive(engine_, of)),
                  Memory(of.a, engine_, DNNL_MEMORY_NONE),
                  Memory(of.b, engine_, DNNL_MEMORY_NONE),
                  Memory(of.c, engine_, DNNL_MEMORY_NONE),
                  {},
                  {}};
    if (call.ldc != call.n) made.dense.resize(of.c.get_size());
    made.arguments = {{DNNL_ARG_SRC, made.a}, {DNNL_ARG_WEIGHTS, made.b}, {DNNL_ARG_DST, made.c}};
    last_ = std::move(made);
  }

  int threads_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::optional<Prepared> last_;
};

}  // namespace

std::string onednn_version() {
  const auto* version = dnnl::version();
  return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
}

std::unique_ptr<MatrixLibrary> make_onednn(int threads) {
  try {
    return std::make_unique<OneDnnLibrary>(threads);
  } catch (const dnnl::error& failure) {
    throw std::runtime_error(fmt::format("onednn: {}", failure.what()));
  }
}

}  // namespace gable::openmp
