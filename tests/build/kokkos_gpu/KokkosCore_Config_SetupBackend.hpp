#ifdef GABLE_KOKKOS_SERIAL  // one thread of the host instead of OpenMP, which is what the headers were installed for
#undef KOKKOS_ENABLE_OPENMP
#define KOKKOS_ENABLE_SERIAL
#endif
#ifdef KOKKOS_ENABLE_HIP
#include <setup/Kokkos_Setup_HIP.hpp>
#else
#include <setup/Kokkos_Setup_Cuda.hpp>
#endif
