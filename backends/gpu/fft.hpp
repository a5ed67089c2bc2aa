#pragma once
#include <memory>
#include <string>

#include "core/vendor_call.hpp"

namespace gable::gpu {

/// The vendor's Fourier transforms on the current device. The library is loaded when this is made.
class Fft {
 public:
  Fft();
  ~Fft();
  Fft(const Fft&) = delete;
  Fft& operator=(const Fft&) = delete;

  /// Empty, or why not: other types than fp64 and fp32, or no library.
  std::string refuses(const Types& types) const;
  /// Only enqueues, but for the first call of a shape, which plans it and takes the plan's work space; the last plan is
  /// kept. Throws DeviceFailure if the library fails.
  void enqueue(const FftCall& call);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// As rows name it.
std::string fft_library_name();

}  // namespace gable::gpu
