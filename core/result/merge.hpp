#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "core/result/result.hpp"

namespace gable::result {

/// Whether two descriptions fit one machine: what does not change from run to run is equal (id, names, instruction
/// sets, cores, memory levels; the UUID where both tell one). The host is the caller's to compare.
bool same_device(const DeviceInfo& a, const DeviceInfo& b);

/// Threads that a device's rows were measured with: the most at each scope that has any.
std::map<Scope, int> threads_of(const Result& result, const std::string& device);

/// One result that holds the devices and rows of several, for reports over many files or hosts. Build and command line
/// are the first one's, times span them all, `complete` means all are.
///
/// Results of one host (anonymous ones name none, but a run or an import may name the other's file as that of its
/// roofs) are joined into one device when they describe the same hardware (id,
/// names, instruction sets, cores, memory levels), measured it with the same threads at the same scopes, and no ceiling
/// or curve is in both: so a calibration and a run belong together, in any order, and two calibrations stay two series.
/// A point that is there already gets "#2" … behind its id. What is not joined and has the same id becomes
/// "host:device", and "host:device#2" … where one host repeats; workers' names likewise. Every device gains the facts
/// "host", of each of its runs "file" (where `files` names those of the results), "run_started_at" and "run_mode", and
/// the host-wide facts of its runs. Runs of quick and full together are called quick. Points are not judged anew:
/// set_verdicts() does that. Throws Error when there is nothing to merge, or a row's device is not in its result.
Result merge(std::span<const Result> results, std::span<const std::string> files = {});

/// Source of the facts that merge() gives a device.
inline constexpr std::string_view merge_source = "merge";

}  // namespace gable::result
