#pragma once
#include <optional>
#include <vector>

#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp {

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

}  // namespace gable::openmp
