#pragma once
#include "backends/openmp/ceilings/setup.hpp"

namespace gable::openmp::test {

/// A machine that does not exist: 4 cores, L1 32 KiB and L2 512 KiB each, one L3 of 16 MiB, main memory; catalogue
/// peaks for fp64 vector and for DRAM. Its instruction sets are "narrow" (128 bit) and "wide" (256 bit); "tiles", with
/// an int8 matrix kernel, is missing. Good for planning, not for running.
SharedSetup synthetic_setup(Mode mode = Mode::quick, std::vector<DType> dtypes = {});

/// This machine with its own instruction sets, as many of its cores as asked for (fewer if it has fewer), and policies
/// so short that figures mean nothing.
SharedSetup small_setup(int threads);

}  // namespace gable::openmp::test
