#pragma once
#include <cuda_runtime_api.h>

#include <exception>
#include <mutex>
#include <new>
#include <string>

namespace gable::emulated {

/// One line on stderr, for whoever looks for the reason of an error.
void say(const std::string& text);

/// What the calls of this process have come to.
struct Errors {
  std::recursive_mutex one_call_at_a_time;
  cudaError_t last = cudaSuccess;
  cudaError_t fault = cudaSuccess;  ///< of a kernel: as on hardware, nothing works after it
};
Errors& errors();

/// The result of a call of the runtime whose work is `body`. Every call goes through it: an error is remembered for
/// cudaGetLastError, and what a kernel must not do becomes cudaErrorLaunchFailure for good.
template <class Body>
cudaError_t answer(Body&& body) {
  const std::lock_guard lock(errors().one_call_at_a_time);
  if (errors().fault != cudaSuccess) return errors().fault;
  cudaError_t result = cudaSuccess;
  try {
    result = body();
  } catch (const std::bad_alloc&) {
    result = cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    say(error.what());
    result = errors().fault = cudaErrorLaunchFailure;
  }
  if (result != cudaSuccess) errors().last = result;
  return result;
}

/// For misuse that a program may not look for: says what it is.
inline cudaError_t refuse(cudaError_t error, const std::string& reason) {
  say(reason);
  return error;
}

}  // namespace gable::emulated
