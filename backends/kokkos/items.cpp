#include "backends/kokkos/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "backends/kokkos/runtime.hpp"
#include "core/device/device_info.hpp"
#include "core/measure/sampler.hpp"
#include "core/row_item.hpp"

namespace gable::kokkos {
namespace {

/// How many times the caches together the arrays of a stream are, at least (STREAM's rule).
constexpr double beyond_caches = 4.0;

measure::Policy policy(const Request& request) {
  const bool quick = request.mode == Mode::quick;
  return {.blocks = quick ? 4 : 8, .time_limit_s = quick ? 0.3 : 1.5, .room = 1, .ceiling = true};
}

/// What all items of a device are made of.
struct Plan {
  const DeviceInfo& device;
  const Request& request;
  int threads;
  const std::function<Conditions()>& conditions;
  const measure::Timer& timer;

  Ceiling row(CeilingKind kind, std::string name, std::string unit) const {
    auto made = new_row(device, request.scope, threads, kind, std::move(name), std::move(unit));
    made.implementation = "kokkos";
    return made;
  }
};

/// The outermost level, and its name for rows: DRAM, HBM.
std::string main_memory(const DeviceInfo& device) { return device.memory.empty() ? "DRAM" : device.memory.back().name; }

Item overhead_item(const Plan& plan, std::string name, bool fence_each) {
  auto row = plan.row(CeilingKind::overhead, std::move(name), "s");
  row.data_pattern = "none";
  const auto* title = fence_each ? "Kokkos launch and fence" : "Kokkos launches behind one another";
  const auto fill = [sampling = policy(plan.request), fence_each, timer = plan.timer](Ceiling& measured) {
    measured.value = measure::measure(*launch_overhead(fence_each, timer), {1.0, false}, sampling);
  };
  return row_item(std::move(row), title, 0.1, fill, plan.conditions);
}

Item stream_item(const Plan& plan, Access access) {
  auto row = plan.row(CeilingKind::bandwidth, main_memory(plan.device), "byte/s");
  row.access = access;
  row.stores = access == Access::read ? Stores::none : Stores::ordinary;
  row.at = OperatingPoint::sustained;
  row.variant = "kokkos";
  row.data_pattern = "random_uniform";
  const auto count = stream_elements(part_of(plan.device, plan.request.scope, plan.threads), access);
  if (count == 0) {
    row.status = Status::skipped;
    row.reason = "arrays of four times the caches do not fit into a quarter of the free memory";
  }
  auto title = fmt::format("{} {} through Kokkos", row.name, to_string(access));
  auto sustained = policy(plan.request);
  sustained.warmup_s = plan.request.mode == Mode::quick ? 0.02 : 0.1;
  const auto fill = [sustained, count, access, timer = plan.timer](Ceiling& measured) {
    const double bytes = stream_bytes(access, count);
    measured.working_set_bytes = bytes;
    measured.value = measure::measure(*stream(access, count, timer), {bytes, true}, sustained);
  };
  const double bytes_per_thread_and_s = plan.device.backend == "openmp" ? 1e10 : 1e12;
  const double pass_s = stream_bytes(access, count) / (bytes_per_thread_and_s * std::max(1, plan.threads));
  return row_item(std::move(row), std::move(title), 0.1 + 6 * pass_s, fill, plan.conditions);
}

}  // namespace

std::size_t stream_elements(const DeviceInfo& device, Access access) {
  const double caches = cache_bytes(device);
  // A GPU must be busy for far longer than a launch and its fence.
  const double least = std::max(beyond_caches * caches, device.backend == "openmp" ? 96e6 : 1.6e9);
  const double bytes = std::min(least, plannable_memory_bytes(device) / 4.0);
  if (bytes < beyond_caches * caches) return 0;
  constexpr double grain = 64;
  const double grains = bytes / (stream_bytes(access, 1) * grain);
  return static_cast<std::size_t>((bytes < least ? std::floor(grains) : std::ceil(grains)) * grain);
}

std::vector<Item> items(const DeviceInfo& device, const Request& request, int threads,
                        const std::function<Conditions()>& conditions, const measure::Timer& timer) {
  const Plan plan{device, request, threads, conditions, timer};
  std::vector<Item> list;
  if (device.backend == "openmp") {
    list.push_back(overhead_item(plan, "kokkos_launch", true));
  } else {
    list.push_back(overhead_item(plan, "kokkos_enqueue", false));
    list.push_back(overhead_item(plan, "kokkos_round_trip", true));
  }
  for (const Access access : {Access::read, Access::copy, Access::triad}) list.push_back(stream_item(plan, access));
  return list;
}

}  // namespace gable::kokkos
