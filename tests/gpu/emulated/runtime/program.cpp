// What nvcc's code registers before main().
#include "tests/gpu/emulated/runtime/program.hpp"

#include <cuda_runtime_api.h>

#include <map>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/runtime/answer.hpp"

namespace gable::emulated {
namespace {

// Never destroyed: programs call the runtime while they end.
auto& kernels() {
  static auto& it = *new std::map<const void*, Kernel>;
  return it;
}
auto& variables() {
  static auto& it = *new std::map<const void*, DeviceVariable>;
  return it;
}

template <class Named>
Named* find(std::map<const void*, Named>& all, const void* address) {
  const auto found = all.find(address);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace

Function* Kernel::function() const {
  Module* module = binary->module();
  if (module == nullptr) return nullptr;
  const auto found = module->functions.find(name);
  if (found == module->functions.end()) throw EmulationError("the PTX has no kernel " + name);
  try {
    decode(*found->second);
  } catch (const EmulationError& error) {
    throw EmulationError("kernel " + name + ": " + error.what());
  }
  return found->second.get();
}

Variable* DeviceVariable::variable() const {
  Module* module = binary->module();
  if (module == nullptr) return nullptr;
  const auto found = module->variables.find(name);
  if (found == module->variables.end()) throw EmulationError("the PTX has no variable " + name);
  return &found->second;
}

Kernel* kernel_at(const void* host_address) { return find(kernels(), host_address); }
DeviceVariable* variable_at(const void* host_address) { return find(variables(), host_address); }

}  // namespace gable::emulated

using namespace gable::emulated;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) { return reinterpret_cast<void**>(new FatBinary(wrapper)); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}  // kernels may still run in destructors
char __cudaInitModule(void**) { return 0; }

/// A kernel of several units, a template, has one address. The linker takes its host code from the first of them, which
/// uses that unit's variables.
void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  kernels().try_emplace(host, Kernel{reinterpret_cast<FatBinary*>(binary), name});
}
void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t, int, int) {
  variables().try_emplace(host, DeviceVariable{reinterpret_cast<FatBinary*>(binary), name});
}

}  // extern "C"
