#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/openmp/isa/isa_table.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// An instruction set of this build that this CPU cannot run.
struct MissingIsa {
  const isa::IsaTable* table{};  ///< what it would offer; null if unknown
  std::string reason;            ///< "CPU has no avx512_fp16"
};

/// What the kernels can use here. Plain data, so that plans can be made for other CPUs.
struct Instructions {
  std::vector<const isa::IsaTable*> tables;  ///< runnable ones, narrowest first
  std::vector<MissingIsa> missing;
};

/// The instruction sets of this CPU.
Instructions native_instructions();

/// One kernel and the table it is from.
struct ComputeChoice {
  const isa::IsaTable* table{};
  const isa::ComputeKernel* kernel{};
};
struct StreamChoice {
  const isa::IsaTable* table{};
  const isa::StreamKernel* kernel{};
};

/// Every kernel for a unit, storage type and variant ("" is the ceiling itself), best first: the widest vectors, of
/// equal ones the later table.
std::vector<ComputeChoice> compute_kernels(const Instructions& instructions, std::string_view unit, DType dtype,
                                           std::string_view variant = "");
/// The widest streaming kernel, or a null one.
StreamChoice stream_kernel(const Instructions& instructions, Access access, Stores stores);

/// Why there is no kernel: the missing instruction sets that would bring one, or that this build has none at all.
std::string why_missing(const Instructions& instructions, std::string_view unit, DType dtype);

}  // namespace gable::openmp
