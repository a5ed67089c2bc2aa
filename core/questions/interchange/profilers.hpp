#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/enum_names.hpp"
#include "core/model/dtype.hpp"

/// How the profilers whose files are read here are called.
namespace gable::interchange {

enum class Profiler { nsight_compute, rocprofiler, likwid_perfctr, linux_perf };
constexpr auto names_of(Profiler) { return names_up_to<Profiler::linux_perf>("ncu", "rocprofv3", "likwid", "perf"); }
/// All names, for messages: "ncu, rocprofv3, likwid, perf".
std::string profiler_names();

/// The program as PATH has it.
std::string_view program_of(Profiler profiler);
/// The backend whose devices it counts on: "cuda", "hip" or "openmp".
std::string_view backend_of(Profiler profiler);

/// Options that choose counters of one profile: no profiler counts all at once.
struct CounterChoice {
  std::vector<std::string> options;
  bool bytes{};  ///< of bytes alone: needless where only operations are asked for
};
/// The profiles that operations of this type, and bytes, on this device need. Empty where the counters of its
/// processor are not known here.
std::vector<CounterChoice> counter_choices(Profiler profiler, const DeviceInfo& device, DType dtype);

/// The command that profiles `program`, with its arguments, and writes a file into `folder`. `path`: of the profiler.
std::vector<std::string> profile_command(Profiler profiler, const std::filesystem::path& path,
                                         const CounterChoice& choice, const DeviceInfo& device,
                                         const std::filesystem::path& folder, const std::vector<std::string>& program);

/// The files that it wrote, in the order of their names.
std::vector<std::filesystem::path> profile_files(Profiler profiler, const std::filesystem::path& folder);

/// What a profiler's words mean for somebody who wants counters: no permission, no counters in a virtual machine. Empty
/// where they say nothing that is known here.
std::string_view refusal_in(Profiler profiler, std::string_view said);

}  // namespace gable::interchange
