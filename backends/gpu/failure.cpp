#include "backends/gpu/failure.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace gable::gpu {

void fail(const char* runtime, const char* what, const char* text, bool usable) {
  const auto line = fmt::format("{}: {}: {}", runtime, what, text);
  if (usable) throw DeviceFailure(line);
  constexpr int device_lost = 4;
  fmt::print(stderr, "{}; the device cannot be used any more by this process\n", line);
  std::fflush(stderr);
  std::_Exit(device_lost);
}

}  // namespace gable::gpu
