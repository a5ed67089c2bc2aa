#include <decl/Kokkos_Declare_OPENMP.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <decl/Kokkos_Declare_HIP.hpp>
#else
#include <decl/Kokkos_Declare_CUDA.hpp>
#endif
