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
  EXPECT_FALSE(short_kernel_name("(((((").empty());
  EXPECT_FALSE(short_kernel_name("Kokkos::Impl::ParallelFor<").empty());
  EXPECT_FALSE(short_kernel_name("RAJA::{lambda").empty());
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
