#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/gpu/emulated/ptx/instruction.hpp"

namespace gable::emulated {

struct Module;

/// A variable of a module: in global or constant memory, where `storage` is its memory, or in shared memory.
struct Variable {
  enum class Space : unsigned char { global, constant, shared };
  Space space = Space::global;
  std::uint64_t size = 0, alignment = 1;  ///< bytes
  bool dynamic = false;                   ///< extern in shared memory: of a size that the launch gives
  std::unique_ptr<std::byte[]> memory;
  std::byte* storage = nullptr;  ///< in `memory`, aligned to 256 bytes
};

/// A parameter or a result of a function.
struct Parameter {
  std::string name;
  std::uint64_t size, alignment, offset;  ///< bytes
};

/// A kernel (.entry) or a function that kernels call.
struct Function {
  Module* module = nullptr;
  std::string name, body;
  bool is_kernel = false, is_external = false;
  std::vector<Parameter> parameters, results;
  std::uint64_t parameter_bytes = 0, result_bytes = 0;
  std::uint32_t max_threads = 1024;

  // What decode() makes of the body.
  bool decoded = false;
  std::vector<Instruction> code;
  int registers = 0;
  std::vector<std::array<std::uint64_t, 32>> constants;  ///< each the same in all lanes; register ~i is number i
  std::uint64_t static_shared_bytes = 0, local_bytes = 0;
  std::vector<int> dynamic_shared;  ///< constants that hold where dynamic shared memory begins
  std::vector<std::pair<int, std::uint64_t>> local_addresses;      ///< register, offset in the lane's local memory
  std::vector<std::pair<int, std::uint64_t>> parameter_addresses;  ///< register, offset in the parameters
  std::vector<std::pair<int, std::uint64_t>> result_addresses;     ///< register, offset in the results
  std::vector<std::pair<int, SpecialRegister>> special_registers;
  bool uses_wgmma = false;
};

/// What nvcc compiled of one unit.
struct Module {
  std::string target;  ///< sm_90a
  std::map<std::string, Variable> variables;
  std::map<std::string, std::unique_ptr<Function>> functions;

  /// Throws EmulationError.
  explicit Module(std::string_view source);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
};

/// Makes instructions of a function's body, once. Throws EmulationError that names what is unknown.
void decode(Function& function);

}  // namespace gable::emulated
