#include "core/device/device_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <sstream>

#include "core/error.hpp"
#include "core/sequence.hpp"
#include "core/text/parse_number.hpp"

namespace gable {
namespace {

/// Into how many equal parts of this scope the device falls.
int parts(const DeviceInfo& device, Scope scope) {
  switch (scope) {
    case Scope::node:
      return 1;
    case Scope::socket:
      return std::max(1, device.sockets);
    case Scope::numa:
      return std::max(1, static_cast<int>(device.numa.size()));
    case Scope::core:
      break;
  }
  return std::max(1, device.cores);
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// The first instances of a level of unequal ones, as many as this many cores reach.
void keep_first(MemoryLevel& level, int cores) {
  std::size_t reached = 0;
  for (int of = 0; of < cores && reached < level.unequal.size(); ++reached) of += level.unequal[reached].cores;
  level.unequal.resize(reached);
  level.instances = static_cast<int>(reached);
  level.size_bytes = std::ranges::min(level.unequal, {}, &LevelInstance::size_bytes).size_bytes;
  level.shared_by = std::ranges::max(level.unequal, {}, &LevelInstance::cores).cores;
  if (std::ranges::count(level.unequal, level.unequal.front()) == level.instances) level.unequal.clear();
}

}  // namespace

std::string value_of_fact(std::span<const Fact> facts, std::string_view name) {
  const Fact* fact = find_by(facts, name, &Fact::name);
  return fact ? fact->value : "";
}

std::optional<double> power_cap_w(std::span<const Fact> facts) {
  std::istringstream words(value_of_fact(facts, power_cap_fact));
  std::optional<double> sum;
  std::string before;
  for (std::string word; words >> word; before = word) {
    if (word != "W" && word != "W,") continue;
    if (const auto value = parse_number<double>(before); value > 0) sum = sum.value_or(0) + *value;
  }
  return sum;
}

double total_bytes(const MemoryLevel& level) {
  if (level.unequal.empty()) return level.size_bytes * level.instances;
  return sum_over(level.unequal, &LevelInstance::size_bytes);
}

double cache_bytes(const DeviceInfo& device) {
  return device.memory.empty() ? 0 : sum_over(std::span(device.memory).first(device.memory.size() - 1), total_bytes);
}

bool has_kinds_of_cores(const DeviceInfo& device) {
  return find_by(device.facts, core_kinds_fact, &Fact::name) != nullptr;
}

bool is_cpu(const DeviceInfo& device) { return device.backend == "openmp"; }
bool is_gpu(const DeviceInfo& device) { return device.backend == "cuda" || device.backend == "hip"; }

std::string threads_text(const DeviceInfo& device, int threads) {
  return fmt::format("{} {}{}", threads, is_cpu(device) ? "thread" : "multiprocessor", threads == 1 ? "" : "s");
}

DeviceInfo part_of(const DeviceInfo& device, Scope scope, int threads) {
  if (threads < 0) throw Error(fmt::format("device {}: {} threads", device.id, threads));
  const int split = parts(device, scope);
  const int scope_cores = std::max(1, ceil_div(device.cores, split));
  DeviceInfo part = device;
  part.cores = threads == 0 ? scope_cores : std::min(threads, scope_cores);
  part.threads = std::min(device.threads, part.cores * std::max(1, device.threads / std::max(1, device.cores)));
  for (std::size_t i = 0; i + 1 < part.memory.size(); ++i) {
    MemoryLevel& level = part.memory[i];
    if (part.cores == device.cores) continue;  // all of them, also where a binding leaves some caches fewer cores
    if (!level.unequal.empty()) {
      keep_first(level, part.cores);
      continue;
    }
    const int here = std::max(1, ceil_div(level.instances, split));
    level.instances = std::min(here, ceil_div(part.cores, std::max(1, level.shared_by)));
  }
  return part;
}

std::vector<Level> levels_of(const DeviceInfo& device, Scope scope, int threads) {
  const DeviceInfo part = part_of(device, scope, threads);
  std::vector<Level> levels;
  for (const MemoryLevel& level : part.memory) {
    const bool main_memory = &level == &part.memory.back();
    levels.push_back({level.name, main_memory ? 0 : total_bytes(level)});
  }
  return levels;
}

Roofline roofline_of(std::span<const Ceiling> ceilings, const DeviceInfo& device, Scope scope,
                     std::span<const Curve> curves) {
  int threads = 1;
  for (const Ceiling& row : ceilings) {
    if (row.device == device.id && row.scope == scope) threads = std::max(threads, row.threads);
  }
  Roofline roofline = make_roofline(ceilings, device.id, scope, levels_of(device, scope, threads));
  roofline.set_sweeps(filtered(curves, [&](const Curve& curve) {
    return curve.name == working_set_sweep && curve.device == device.id && curve.scope == scope &&
           curve.threads == threads;
  }));
  return roofline;
}

double plannable_memory_bytes(const DeviceInfo& device) {
  if (device.free_memory_bytes > 0 || device.memory.empty()) return device.free_memory_bytes;
  return total_bytes(device.memory.back());
}

double run_memory_bytes(const DeviceInfo& device) { return plannable_memory_bytes(device) / 4; }

double main_memory_set_bytes(const DeviceInfo& device) {
  constexpr double least = 64.0 * 1024 * 1024;
  const double caches = cache_bytes(device);
  const double plannable = plannable_memory_bytes(device);
  const double bytes = std::max(5 * caches, least);
  if (!(plannable > 0)) return bytes;
  return std::clamp(plannable / 8, std::min(bytes, 4 * caches), bytes);
}

}  // namespace gable
