# Matrix units. What only sm_90a has is compiled for that, while everything portable is compiled for sm_90.
if(GABLE_CUDA_ARCH STREQUAL "80")
  gable_gpu_kernels(gable_cuda_mma matrix_mma.cpp matrix_int4.cpp)
elseif(GABLE_CUDA_ARCH STREQUAL "90a")
  gable_gpu_kernels(gable_cuda_mma matrix_mma.cpp matrix_wide_fp64.cpp)
  gable_gpu_kernels(gable_cuda_wgmma wgmma.cpp)
  set_target_properties(gable_cuda_wgmma PROPERTIES CUDA_ARCHITECTURES OFF)
  target_compile_options(gable_cuda_wgmma PRIVATE ${GABLE_SM_90A})
endif()
