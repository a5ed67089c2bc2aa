#pragma once
#include <stdexcept>

namespace gable::emulated {

/// What a kernel does and must not do, or what the interpreter does not know.
struct EmulationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gable::emulated
