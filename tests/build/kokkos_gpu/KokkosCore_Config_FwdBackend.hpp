#include <fwd/Kokkos_Fwd_OPENMP.hpp>
#ifdef KOKKOS_ENABLE_HIP
#include <fwd/Kokkos_Fwd_HIP.hpp>
#else
#include <fwd/Kokkos_Fwd_CUDA.hpp>
#endif
