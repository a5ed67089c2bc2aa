#include "core/questions/interchange/kernel_name.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace gable::interchange {
namespace {

std::string one(std::string name) { return demangled({std::move(name)}).front(); }

TEST(KernelName, IsDemangled) {
  EXPECT_EQ(demangled({"_Z4axpyPdPKdd", "axpy", "_Znonsense", "_Z1fv.kd"}),
            (std::vector<std::string>{"axpy(double*, double const*, double)", "axpy", "_Znonsense", "f()"}));
  std::vector<std::string> many(2000, "_Z1fv");
  EXPECT_EQ(demangled(many), std::vector<std::string>(2000, "f()"));
}

/// A reference of a mangled name: "S_", "S0_" … "SZ_", "S10_".
std::string reference(int i) {
  constexpr const char* digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (i-- == 0) return "S_";
  return std::string("S") + (i < 36 ? "" : std::string(1, digits[i / 36])) + digits[i % 36] + "_";
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

/// Each argument a template of twice the one before, 2^60 int in all; packs of ten of packs of ten, 10^10; and one that
/// the library of GCC 12 does not end with. A caller's signals change nothing, and what stands between is demangled.
TEST(KernelName, ThatIsMadeToGrowIsLeftAsItIs) {
  std::string twice = "_Z1f1AIiiE";
  for (int i = 1; i < 60; ++i) twice += "S_I" + reference(i) + reference(i) + "E";
  const std::string pack = "_Z1fIJ" + times(10, "i") + "EEv" + times(10, "Dp1AIT_") + times(10, "E");
  sigset_t profiling, before;
  sigemptyset(&profiling);
  sigaddset(&profiling, SIGPROF);
  ::sigprocmask(SIG_BLOCK, &profiling, &before);
  const auto children = std::signal(SIGCHLD, SIG_IGN);
  const std::vector<std::string> names = demangled({twice, "_Z1fv", pack, "_Z1gv", "_Z1fDTsrU", "_Z1hv"});
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGCHLD, children);
  EXPECT_TRUE(names == (std::vector<std::string>{twice, "f()", pack, "g()", "_Z1fDTsrU", "h()"}))
      << names[1] << names[5];
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  EXPECT_LT(used.ru_maxrss, 1 << 20) << "KiB";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(demangled(std::vector(2000, pack)) == std::vector(2000, pack));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

/// Each of them is 12,000 letters long, 97 MB in all.
TEST(KernelName, AllTogetherDoNotGrowWithoutBound) {
  const std::string mangled = "_Z1f300" + std::string(300, 'A') + times(39, "S_");
  std::size_t letters = 0;
  const std::vector<std::string> names = demangled(std::vector(8000, mangled));
  for (const std::string& name : names) letters += name.size();
  EXPECT_EQ(names.front().size(), 40 * 302 + 1U);
  EXPECT_EQ(names.back(), mangled);
  EXPECT_LT(letters, std::size_t{70} << 20);
}

/// As many references, but of a name that does not grow.
TEST(KernelName, WithManyReferencesIsDemangled) {
  std::string classes, again, known;
  for (int i = 0; i < 26; ++i) {
    classes += {'1', static_cast<char>('A' + i)};
    again += reference(i);
    known += {static_cast<char>('A' + i), ',', ' '};
  }
  EXPECT_EQ(one("_Z1f" + classes + again + "i"), "f(" + known + known + "int)");
}

/// Of PyTorch and CUTLASS.
TEST(KernelName, OfRealKernelsIsDemangled) {
  const auto short_name = [](const char* mangled) { return short_kernel_name(one(mangled)); };
  EXPECT_EQ(short_name("_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_cudaERNS_"
                       "18TensorIteratorBaseEENKUlvE1_clEvENKUlvE5_clEvEUlfE_NS_6detail5ArrayIPcLi2EEE"
                       "23TrivialOffsetCalculatorILi1EjESC_NS0_6memory12LoadWithCastILi1EEENSD_"
                       "13StoreWithCastILi1EEEEEviT_T0_T1_T2_T3_T4_"),
            "at::native::unrolled_elementwise_kernel<…>");
  EXPECT_EQ(short_name("_ZN7cutlass13device_kernelIN49_GLOBAL__N__8bf0e19b_16_scaled_mm_c3x_cu_2bec3df915"
                       "cutlass_3x_gemmIaNS_6half_tENS1_14ScaledEpilogueEN4cute5tupleIJNS5_1CILi64EEENS7_"
                       "ILi128EEES9_EEENS6_IJNS7_ILi2EEENS7_ILi1EEESC_EEENS_4gemm32KernelTmaWarpSpecialized"
                       "PingpongENS_8epilogue18TmaWarpSpecializedEE10GemmKernelEEEvNT_6ParamsE"),
            "cutlass::device_kernel<…>");
}

TEST(KernelName, LosesReturnTypeArgumentsAndLongTemplateArguments) {
  EXPECT_EQ(short_kernel_name("void axpy<double>(double*, double const*, double)"), "axpy<double>");
  EXPECT_EQ(short_kernel_name("axpy(double*, double const*, double)"), "axpy");
  EXPECT_EQ(short_kernel_name("void ns::gemm<cutlass::layout::RowMajor, cutlass::half_t, 128>(int)"), "ns::gemm<…>");
  EXPECT_EQ(short_kernel_name("triad"), "triad");
}

TEST(KernelName, OfKokkosIsItsFunctor) {
  EXPECT_EQ(
      short_kernel_name("void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<Axpy<double>, "
                        "Kokkos::RangePolicy<Kokkos::Cuda>, Kokkos::Cuda>, 128u, 1u>(Kokkos::Impl::ParallelFor<"
                        "Axpy<double>, Kokkos::RangePolicy<Kokkos::Cuda>, Kokkos::Cuda>)"),
      "Kokkos for Axpy<double>");
  EXPECT_EQ(
      short_kernel_name("Kokkos::Impl::ParallelReduce<Kokkos::Impl::CombinedFunctorReducer<solve(int)::{lambda(int, "
                        "double&)#2}, Kokkos::Sum<double>>, Kokkos::RangePolicy<>, Kokkos::OpenMP>"),
      "Kokkos reduce solve::lambda#2");
}

TEST(KernelName, OfRajaIsTheFunctionAroundTheLambda) {
  EXPECT_EQ(
      short_kernel_name("void RAJA::policy::cuda::impl::forall_cuda_kernel<RAJA::policy::cuda::cuda_exec<256ul>, "
                        "update(double*, int)::{lambda(int)#1}, long>(update(double*, int)::{lambda(int)#1}, long)"),
      "RAJA forall update::lambda#1");
}

TEST(KernelName, HostileNamesStayShortAndEnd) {
  EXPECT_LE(short_kernel_name(std::string(100000, '<')).size(), 90U);
  EXPECT_LE(short_kernel_name(std::string(100000, 'a')).size(), 90U);
  for (const char* words : {"(((((", "Kokkos::Impl::ParallelFor<", "RAJA::{lambda"})
    EXPECT_FALSE(short_kernel_name(words).empty()) << words;
}

TEST(KernelName, OfARegionStaysAndLosesWhatIsFarAround) {
  EXPECT_EQ(short_region_name("loop in main at a.cpp:3 (int)"), "loop in main at a.cpp:3 (int)");
  const std::string outer(60, 'o');
  EXPECT_EQ(short_region_name(outer + " / " + std::string(60, 'm') + " / solve / sum"),
            "… / " + std::string(60, 'm') + " / solve / sum");
  EXPECT_EQ(short_region_name(std::string(200, 'x')), std::string(80, 'x') + "…");
}

}  // namespace
}  // namespace gable::interchange
