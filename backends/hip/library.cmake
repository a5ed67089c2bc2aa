# hipFFT is loaded when it is needed.
target_sources(gable_backend_gpu PRIVATE ${vendor}/hwmon.cpp ${vendor}/system_facts.cpp)
# hipBLASLt has no fp64 and no gemv: rocBLAS goes with it, or neither. gemv with sizes of 64 bits came with rocBLAS 4.2 (ROCm 6.2). find_package is
# not asked for that version: it would refuse 5.
set(libraries "")
find_package(hipblaslt QUIET)
find_package(rocblas QUIET)
if(hipblaslt_FOUND AND rocblas_FOUND)
  if(rocblas_VERSION VERSION_LESS 4.2)
    message(STATUS "rocBLAS ${rocblas_VERSION} is older than 4.2 and is not used")
  else()
    set(libraries roc::hipblaslt roc::rocblas)
  endif()
endif()
