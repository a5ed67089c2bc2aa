# GABLE_BACKEND: the kind of device the workers of this build are for. A Kokkos has one GPU vendor and one GPU architecture, so such a
# build makes one worker; a CPU build makes one for each of GABLE_CPU_TARGETS. Those of several builds lie side by side. Sets, for the
# rest of the build:
#   GABLE_WORKER_TARGETS   the last parts of the workers' names: CPU targets, or the GPU's architecture
#   GABLE_TESTED_TARGET    the one of them that tests run
#   GABLE_KOKKOS_ARCH      (GPUs) Kokkos' name of the architecture
#   GABLE_DEVICE_LANGUAGE  (GPUs) CMake's language of sources with device code
#   GABLE_GPU_ARCH         (GPUs) the architecture as the backend's sources know it
#   GABLE_GPU_RUNTIME      (GPUs) target of the vendor's runtime
#   GABLE_SM_90A           (CUDA) nvcc's option for what only sm_90a has
set(GABLE_BACKEND openmp CACHE STRING "Kind of device the worker is for: openmp, cuda, hip")
set_property(CACHE GABLE_BACKEND PROPERTY STRINGS openmp cuda hip)
if(NOT GABLE_BACKEND MATCHES "^(openmp|cuda|hip)$")
  message(FATAL_ERROR "GABLE_BACKEND is '${GABLE_BACKEND}'; it can be openmp, cuda or hip")
endif()

# Makes nvcc a compiler of this build, with C++20 and for one architecture.
macro(gable_enable_cuda)
  set(GABLE_CUDA_ARCH 90a CACHE STRING "GPU architecture of the CUDA worker: 80, 90a, 100")
  set_property(CACHE GABLE_CUDA_ARCH PROPERTY STRINGS 80 90a 100)
  if(GABLE_CUDA_ARCH STREQUAL "80")
    set(GABLE_KOKKOS_ARCH AMPERE80)
  elseif(GABLE_CUDA_ARCH STREQUAL "90a")
    set(GABLE_KOKKOS_ARCH HOPPER90)
  elseif(GABLE_CUDA_ARCH STREQUAL "100")
    set(GABLE_KOKKOS_ARCH BLACKWELL100)
  else()
    message(FATAL_ERROR "GABLE_CUDA_ARCH is '${GABLE_CUDA_ARCH}'; it can be 80, 90a or 100")
  endif()
  # Kokkos is compiled for sm_90; units with instructions of sm_90a alone, operators among them, are for that.
  string(REPLACE "a" "" CMAKE_CUDA_ARCHITECTURES ${GABLE_CUDA_ARCH})
  option(GABLE_CUDA_PTX "Keep the PTX beside the machine code, uncompressed, and link the CUDA runtime as a shared library" OFF)
  if(GABLE_CUDA_PTX)  # the same program then runs with a runtime that interprets PTX
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
    set(GABLE_GPU_RUNTIME CUDA::cudart)
    set(GABLE_SM_90A -gencode=arch=compute_90a,code=[sm_90a,compute_90a])
    add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:--no-compress>)
  else()
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    set(GABLE_GPU_RUNTIME CUDA::cudart_static)
    set(GABLE_SM_90A -gencode=arch=compute_90a,code=sm_90a)
  endif()
  enable_language(CUDA)  # first: CMake 3.25.1 cannot try a compiler with a standard that it does not know it has
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # before 3.25.2 CMake does not know that nvcc has C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  find_package(CUDAToolkit 12.0 REQUIRED)
  set(GABLE_DEVICE_LANGUAGE CUDA)
  set(GABLE_GPU_ARCH ${GABLE_CUDA_ARCH})
  set(GABLE_WORKER_TARGETS sm_${GABLE_CUDA_ARCH})
endmacro()

# Makes clang++ of ROCm (CMAKE_HIP_COMPILER, else where hipcc says it is) a compiler of this build. Sources without device code stay with the C++ compiler.
macro(gable_enable_hip)
  set(GABLE_HIP_ARCH gfx942 CACHE STRING "GPU architecture of the HIP worker: gfx90a, gfx942, gfx950, gfx1100")
  set_property(CACHE GABLE_HIP_ARCH PROPERTY STRINGS gfx90a gfx942 gfx950 gfx1100)
  if(NOT GABLE_HIP_ARCH MATCHES "^gfx(90a|942|950|1100)$")
    message(FATAL_ERROR "GABLE_HIP_ARCH is '${GABLE_HIP_ARCH}'; it can be gfx90a, gfx942, gfx950 or gfx1100")
  endif()
  string(TOUPPER AMD_${GABLE_HIP_ARCH} GABLE_KOKKOS_ARCH)
  set(CMAKE_HIP_ARCHITECTURES ${GABLE_HIP_ARCH})
  set(CMAKE_HIP_STANDARD 20)
  set(CMAKE_HIP_STANDARD_REQUIRED ON)
  set(CMAKE_HIP_EXTENSIONS OFF)
  enable_language(HIP)
  find_package(hip REQUIRED)
  # One OpenMP in a program: that of the compiler that takes what includes Kokkos. FindOpenMP would give the C++ compiler's.
  execute_process(COMMAND ${CMAKE_HIP_COMPILER} -print-file-name=libomp.so OUTPUT_VARIABLE GABLE_LIBOMP OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT EXISTS "${GABLE_LIBOMP}")
    message(FATAL_ERROR "${CMAKE_HIP_COMPILER} has no libomp.so, LLVM's OpenMP runtime; see docs/install.md")
  endif()
  set(OpenMP_CXX_FLAGS -fopenmp CACHE STRING "")
  set(OpenMP_CXX_LIB_NAMES omp CACHE STRING "")
  set(OpenMP_omp_LIBRARY ${GABLE_LIBOMP} CACHE FILEPATH "")
  set(GABLE_DEVICE_LANGUAGE HIP)
  set(GABLE_GPU_ARCH ${GABLE_HIP_ARCH})
  set(GABLE_GPU_RUNTIME hip::host)
  set(GABLE_WORKER_TARGETS ${GABLE_HIP_ARCH})
endmacro()

set(GABLE_DEVICE_LANGUAGE "")
if(GABLE_BACKEND STREQUAL "cuda")
  gable_enable_cuda()
elseif(GABLE_BACKEND STREQUAL "hip")
  gable_enable_hip()
else()
  set(GABLE_WORKER_TARGETS ${GABLE_CPU_TARGETS})
endif()
if(GABLE_DEVICE_LANGUAGE)
  set(GABLE_TESTED_TARGET ${GABLE_WORKER_TARGETS})
else()
  set(GABLE_TESTED_TARGET ${GABLE_TESTED_CPU_TARGET})
endif()
