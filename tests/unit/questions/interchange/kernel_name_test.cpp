#include "core/questions/interchange/kernel_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gable::interchange {
namespace {

TEST(KernelName, IsDemangled) {
  EXPECT_EQ(demangled("_Z4axpyPdPKdd"), "axpy(double*, double const*, double)");
  EXPECT_EQ(demangled("axpy"), "axpy");
  EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
}

/// A reference of a mangled name: "S_", "S0_" … "SZ_", "S10_".
std::string reference(int i) {
  constexpr const char* digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (i-- == 0) return "S_";
  return std::string("S") + (i < 36 ? "" : std::string(1, digits[i / 36])) + digits[i % 36] + "_";
}

/// Each argument is a template of twice the one before: of 250 letters 2^25 int, which would take a second.
TEST(KernelName, ThatIsMadeToGrowIsLeftAsItIs) {
  std::string name = "_Z1f1AIiiE";
  for (int i = 1; i < 25; ++i) name += "S_I" + reference(i) + reference(i) + "E";
  EXPECT_TRUE(demangled(name) == name);
}

/// As many references, but of a name that does not grow.
TEST(KernelName, WithManyReferencesIsDemangled) {
  std::string classes, again, known;
  for (int i = 0; i < 26; ++i) {
    classes += {'1', static_cast<char>('A' + i)};
    again += reference(i);
    known += {static_cast<char>('A' + i), ',', ' '};
  }
  EXPECT_EQ(demangled("_Z1f" + classes + again + "i"), "f(" + known + known + "int)");
}

/// Of PyTorch and CUTLASS.
TEST(KernelName, OfRealKernelsIsDemangled) {
  const auto short_name = [](const char* mangled) { return short_kernel_name(demangled(mangled)); };
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
