#pragma once
#include <stdexcept>

namespace gable::gpu {

/// A call of the vendor's runtime failed; the device can still be used (out of memory, an argument it refuses).
struct DeviceFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws DeviceFailure "<runtime>: <what>: <text>". If the device is not usable any more (lost, a kernel that faulted)
/// nothing further in this process could be measured: writes the same line to standard error and ends the process, so
/// that the parent records it and goes on with a new worker.
[[noreturn]] void fail(const char* runtime, const char* what, const char* text, bool usable);

}  // namespace gable::gpu
