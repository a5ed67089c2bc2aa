#include "tests/gpu/emulated/runtime/answer.hpp"

#include <cstdio>
#include <utility>

namespace gable::emulated {
namespace {

struct Text {
  cudaError_t error;
  const char *name, *words;
};
constexpr Text texts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice", "no kernel image for the device"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported", "peer access is not supported"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "not permitted while a stream is captured"},
    {cudaErrorIllegalState, "cudaErrorIllegalState", "not permitted in the present state"}};

const Text& text_of(cudaError_t error) {
  static constexpr Text unknown{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"};
  for (const Text& text : texts) {
    if (text.error == error) return text;
  }
  return unknown;
}

}  // namespace

void say(const std::string& text) { std::fprintf(stderr, "emulated device: %s\n", text.c_str()); }

// Never destroyed: programs call the runtime while they end.
Errors& errors() {
  static Errors& it = *new Errors;
  return it;
}

}  // namespace gable::emulated

using namespace gable::emulated;

extern "C" {

const char* cudaGetErrorString(cudaError_t error) { return text_of(error).words; }
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }

cudaError_t cudaGetLastError() {
  const std::lock_guard lock(errors().one_call_at_a_time);
  const cudaError_t last = std::exchange(errors().last, cudaSuccess);
  return errors().fault != cudaSuccess ? errors().fault : last;
}

}  // extern "C"
