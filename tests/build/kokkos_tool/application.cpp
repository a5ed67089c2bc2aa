// A Kokkos program as others write them; it knows nothing of Gable.
#include <Kokkos_Core.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard scope(argc, argv);
  constexpr int n = 1 << 20, steps = 20;
  Kokkos::View<double*> x("x", n), y("y", n);
  double sum = 0;
  Kokkos::Profiling::pushRegion("solve");
  for (int step = 0; step < steps; ++step) {
    Kokkos::parallel_for(
        "axpy", n, KOKKOS_LAMBDA(int i) { y(i) += 2.0 * x(i); });
    Kokkos::parallel_reduce(
        "norm \"2\", of y", n, KOKKOS_LAMBDA(int i, double& s) { s += y(i) * y(i); }, sum);
  }
  Kokkos::fence();
  Kokkos::Profiling::popRegion();
  Kokkos::deep_copy(y, x);
  Kokkos::parallel_for(
      "undeclared", 10, KOKKOS_LAMBDA(int i) { x(i) = i; });
  Kokkos::parallel_for(
      "scale[n=1000]", 1000, KOKKOS_LAMBDA(int i) { y(i) *= 3.0; });
  Kokkos::fence();
  std::printf("norm %g\n", sum);
}
