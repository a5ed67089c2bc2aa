#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

namespace gable::gpu {

struct ClockStamp;

/// One launch of a compute kernel. Pointers are of the device's memory.
struct ComputeLaunch {
  const void* a{};             ///< operands; ComputeKernel says what they are
  const void* b{};             ///< of matrix kernels only
  void* results{};             ///< of the reporting block
  std::uint32_t iterations{};  ///< of the kernel's loop
  int blocks{};
  int reporting_block{-1};  ///< stores its results; none while measuring
  ClockStamp* stamp{};
  void* stream{};
};

/// A native kernel whose loop is the instruction it names. Plain data, so that planning needs no device.
///
/// Vector, exp, convert and divide kernels: `a` holds chain_operands doubles in [0, 1) of 32 bits; thread t of block b
/// keeps `chains` independent values, which begin as start(a[first + k]) with constant(a[first + chains]), where first
/// = (b x threads + t) x (chains + 1), all modulo chain_operands. Every iteration takes each of them `steps` times
/// through step(value, constant). Results: [threads][chains] values. A value is `packed` numbers; the second of two
/// begins with 1 - the word that the first one has. dual_fmac is told in backends/hip/kernels/dual_rdna3.cpp.
///
/// Matrix kernels: C[m,n] = iterations x A[m,k] B[n,k]^T, all in row-major order, A and B of the storage type as
/// encode() lays it out (block-scaled types: the elements, whose scales are 1), C of the accumulate type. Every warp
/// (mma, mfma, wmma) or block (wgmma) does this same product.
struct ComputeKernel {
  Unit unit{};
  DType storage{}, accumulate{};
  std::string_view instruction;  ///< "fma", "mma.sync.m16n8k16", "wgmma.m64n256k16"
  bool beside{};                 ///< not the ceiling of its unit and types: a row beside it
  int threads{};                 ///< of a block
  int blocks_per_multiprocessor{};
  double operations{};    ///< of one block in one iteration: flop, op, exponentials, conversions or reciprocals
  int m{}, n{}, k{};      ///< matrix kernels
  int chains{}, steps{};  ///< the others
  int packed{1};          ///< the others: numbers in one value of a chain
  void (*enqueue)(const ComputeLaunch&){};
  std::string_view reason;  ///< why there is no such kernel; then only unit, storage and accumulate are set
};

/// Blocks of the grid of a compute kernel or a near read, of which `each` keep a multiprocessor busy. AMD's are dealt
/// to the shader engines in turn, and engines have unequal numbers of compute units: with just as many blocks as are
/// needed some units get more than others, and the last one decides. Many shorter blocks go where there is room.
constexpr int compute_blocks(std::string_view isa, int multiprocessors, int each) {
  constexpr int rounds = 16;
  return multiprocessors * each * (isa.starts_with("gfx") ? rounds : 1);
}

/// Begins an entry.
inline ComputeKernel kernel_of(Unit unit, DType storage, DType accumulate) {
  ComputeKernel kernel;
  kernel.unit = unit;
  kernel.storage = storage;
  kernel.accumulate = accumulate;
  return kernel;
}

/// An entry that says why there is no kernel.
inline ComputeKernel no_kernel(Unit unit, DType storage, DType accumulate, std::string_view reason) {
  auto kernel = kernel_of(unit, storage, accumulate);
  kernel.reason = reason;
  return kernel;
}

/// Entries of that kind for what the matrix units of an architecture that this can be built for (80, 90a, 100; gfx90a,
/// gfx942, gfx950, gfx1100) lack or have no kernel for here; of another architecture none.
std::vector<ComputeKernel> missing_kernels(std::string_view arch);

inline constexpr std::size_t chain_operands = 4096;

/// The kernels of this build, and what it has none for; each vendor has its own list.
std::vector<ComputeKernel> compute_kernels();

/// fma of fp64, fp32, fp16 and bf16 (two a lane), dot4 of int8, mad of int32, exponentials of fp64 and fp32,
/// conversions of fp16 and bf16, reciprocals of fp64 and fp32.
std::vector<ComputeKernel> vector_kernels();

/// The kernels of the architecture this is built for: its matrix units, and vector units that the shared kernels do not
/// reach. Each vendor has its own list.
std::vector<ComputeKernel> own_kernels();

}  // namespace gable::gpu
