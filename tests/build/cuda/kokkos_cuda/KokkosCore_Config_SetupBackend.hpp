#include <setup/Kokkos_Setup_Cuda.hpp>
