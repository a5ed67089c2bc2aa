# NVML is loaded when it is needed; cuBLAS is linked if the toolkit has it.
target_sources(gable_backend_gpu PRIVATE ${vendor}/nvml.cpp)
set(libraries "")
if(TARGET CUDA::cublas AND TARGET CUDA::cublasLt)
  set(libraries CUDA::cublas CUDA::cublasLt)
endif()
