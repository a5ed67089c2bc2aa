# hipFFT is loaded when it is needed.
target_sources(gable_backend_gpu PRIVATE ${vendor}/hwmon.cpp ${vendor}/system_facts.cpp)
# hipBLASLt has no fp64 and no gemv: rocBLAS goes with it, or neither.
set(libraries "")
find_package(hipblaslt QUIET)
find_package(rocblas QUIET)
if(hipblaslt_FOUND AND rocblas_FOUND)
  set(libraries roc::hipblaslt roc::rocblas)
endif()
