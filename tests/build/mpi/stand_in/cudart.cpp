// A stand-in for CUDA's runtime: "device memory" is the host's, with bounds that it knows; work that is handed over is
// done when somebody waits. STAND_IN_DEVICES says how many devices there are (4).
#include "cudart.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace {

constexpr int invalid_value = 1, out_of_memory = 2, invalid_device = 101;
int chosen = 0;

std::map<unsigned char*, std::size_t>& memory() {
  static std::map<unsigned char*, std::size_t> all;
  return all;
}

std::vector<std::function<void()>>& handed_over() {
  static std::vector<std::function<void()>> all;
  return all;
}

int devices() {
  const char* told = std::getenv("STAND_IN_DEVICES");
  return told ? std::atoi(told) : 4;
}

}  // namespace

namespace stand_in {

bool is_device_memory(const void* from, std::size_t bytes) {
  const auto* first = static_cast<const unsigned char*>(from);
  for (const auto& [begin, size] : memory()) {
    if (first >= begin && first + bytes <= begin + size) return true;
  }
  return false;
}

void hand_over(std::function<void()> work) { handed_over().push_back(std::move(work)); }

int device() { return chosen; }

}  // namespace stand_in

extern "C" {

int cudaGetDeviceCount(int* count) {
  *count = devices();
  return 0;
}

int cudaSetDevice(int device) {
  if (device < 0 || device >= devices()) return invalid_device;
  chosen = device;
  return 0;
}

int cudaMalloc(void** made, std::size_t bytes) {
  *made = std::malloc(bytes);
  if (!*made) return out_of_memory;
  memory()[static_cast<unsigned char*>(*made)] = bytes;
  return 0;
}

int cudaFree(void* old) {
  if (memory().erase(static_cast<unsigned char*>(old)) == 0) return invalid_value;
  std::free(old);
  return 0;
}

int cudaDeviceSynchronize() {
  for (const auto& work : handed_over()) work();
  handed_over().clear();
  return 0;
}

int cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  cudaDeviceSynchronize();
  const bool in = kind == 1 && stand_in::is_device_memory(to, bytes) && !stand_in::is_device_memory(from, 1);
  const bool out = kind == 2 && stand_in::is_device_memory(from, bytes) && !stand_in::is_device_memory(to, 1);
  if (!in && !out) return invalid_value;
  std::memcpy(to, from, bytes);
  return 0;
}

const char* cudaGetErrorString(int code) {
  return code == invalid_value    ? "invalid argument"
         : code == invalid_device ? "invalid device ordinal"
                                  : "out of memory";
}

}  // extern "C"
