#pragma once
#include <span>

#include "core/result/result.hpp"

namespace gable::result {

/// One result that holds the devices and rows of several, for reports over many files or hosts. Build and command line
/// are the first one's, times span them all, `complete` means all are. A device id that several results use becomes
/// "host:device", and "host:device#2" … where one host repeats; workers' names likewise. Every device gains the facts
/// "host" and "run_started_at" and the host-wide facts of its run. Runs of quick and full together are called quick.
/// Throws Error when there is nothing to merge.
Result merge(std::span<const Result> results);

}  // namespace gable::result
