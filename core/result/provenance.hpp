#pragma once
#include <string>
#include <vector>

#include "core/model/mode.hpp"
#include "core/result/result.hpp"

namespace gable::result {

/// How this program was made: version, commit, compilers, flags and the libraries that every program has, with SQLite
/// once it was loaded. A worker and gable-mpi add their own.
Build this_build();

/// Now in UTC, "2026-01-31T12:34:56Z".
std::string utc_now();

/// A run that begins now: time, command line, host name, operating system, kernel, and facts: hypervisor, hardware
/// model, container, load average, environment variables that change how threads run or which devices are seen. What
/// cannot be read is "unknown" with the place that was looked at.
RunInfo begin_run(const std::vector<std::string>& command_line, Mode mode);

/// Sets the end time and adds the load average at the end.
void finish_run(RunInfo& run);

}  // namespace gable::result
