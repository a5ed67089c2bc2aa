#pragma once
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace gable::gpu {

/// A call of the vendor's runtime failed; the device can still be used (out of memory, an argument it refuses).
struct DeviceFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws DeviceFailure "<runtime>: <what>: <text>". If the device is not usable any more (lost, a kernel that faulted)
/// nothing further in this process could be measured: writes the same line to standard error and ends the process, so
/// that the parent records it and goes on with a new worker.
[[noreturn]] inline void fail(const char* runtime, const char* what, const char* text, bool usable) {
  const std::string line = std::string(runtime) + ": " + what + ": " + text;
  if (usable) throw DeviceFailure(line);
  constexpr int device_lost = 4;
  std::fprintf(stderr, "%s; the device cannot be used any more by this process\n", line.c_str());
  std::fflush(stderr);
  std::_Exit(device_lost);
}

}  // namespace gable::gpu
