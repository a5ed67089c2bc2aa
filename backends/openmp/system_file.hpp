#pragma once
#include <optional>
#include <string>
#include <vector>

namespace gable::openmp {

/// First line of a small file of /proc or /sys without the blanks around it, or nothing if it cannot be read.
std::optional<std::string> first_line(const std::string& path);
/// That line as a number, or nothing if it does not begin with one.
std::optional<double> number_in(const std::string& path);
/// All lines; none if the file cannot be read.
std::vector<std::string> lines_of(const std::string& path);

/// Numbers of cpus or NUMA nodes in the kernel's notation, "0-3,8", ascending; empty for an empty text. What follows
/// the first place that is no such notation is left out.
std::vector<int> parse_cpu_list(const std::string& text);
/// Ascending numbers in that notation; "none" if there are none.
std::string cpu_list(const std::vector<int>& ids);

/// CPU seconds per second that the control groups (versions 1 and 2) allow this process, e.g. 1.5: the tightest limit
/// on the way to the top; nothing without one. Here and below `root` replaces "/" in tests.
std::optional<double> cpu_quota(const std::string& root = "/");
/// The cpu.stat files of these groups, which tell how long the quota has stopped them.
std::vector<std::string> cpu_stat_files(const std::string& root = "/");
/// Memory limit in byte (version 2: memory.max or memory.high); nothing without a limit.
std::optional<double> memory_limit_bytes(const std::string& root = "/");
/// What is left of the memory limit in byte, what the kernel drops when memory is needed included (memory.stat: copies
/// of files, reclaimable slabs); the least on the way to the top; nothing without a limit.
std::optional<double> memory_left_bytes(const std::string& root = "/");

}  // namespace gable::openmp
