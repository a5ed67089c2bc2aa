#pragma once
#include <cstddef>
#include <memory>
#include <string_view>

namespace gable::mpi {

enum class DeviceVendor { cuda, hip };

/// The runtime of CUDA or of HIP, looked for when the program runs: what is needed of it here has one form in both.
/// Every call throws Error with the runtime's words where it fails.
class DeviceRuntime {
 public:
  /// Throws Error where neither is there, or the one that is finds no device.
  DeviceRuntime();
  ~DeviceRuntime();

  DeviceVendor vendor() const;
  std::string_view name() const;  ///< "CUDA", "HIP"
  int devices() const;            ///< that this process sees
  /// The device, from 0 on, that all further calls are about.
  void use(int device);
  void* allocate(std::size_t bytes);
  void release(void* memory) noexcept;
  void copy_in(void* memory, const void* from, std::size_t bytes);  ///< from the host's memory
  void copy_out(void* to, const void* memory, std::size_t bytes);   ///< to the host's memory
  /// Until all work that was handed to the device is done.
  void wait();

 private:
  struct Functions;
  void check(int code, std::string_view what) const;

  std::unique_ptr<Functions> functions_;
};

}  // namespace gable::mpi
