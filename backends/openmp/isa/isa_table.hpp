#pragma once
#include <cstddef>
#include <cstdint>

/// The native kernels of one instruction set, as plain tables: an ISA file includes intrinsics only, so that no inline
/// function of the standard library is ever compiled for an instruction set the machine may lack (a test finds weak
/// symbols).
namespace gable::isa {

/// Operands every compute kernel reads once before its loop, filled with values of the kernel's dtype by
/// fill_operands() (isa.hpp). Floating point: the first half holds addends c in [-1.95, -1.6], the second starting
/// values 0.25 <= |x| <= 1.5. The chains are x <- x x + c, which maps [-1.95, 1.95] into itself and is chaotic there:
/// operands keep toggling as those of real work do, nothing overflows and nothing is subnormal (a linear chain would
/// settle on one value and read too fast a clock). Integers: random, never zero. Aligned to 64 bytes.
inline constexpr std::size_t operand_bytes = 4096;
/// Every accumulator is reduced into this at the end, lane by lane, so that no chain is dead. Aligned to 64 bytes.
inline constexpr std::size_t sink_bytes = 64;
/// k of write (a = k) and triad (a = b + k c), as in STREAM.
inline constexpr double stream_scalar = 3.0;
/// k of update (a = a ^ k): the last bit, so that values stay what they are for arithmetic.
inline constexpr double last_bit = 0x1p-1074;

/// Streams of a loop that stores: the halves of every array side by side, in turns of one line (copy, triad) or four
/// (write, update; SVE: four vectors). Zen 5 moves a twentieth more than with one; four streams are no faster.
inline constexpr std::size_t store_streams = 2;

/// A register-only loop that does `operations` per iteration. Rows name their fields and leave out what is as here.
struct ComputeKernel {
  const char* unit{};        ///< scalar, vector, matrix, exp, convert, divide
  const char* dtype{};       ///< storage type of the operands
  const char* accumulate{};  ///< type of the accumulators
  /// "" for the ceiling. Rows beside it: "no_fma" (separate multiply and add), "no_ilp" (one dependent chain),
  /// "fma_add" (FMA and add side by side: above the FMA-only theory on cores with adders of their own, AMD Zen; below
  /// it elsewhere).
  const char* variant{""};
  const char* instruction{};  ///< mnemonics the loop consists of, joined by "+"; what the disassembly test looks for
  double operations{};        ///< flop (FMA = 2), op for integers, elements for exp, convert and divide; per iteration
  double instructions{};      ///< instructions of those mnemonics together per iteration
  void (*run)(std::uint64_t iterations, const void* operands, void* sink){};
  /// The same instructions, each depending on the last; the sequence `instruction` chain_length times per iteration.
  /// The clock is taken with it. Only where a step takes a whole number of cycles, whatever the operands, as it does
  /// for fp64 and fp32; null in other kernels, which use the chain of one of these.
  void (*chain)(std::uint64_t iterations, const void* operands, void* sink){};
  double chain_length{};
};

/// One pass over arrays of n doubles (n a multiple of 64, arrays 64-byte aligned), `passes` times. Unused arrays may be
/// null. Reads are folded by exclusive or into the sink (64 bytes), the others leave it alone.
struct StreamKernel {
  const char* access{};  ///< read (a), write (a = k), copy (a = b), update (a = a ^ k), triad (a = b + k c), random
                         ///< (the first 16 bytes of each line of a, in a random order; n a power of two)
  const char* stores{};  ///< none, ordinary, non_temporal
  void (*run)(double* a, const double* b, const double* c, std::size_t n, std::uint64_t passes, void* sink){};
};

/// A view of an array of kernels. Always inlined, so that no ISA file has a symbol of it.
template <class Kernel>
struct Kernels {
  const Kernel* first{};
  std::size_t count{};

  constexpr Kernels() = default;
  template <std::size_t size>
  [[gnu::always_inline]] constexpr Kernels(const Kernel (&kernels)[size]) : first(kernels), count(size) {}
  [[gnu::always_inline]] constexpr const Kernel* begin() const { return first; }
  [[gnu::always_inline]] constexpr const Kernel* end() const { return first + count; }
};

struct IsaTable {
  const char* name{};  ///< sse2, avx2, avx512, …: the row's implementation
  int vector_bits{};
  Kernels<ComputeKernel> compute{};
  Kernels<StreamKernel> stream{};
};

}  // namespace gable::isa
