#include "backends/openmp/vendor_library.hpp"

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <omp.h>
#include <sched.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <sstream>

#include "backends/openmp/binding.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

/// A function of the library, if whatever CBLAS is behind the link at run time has it.
template <class Function>
Function* find_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// How OpenBLAS, MKL and BLIS are told their number of threads.
void set_threads(int threads) {
#ifdef GABLE_OPENBLAS
  openblas_set_num_threads(threads);
#else
  if (auto* openblas = find_function<void(int)>("openblas_set_num_threads")) return openblas(threads);
  if (auto* mkl = find_function<void(int)>("MKL_Set_Num_Threads")) return mkl(threads);
  if (auto* blis = find_function<void(std::int64_t)>("bli_thread_set_num_threads")) return blis(threads);
#endif
  omp_set_num_threads(threads);
}

/// The library's own threads (all but the calling one) go to the cpus beside the caller's. Only OpenBLAS has such
/// threads and a way to place them; elsewhere they are OpenMP's, which PinnedThreads pins.
void place_threads(const std::vector<int>& cpus) {
  using SetAffinity = int(int, std::size_t, cpu_set_t*);
  auto* parallel = find_function<int()>("openblas_get_parallel");
  auto* set_affinity = find_function<SetAffinity>("openblas_setaffinity");
  if (!parallel || !set_affinity || parallel() != 1) return;
  for (std::size_t i = 1; i < cpus.size() && cpus[i] < CPU_SETSIZE; ++i) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[i], &set);
    set_affinity(static_cast<int>(i - 1), sizeof set, &set);
  }
}

std::string refuses(const Types& types) {
  if (types == uniform_types(DType::fp64) || types == uniform_types(DType::fp32)) return {};
  return fmt::format("{} has fp64 and fp32 only, not {}", cblas_name(), to_string(types.a));
}

void check(const std::string& refusal, std::initializer_list<std::int64_t> sizes) {
  if (!refusal.empty()) throw Error(refusal);
  for (const std::int64_t size : sizes) {
    if (size <= 0 || size > std::numeric_limits<int>::max()) {
      throw Error(fmt::format("{}: size {} is not in 1..{}", cblas_name(), size, std::numeric_limits<int>::max()));
    }
  }
}

template <class T>
const T* in(const void* pointer) {
  return static_cast<const T*>(pointer);
}

class CblasLibrary final : public MatrixLibrary {
 public:
  explicit CblasLibrary(const std::vector<int>& cpus) {
    // Threads inherit the mask of the thread that makes them: a pinned caller would put all of them on its own cpu.
    const WithCpus all(cpus);
    set_threads(static_cast<int>(cpus.size()));
    place_threads(cpus);
  }

  std::string refuses_gemm(const Types& types) const override { return refuses(types); }
  std::string refuses_gemv(const Types& types) const override { return refuses(types); }

  void gemm(const GemmCall& call) override {
    check(refuses(call.types), {call.m, call.n, call.k, call.lda, call.ldb, call.ldc});
    const auto m = static_cast<int>(call.m), n = static_cast<int>(call.n), k = static_cast<int>(call.k);
    const auto lda = static_cast<int>(call.lda), ldb = static_cast<int>(call.ldb), ldc = static_cast<int>(call.ldc);
    if (call.types.a == DType::fp64) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, in<double>(call.a), lda, in<double>(call.b),
                  ldb, 0.0, static_cast<double*>(call.c), ldc);
    } else {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, in<float>(call.a), lda, in<float>(call.b),
                  ldb, 0.0f, static_cast<float*>(call.c), ldc);
    }
  }

  void gemv(const GemvCall& call) override {
    check(refuses(call.types), {call.m, call.n, call.lda});
    const auto m = static_cast<int>(call.m), n = static_cast<int>(call.n), lda = static_cast<int>(call.lda);
    if (call.types.a == DType::fp64) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0, in<double>(call.a), lda, in<double>(call.x), 1, 0.0,
                  static_cast<double*>(call.y), 1);
    } else {
      cblas_sgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0f, in<float>(call.a), lda, in<float>(call.x), 1, 0.0f,
                  static_cast<float*>(call.y), 1);
    }
  }
};

}  // namespace

std::string cblas_name() {
#ifdef GABLE_OPENBLAS
  return "openblas";
#else
  if (find_function<char*()>("openblas_get_config")) return "openblas";
  if (find_function<void(int)>("MKL_Set_Num_Threads")) return "mkl";
  return find_function<const char*()>("bli_info_get_version_str") ? "blis" : "cblas";
#endif
}

std::string cblas_version() {
  std::string text;
#ifdef GABLE_OPENBLAS
  text = openblas_get_config();
#else
  if (auto* openblas = find_function<char*()>("openblas_get_config")) text = openblas();
  if (auto* blis = find_function<const char*()>("bli_info_get_version_str")) text = blis();
#endif
  if (text.empty()) return "unknown";
  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64": the version is its second word.
  std::istringstream words(text);
  std::string first, second;
  words >> first >> second;
  return first == "OpenBLAS" && !second.empty() ? second : text;
}

std::unique_ptr<MatrixLibrary> make_cblas(const std::vector<int>& cpus) { return std::make_unique<CblasLibrary>(cpus); }

}  // namespace gable::openmp
