// What nvcc's code registers before main().
#include "tests/gpu/emulated/runtime/program.hpp"

#include <cuda_runtime_api.h>

#include <map>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

struct DeviceVariable {
  FatBinary* binary;
  std::string name;
};

/// What is registered, by address. Never destroyed: programs call the runtime while they end.
template <class Named>
auto& registered() {
  static auto& it = *new std::map<const void*, Named>;
  return it;
}

template <class Named>
Named* find(const void* address) {
  const auto found = registered<Named>().find(address);
  return found == registered<Named>().end() ? nullptr : &found->second;
}

template <class Things>
auto& named(Things& all, const std::string& name) {
  const auto found = all.find(name);
  if (found == all.end()) throw EmulationError("the PTX has no " + name);
  return found->second;
}

}  // namespace

Function* Kernel::function() const {
  Module* module = binary->module();
  if (module == nullptr) return nullptr;
  Function* const it = named(module->functions, name).get();
  try {
    decode(*it);
  } catch (const EmulationError& error) {
    throw EmulationError("kernel " + name + ": " + error.what());
  }
  return it;
}

Kernel* kernel_at(const void* host_address) { return find<Kernel>(host_address); }

Variable* variable_at(const void* host_address) {
  const auto* const known = find<DeviceVariable>(host_address);
  Module* module = known == nullptr ? nullptr : known->binary->module();
  return module == nullptr ? nullptr : &named(module->variables, known->name);
}

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
  registered<Kernel>().try_emplace(host, Kernel{reinterpret_cast<FatBinary*>(binary), name});
}
void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, std::size_t, int, int) {
  registered<DeviceVariable>().try_emplace(host, DeviceVariable{reinterpret_cast<FatBinary*>(binary), name});
}

}  // extern "C"
