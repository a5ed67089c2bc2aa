#include "backends/openmp/core_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/openmp/system_file.hpp"
#include "core/text/parse_number.hpp"
#include "core/text/posix_file.hpp"

namespace gable::openmp {
namespace {

/// What the system tells of a core.
struct Traits {
  std::string type;
  std::optional<double> capacity, max_hz;
  int rank{-1};  ///< hwloc's: the greater the faster
};

/// By hwloc, which has such kinds since 2.4.
Traits told_by_hwloc([[maybe_unused]] hwloc_topology_t hwloc, [[maybe_unused]] int cpu) {
  Traits traits;
#if HWLOC_API_VERSION >= 0x00020400
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  hwloc_bitmap_only(set, static_cast<unsigned>(cpu));
  const int kind = hwloc_cpukinds_get_by_cpuset(hwloc, set, 0);
  unsigned count{};
  hwloc_info_s* infos{};
  if (kind >= 0 &&
      hwloc_cpukinds_get_info(hwloc, static_cast<unsigned>(kind), set, &traits.rank, &count, &infos, 0) == 0) {
    for (unsigned i = 0; i < count; ++i) {
      const std::string_view name = infos[i].name, value = infos[i].value;
      if (name == "CoreType") traits.type = value;
      if (name == "LinuxCapacity") traits.capacity = parse_number<double>(value);
      if (const auto mhz = parse_number<double>(value); name == "FrequencyMaxMHz" && mhz) traits.max_hz = *mhz * 1e6;
    }
  }
  hwloc_bitmap_free(set);
#endif
  return traits;
}

/// "cpu_core", "cpu_atom": Intel's performance counters are of one kind of cores each.
std::string counters_of(int cpu, const std::string& root) {
  for (const auto& entry : listing_of(root + "/sys/devices")) {
    const auto name = entry.filename().string();
    if (!name.starts_with("cpu_")) continue;
    const auto cpus = parse_cpu_list(first_line((entry / "cpus").string()).value_or(""));
    if (std::ranges::binary_search(cpus, cpu)) return name;
  }
  return {};
}

Traits told_of(int cpu, hwloc_topology_t hwloc, const std::string& root) {
  Traits traits = told_by_hwloc(hwloc, cpu);
  if (root.empty()) return traits;
  if (traits.type.empty()) traits.type = counters_of(cpu, root);
  const auto folder = fmt::format("{}/sys/devices/system/cpu/cpu{}", root, cpu);
  if (!traits.capacity) traits.capacity = number_in(folder + "/cpu_capacity");
  if (const auto khz = number_in(folder + "/cpufreq/cpuinfo_max_freq")) traits.max_hz = *khz * 1e3;
  return traits;
}

bool shows_the_cpus(const std::string& root, hwloc_topology_t hwloc) {
  const auto online = parse_cpu_list(first_line(root + "/sys/devices/system/cpu/online").value_or(""));
  const auto* set = hwloc_topology_get_topology_cpuset(hwloc);
  return static_cast<int>(online.size()) == hwloc_bitmap_weight(set) &&
         std::ranges::all_of(online, [&](int cpu) { return hwloc_bitmap_isset(set, static_cast<unsigned>(cpu)) != 0; });
}

bool near(const std::optional<double>& a, const std::optional<double>& b) {
  constexpr double apart = 0.15;
  return !a || !b || std::abs(*a - *b) <= apart * std::max(*a, *b);
}

bool of_one_kind(const Traits& a, const Traits& b) {
  return a.type == b.type && near(a.capacity, b.capacity) && near(a.max_hz, b.max_hz);
}

bool is_performance_core(const Traits& core) { return core.type == "IntelCore" || core.type == "cpu_core"; }

bool is_faster(const Traits& a, const Traits& b) {
  if (a.capacity && b.capacity && !near(a.capacity, b.capacity)) return *a.capacity > *b.capacity;
  if (a.max_hz && b.max_hz && !near(a.max_hz, b.max_hz)) return *a.max_hz > *b.max_hz;
  if (is_performance_core(a) != is_performance_core(b)) return is_performance_core(a);
  return a.rank > b.rank;
}

}  // namespace

std::vector<CoreKind> sort_by_kind(std::vector<Core>& cores, hwloc_topology_t hwloc, const std::string& root) {
  const std::string asked = !root.empty() && shows_the_cpus(root, hwloc) ? root : "";
  std::vector<Traits> found, of_core;
  for (const auto& core : cores) {
    of_core.push_back(told_of(core.cpus.front(), hwloc, asked));
    const auto same = [&](const Traits& one) { return of_one_kind(one, of_core.back()); };
    if (std::ranges::none_of(found, same)) found.push_back(of_core.back());
  }
  std::ranges::stable_sort(found, is_faster);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const auto same = [&](const Traits& one) { return of_one_kind(one, of_core[i]); };
    cores[i].kind = static_cast<int>(std::ranges::find_if(found, same) - found.begin());
  }
  std::ranges::stable_sort(cores, {}, &Core::kind);
  std::vector<CoreKind> kinds;
  for (auto& one : found) kinds.push_back({std::move(one.type), one.max_hz});
  return kinds;
}

std::string kinds_in_words(const Topology& topology) {
  constexpr std::array words{"two", "three", "four"};
  const auto count = topology.kinds.size();
  if (count < 2) return {};
  return fmt::format("{} kinds of cores", count - 2 < words.size() ? words[count - 2] : std::to_string(count));
}

}  // namespace gable::openmp
