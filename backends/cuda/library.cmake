# cuBLAS is linked if the toolkit has it (NVML and cuFFT are loaded when they are needed).
set(libraries "")
if(TARGET CUDA::cublas AND TARGET CUDA::cublasLt)
  set(libraries CUDA::cublas CUDA::cublasLt)
endif()
