# The sources of the instructions that an architecture has.
set(own_sources_gfx90a mfma_cdna2.cpp)
set(own_sources_gfx942 mfma_cdna3.cpp)
set(own_sources_gfx950 mfma_cdna4.cpp)
set(own_sources_gfx1100 wmma_rdna3.cpp dual_rdna3.cpp)
gable_gpu_kernels(gable_hip_own ${own_sources_${GABLE_GPU_ARCH}})
