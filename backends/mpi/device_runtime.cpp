#include "backends/mpi/device_runtime.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <string>

#include "backends/gpu/loaded_library.hpp"
#include "core/error.hpp"

namespace gable::mpi {

struct DeviceRuntime::Functions {
  DeviceVendor vendor{};
  const char* prefix{};
  int devices{};
  int (*count)(int*){};
  int (*set)(int){};
  int (*allocate)(void**, std::size_t){};
  int (*release)(void*){};
  int (*copy)(void*, const void*, std::size_t, int){};
  int (*wait)(){};
  const char* (*words)(int){};

  /// Empty, or why this vendor's runtime does not do.
  std::string open(DeviceVendor of, std::initializer_list<const char*> names) {
    vendor = of;
    prefix = of == DeviceVendor::cuda ? "cuda" : "hip";
    gpu::LoadedLibrary library(names);
    const auto need = [&](auto*& function, const char* name) {
      library.need(function, (std::string(prefix) + name).c_str());
    };
    need(count, "GetDeviceCount");
    need(set, "SetDevice");
    need(allocate, "Malloc");
    need(release, "Free");
    need(copy, "Memcpy");
    need(wait, "DeviceSynchronize");
    need(words, "GetErrorString");
    if (!library.missing().empty()) return library.missing();
    const int code = count(&devices);
    if (code != 0) return fmt::format("{}GetDeviceCount: {}", prefix, words(code));
    return devices > 0 ? "" : fmt::format("{}GetDeviceCount: no device", prefix);
  }
};

DeviceRuntime::DeviceRuntime() : functions_(std::make_unique<Functions>()) {
  const std::string no_cuda =
      functions_->open(DeviceVendor::cuda, {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"});
  if (no_cuda.empty()) return;
  const std::string no_hip = functions_->open(
      DeviceVendor::hip, {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"});
  if (!no_hip.empty()) throw Error(fmt::format("no device: {}; {}", no_cuda, no_hip));
}

DeviceRuntime::~DeviceRuntime() = default;

DeviceVendor DeviceRuntime::vendor() const { return functions_->vendor; }
std::string_view DeviceRuntime::name() const { return vendor() == DeviceVendor::cuda ? "CUDA" : "HIP"; }
int DeviceRuntime::devices() const { return functions_->devices; }

void DeviceRuntime::check(int code, std::string_view what) const {
  if (code != 0) throw Error(fmt::format("{}{}: {}", functions_->prefix, what, functions_->words(code)));
}

void DeviceRuntime::use(int device) { check(functions_->set(device), "SetDevice"); }

void* DeviceRuntime::allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(functions_->allocate(&memory, bytes), "Malloc");
  return memory;
}

void DeviceRuntime::release(void* memory) noexcept { functions_->release(memory); }

void DeviceRuntime::copy_in(void* memory, const void* from, std::size_t bytes) {
  constexpr int host_to_device = 1;  // of both
  check(functions_->copy(memory, from, bytes, host_to_device), "Memcpy");
}

void DeviceRuntime::copy_out(void* to, const void* memory, std::size_t bytes) {
  constexpr int device_to_host = 2;
  check(functions_->copy(to, memory, bytes, device_to_host), "Memcpy");
}

void DeviceRuntime::wait() { check(functions_->wait(), "DeviceSynchronize"); }

}  // namespace gable::mpi
