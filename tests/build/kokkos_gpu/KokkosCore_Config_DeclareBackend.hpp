#ifdef GABLE_KOKKOS_SERIAL
#include <decl/Kokkos_Declare_SERIAL.hpp>
#else
#include <decl/Kokkos_Declare_OPENMP.hpp>
#endif
#ifdef KOKKOS_ENABLE_HIP
#include <decl/Kokkos_Declare_HIP.hpp>
#else
#include <decl/Kokkos_Declare_CUDA.hpp>
#endif
