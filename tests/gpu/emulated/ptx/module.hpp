#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/gpu/emulated/ptx/instruction.hpp"

namespace gable::emulated {

struct Module;

/// A variable of a module or kernel, or a parameter: ".extern .shared .align 16 .b8 name[64]".
struct Variable {
  std::string name;
  std::uint64_t element = 0, size = 0, alignment = 1;  ///< bytes; element: of one of an array's; size 0: "[]"
  bool external = false, shared = false;               ///< both: dynamic shared memory, of a size that the launch gives
  bool constant = false;
  std::unique_ptr<std::byte[]> memory;  ///< of one in global or constant memory
  std::byte* storage = nullptr;         ///< in `memory`, aligned to 256 bytes

  bool is_dynamic() const { return external && shared; }
};

/// Throws EmulationError for a declaration that cannot be read.
Variable read_variable(std::string_view declaration);

/// `value` rounded up to a multiple of `alignment`.
inline std::uint64_t rounded_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

struct Parameter {
  std::string name;
  std::uint64_t size, offset;  ///< bytes
};

/// A kernel (.entry). Functions that are called are not emulated: nvcc puts them where they are called.
struct Function {
  Module* module = nullptr;
  std::string name, body;
  std::vector<Parameter> parameters;
  std::uint64_t parameter_bytes = 0;
  std::uint32_t max_threads = 1024;

  // What decode() makes of the body.
  std::vector<Instruction> code;
  int registers = 0;
  std::vector<std::array<std::uint64_t, 32>> constants;  ///< each the same in all lanes; register ~i is number i
  /// Registers that hold something when a block begins: special ones, and addresses that differ from block to block.
  std::vector<std::pair<Register, LaneValue>> prepared;
  std::uint64_t static_shared_bytes = 0, local_bytes = 0;
  bool uses_wgmma = false;
};

/// What nvcc compiled of one unit.
struct Module {
  std::map<std::string, Variable, std::less<>> variables;
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;

  /// Throws EmulationError.
  explicit Module(std::string_view source);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

 private:
  void add_kernel(const std::string& head, std::string_view body);
  void add_variable(const std::string& head, std::string_view values);
};

/// Makes instructions of a function's body, once. Throws EmulationError that names what is unknown.
void decode(Function& function);

}  // namespace gable::emulated
