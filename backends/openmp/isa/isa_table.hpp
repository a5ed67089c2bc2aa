#pragma once
#include <cstddef>
#include <cstdint>

/// The native kernels of one instruction set, as plain tables: an ISA file includes intrinsics only, so that no inline
/// function of the standard library is ever compiled for an instruction set the machine may lack (a test finds weak symbols).
namespace gable::isa {

/// Operands every compute kernel reads once before its loop: random values that keep a chain bounded (|x| <- a x + b with |a| < 1),
/// never zeros. Filled by the caller (random_operands() in compute.cpp).
inline constexpr std::size_t operand_bytes = 4096;
/// Every accumulator is reduced into this at the end, so that no chain is dead.
inline constexpr std::size_t sink_bytes = 64;

/// A register-only loop that does `operations` per iteration.
struct ComputeKernel {
  const char* unit;         ///< scalar, vector, matrix, exp, convert
  const char* dtype;        ///< storage type of the operands
  const char* accumulate;   ///< type of the accumulators
  const char* variant;      ///< "" for the ceiling; "no_fma", "no_ilp"
  const char* instruction;  ///< the mnemonic the loop consists of; what the disassembly test looks for
  double operations;        ///< flop (FMA = 2), op for integers, elements for exp and convert; per iteration
  double instructions;      ///< instructions of that mnemonic per iteration
  /// Symbol of the loop, for the disassembly test.
  const char* symbol;
  void (*run)(std::uint64_t iterations, const void* operands, void* sink);
  /// The same instruction, each depending on the last; chain_length of them per iteration. Takes the clock in the kernel's own
  /// instruction class: cycles = latency x chain_length x iterations. Null where the latency is not a constant.
  void (*chain)(std::uint64_t iterations, const void* operands, void* sink);
  double chain_length;
};

/// One pass over arrays of n doubles (n a multiple of 64, arrays 64-byte aligned), `passes` times. Unused arrays may be null.
struct StreamKernel {
  const char* access;       ///< read (a), write (a = k), copy (a = b), triad (a = b + k c)
  const char* stores;       ///< none, ordinary, non_temporal
  const char* symbol;
  void (*run)(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void* sink);
};

struct IsaTable {
  const char* name;         ///< sse2, avx2, avx512, …: the row's implementation
  int vector_bits;
  const ComputeKernel* compute;
  std::size_t compute_count;
  const StreamKernel* stream;
  std::size_t stream_count;
};

}  // namespace gable::isa
