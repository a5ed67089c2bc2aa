#pragma once
#include <vector>

#include "backends/gpu/setup.hpp"

namespace gable::gpu {

/// Bandwidth rows, byte/s: main memory and L2 each with read, write, copy and triad, Infinity Cache with read and copy,
/// all three with lines at random, L1 and shared memory (LDS) with read, and the runtime's copy in main memory beside
/// them.
std::vector<Item> bandwidth_ceilings(const SharedSetup& setup);

/// Curves of read bandwidth past L1 against the working set, hot and cold: cold without the small ones, of which the
/// launch that each pass takes would be more than a quarter.
std::vector<Item> working_set_sweeps(const SharedSetup& setup);

/// Bytes of all arrays of a main-memory stream together: each array 512 MiB (full: 2 GiB) and four times the outermost
/// cache at least, as far as the budget goes; 0 if not even four times that cache fits.
double memory_set_bytes(const Setup& setup, int arrays);
/// A quarter of L2: it stays there also where each half of the device keeps its own copy of what the other half owns.
/// Where each die has an L2 of its own, blocks are dealt to the dies in turn and every die sees its share only.
double l2_set_bytes(const Setup& setup);
/// Half of the Infinity Cache: several times L2, and others may hold the other half.
double infinity_cache_set_bytes(const Setup& setup);
/// Working sets of a sweep, byte: from 1 MiB to four times the outermost cache, two in every doubling (full: four) from
/// a quarter of L2 on, below which no cache ends.
std::vector<double> sweep_sizes(const Setup& setup);

/// Rows of the native kernels, flop/s or op/s: each at its burst, and at its sustained operating point for the vector
/// and matrix units (quick mode: vector fp64 and fp32, matrix fp64, bf16 and fp8_e4m3). What the vendor has no kernel
/// for is `unsupported` with the reason. Full mode adds kernels beside the ceilings, variant "isa:<instruction>".
/// Request::dtypes chooses the rows.
std::vector<Item> compute_ceilings(const SharedSetup& setup);

/// What the vendor's matrix multiplication reaches on random data, flop/s or op/s: fp64, fp32 (without tf32), tf32,
/// fp16 accumulated in fp32 and in fp16, bf16, fp8 (OCP, or FNUZ where the device has that) and int8, and the
/// block-scaled types and those of four and six bits that the device's matrix units multiply; each `unsupported` with
/// the library's reason where it has none. The ceiling is square, n = 8192 (less where the memory does not hold it).
/// Full mode adds, but for the last group, n = 4096, n = 1024 and n = 4097, which misses every tile: what that costs is
/// the lesson. Request::dtypes chooses the rows.
std::vector<Item> library_ceilings(const SharedSetup& setup);

/// Latency of shared memory (LDS), L1, L2, Infinity Cache and main memory in s: one thread follows a random cycle of
/// 128-byte lines (shared memory: of words). Cycles are value x conditions.clock_hz. Address translation is part of it
/// where the working set exceeds what the TLB reaches; the Infinity Cache's is 64 MiB at most, so that it is not.
std::vector<Item> latency_ceilings(const SharedSetup& setup);

/// Links, byte/s: host to device, device to host and both at once, from pinned memory (the ceiling) and from pageable
/// memory (variant "pageable"), and from this device to each other one of the process.
std::vector<Item> link_ceilings(const SharedSetup& setup);

/// What starting work costs, s, with empty kernels of one block: launches behind one another, a launch and its wait, a
/// node of a replayed graph.
std::vector<Item> launch_overheads(const SharedSetup& setup);

}  // namespace gable::gpu
