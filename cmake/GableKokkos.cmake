find_package(Kokkos 4.6 REQUIRED)
