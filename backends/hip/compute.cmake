# Matrix units. One list of matrix kernels an architecture, and one source of the instructions that it has.
set(matrix_source_gfx90a mfma_cdna2.cpp)
set(matrix_source_gfx942 mfma_cdna3.cpp)
set(matrix_source_gfx950 mfma_cdna4.cpp)
set(matrix_source_gfx1100 wmma_rdna3.cpp)
gable_gpu_kernels(gable_hip_matrix ${matrix_source_${GABLE_GPU_ARCH}})
target_sources(gable_backend_gpu PRIVATE ${vendor}/matrix_${GABLE_GPU_ARCH}.cpp)
