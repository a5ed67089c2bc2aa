#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tests/gpu/emulated/ptx/module.hpp"

namespace gable::emulated {

/// What nvcc put into a program for one unit: machine code, which is of no use here, and PTX for some architectures.
/// EMULATED_REPLACE="from=>to" puts `to` everywhere in place of `from` in all PTX of the process: a fault that tests
/// must find.
class FatBinary {
 public:
  /// Of what __cudaRegisterFatBinary() gets. Ends the process with exit code 2 and a line on stderr if the PTX is
  /// compressed.
  explicit FatBinary(const void* wrapper);

  /// The PTX of the device's architecture, else of the newest one before it, read when it is first asked for. Null if
  /// there is none. Throws EmulationError.
  Module* module();

 private:
  std::vector<std::string> ptx_;
  std::unique_ptr<Module> module_;
};

/// Ends the process with exit code 2 and a line on stderr if EMULATED_REPLACE has matched nothing so far.
void check_replacement();

/// Number of the PTX among these for a device, such as sm_90a, and -1 if there is none. PTX for sm_90a is for that
/// architecture alone, PTX for sm_80 for all from sm_80 on.
int best_ptx(const std::vector<std::string>& ptx, const std::string& arch);

}  // namespace gable::emulated
