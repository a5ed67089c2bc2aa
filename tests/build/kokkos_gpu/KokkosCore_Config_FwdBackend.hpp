#ifdef GABLE_KOKKOS_SERIAL
#include <fwd/Kokkos_Fwd_SERIAL.hpp>
#else
#include <fwd/Kokkos_Fwd_OPENMP.hpp>
#endif
#ifdef KOKKOS_ENABLE_HIP
#include <fwd/Kokkos_Fwd_HIP.hpp>
#else
#include <fwd/Kokkos_Fwd_CUDA.hpp>
#endif
