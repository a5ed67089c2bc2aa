// A stand-in of libcuda.so.1: what Kokkos asks of the driver itself. Whatever needs more of it, such as cuBLAS, finds
// that the driver is not there.
#include <cuda.h>

extern "C" {

CUresult cuStreamGetCtx(CUstream, CUcontext* context) {
  *context = nullptr;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}

}  // extern "C"
