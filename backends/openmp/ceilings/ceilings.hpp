#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

/// Bandwidth ceilings of every memory level: read, write, copy, update and triad with ordinary stores, of all but the
/// innermost cache lines read at random, and, of main memory, write, copy and triad with non-temporal stores, which go
/// past the caches and so are no roof of one.
///
/// Bytes are counted the STREAM way. with_write_allocate adds the line fill before an ordinary store, an accounting,
/// not a measurement: for every level but the innermost, where the stored lines are already there. Cores that elide the
/// fill of a fully written line (Intel's SpecI2M, Arm's write streaming) move less than it says.
///
/// A level that cannot be told apart from its neighbours, or main memory that is too small for its working set, is
/// `skipped` with the reason.
std::vector<Item> bandwidth_ceilings(const SharedSetup& setup);

/// Compute ceilings: per unit and storage type the widest kernel this CPU runs, burst and sustained. fp64 and fp32 on
/// the scalar and vector units, fp16, bf16 and int8 on the vector and matrix units, exponentials and conversions are
/// always there, as `unsupported` with the reason where the CPU cannot; other kernels of the tables come in addition.
/// Sustained rows are for the vector and matrix units only: in quick mode fp64 and fp32 of them.
/// Full mode adds rows beside the ceilings: narrower instruction sets (variant "isa:<name>") and the variants of the
/// tables, "no_fma" and "no_ilp" as in Williams, Waterman, Patterson, CACM 52(4), 2009.
/// Request::dtypes chooses the rows: those of the types and of what they are computed in (may_need()).
std::vector<Item> compute_ceilings(const SharedSetup& setup);

/// units x rate x observed clock in flop/s or op/s: threads x operations per core and cycle (catalogue) x clock in Hz.
std::optional<double> theory_at_clock(int threads, std::optional<double> per_core_and_cycle,
                                      std::optional<double> clock_hz);

/// Latency of every memory level in s: one thread, on the first cpu, follows a random cycle of cache lines in huge
/// pages where the system gives them. Working sets are those of one thread, within what the chase of latency_sweeps()
/// finds of a cache; 4 x all caches for main memory. Address translation is part of it where the working set exceeds
/// what the TLB reaches.
std::vector<Item> latency_ceilings(const SharedSetup& setup);

/// Latency against working set, the ladder of the chase; in full mode once more in small pages, where the system has
/// both. Of a cycle that takes longer than 45 ms a part is walked before it is timed.
std::vector<Item> latency_sweeps(const SharedSetup& setup);

/// Working sets of that ladder, byte: from half of the innermost cache on three (full: four) in every doubling, from 4
/// MiB on two, beyond the caches one, up to `largest`.
std::vector<double> chase_sizes(std::span<const Level> levels, double largest, bool full);

/// The working sets of bandwidth rows, within what reads find of the caches (within_found()). Measures the first round
/// of that ladder if nobody did. Those planned, and the reason in `why_not`, where it failed or was held back.
std::vector<WorkingSet> found_sets(Setup& setup, std::string& why_not);

/// What the vendor's matrix multiplication reaches, square and on random data: fp64, fp32, fp16, bf16 and int8, each
/// `unsupported` with the library's reason where it has none. Sizes: quick 1024, full 2048 and, from 32 threads on,
/// 4096. Request::dtypes chooses the rows.
std::vector<Item> library_ceilings(const SharedSetup& setup);

/// The NUMA distance matrix, measured: per node with cpus one latency curve (s, one thread) and one read-bandwidth
/// curve (byte/s, all cores of the node), from that node's cores to memory that each of the nodes touched first.
/// Nothing on machines with one domain or for scopes within one.
std::vector<Item> numa_matrix(const SharedSetup& setup);

/// Cost of one empty parallel region of all threads in s, regions directly behind one another: the threads still wait
/// actively, as between the loops of a program, unless OMP_WAIT_POLICY says otherwise.
Item parallel_region_overhead(const SharedSetup& setup);

/// Numbers of cores a scaling curve has: 1, 2, 3, 4, then about four in every doubling, and all of them.
std::vector<int> core_counts(int cores);

/// fp64 vector flop/s (burst) and main-memory bandwidth (triad, ordinary stores) against the number of cores, in
/// topology order. Full mode, scopes of more than one core. Bandwidth uses main memory's working set for so many cores.
std::vector<Item> core_scaling(const SharedSetup& setup);

/// Working sets of a sweep, byte of all threads: `per_octave` in every doubling, from 4 KiB a thread to `largest`; half
/// as many beyond 32 MiB a thread, where a pass takes longer than all the rest of a point; and one beyond twice all
/// caches (0: none known), where no step is left to be found.
std::vector<double> sweep_sizes(int threads, double caches_bytes, double largest, int per_octave);

/// Whether a measured curve of bandwidth (byte/s) against working set (byte, ascending) shows the caches of the
/// topology (cache_steps()). One is confirmed if what it holds is within a factor of two of its capacity. One sentence
/// a cache.
std::string confirm_levels(std::span<const Level> levels, std::span<const double> sizes, std::span<const double> rates);

/// Bandwidth against working set for read, copy and triad, the whole curve, with what it says of the levels as the
/// curve's reason. Reads are a ladder, measured in every round.
std::vector<Item> working_set_sweeps(const SharedSetup& setup);

}  // namespace gable::openmp
