#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/vendor_call.hpp"

namespace gable::openmp {

/// fp64 and fp32 transforms through FFTW 3, with cpus.size() OpenMP threads on these cpus. Its plans are measured, on
/// arrays of their own, for at most some seconds.
class FftwLibrary {
 public:
  explicit FftwLibrary(const std::vector<int>& cpus);
  ~FftwLibrary();
  FftwLibrary(const FftwLibrary&) = delete;
  FftwLibrary& operator=(const FftwLibrary&) = delete;

  /// Empty, or why not: other types, or a build without FFTW.
  std::string refuses(const Types& types) const;
  /// The first call of a shape plans it; the last plan is kept. Throws Error if FFTW has none.
  void transform(const FftCall& call);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// "3.3.10" and its like; empty in a build without FFTW.
std::string fftw_version();

}  // namespace gable::openmp
