#include "backends/kokkos/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "backends/kokkos/launch_overhead.hpp"
#include "backends/kokkos/streams.hpp"
#include "core/measure/sampler.hpp"

namespace gable::kokkos {
namespace {

measure::Policy policy(const Request& request) {
  measure::Policy policy;
  policy.looks = request.mode == Mode::quick ? std::vector<int>{8, 16} : std::vector<int>{8, 16, 32, 64};
  policy.time_limit_s = request.mode == Mode::quick ? 0.6 : 4.0;
  policy.ceiling = true;
  return policy;
}

Ceiling base(const DeviceInfo& device, const Request& request, int threads) {
  Ceiling row;
  row.device = device.id;
  row.scope = request.scope;
  row.threads = threads;
  row.implementation = "kokkos";
  return row;
}

/// The outermost level, and its name for rows: DRAM, HBM.
std::string main_memory(const DeviceInfo& device) { return device.memory.empty() ? "DRAM" : device.memory.back().name; }

Item overhead_item(const DeviceInfo& device, const Request& request, int threads, std::string name, bool fence_each) {
  auto row = base(device, request, threads);
  row.kind = CeilingKind::overhead;
  row.name = std::move(name);
  row.unit = "s";
  row.data_pattern = "none";
  row.id = fmt::format("ceiling/overhead/{}/kokkos", row.name);
  const auto* title = fence_each ? "Kokkos launch and fence" : "Kokkos launches behind one another";
  return {row.id, title, 0.1, 30.0, [row, request, fence_each]() mutable {
            row.value = measure::measure(*launch_overhead(fence_each), {1.0, false}, policy(request));
            return std::vector<Row>{row};
          }};
}

Item stream_item(const DeviceInfo& device, const Request& request, int threads, Access access) {
  auto row = base(device, request, threads);
  row.kind = CeilingKind::bandwidth;
  row.name = main_memory(device);
  row.access = access;
  row.stores = access == Access::read ? Stores::none : Stores::ordinary;
  row.at = OperatingPoint::sustained;
  row.variant = "kokkos";
  row.unit = "byte/s";
  row.data_pattern = "random_uniform";
  row.id = fmt::format("ceiling/bandwidth/{}/{}{}/{}/kokkos/kokkos", row.name, to_string(access),
                       row.stores == Stores::none ? "" : "/ordinary", to_string(row.at));
  const auto count = stream_elements(part_of(device, request.scope, threads));
  const auto title = fmt::format("{} {} through Kokkos", row.name, to_string(access));
  return {row.id, title, 0.4, 60.0, [row, request, count, access]() mutable {
            if (count == 0) {
              row.status = Status::skipped;
              row.reason = "arrays beyond the caches do not fit into a quarter of the free memory";
              return std::vector<Row>{row};
            }
            const double bytes = stream_bytes(access, count);
            row.working_set_bytes = bytes;
            auto sustained = policy(request);
            sustained.warmup_s = request.mode == Mode::quick ? 0.05 : 0.3;
            row.value = measure::measure(*stream(access, count), {bytes, true}, sustained);
            return std::vector<Row>{row};
          }};
}

}  // namespace

std::size_t stream_elements(const DeviceInfo& device) {
  double caches = 0.0;
  for (std::size_t i = 0; i + 1 < device.memory.size(); ++i) {
    caches = std::max(caches, device.memory[i].size_bytes * device.memory[i].instances);
  }
  // A GPU must be busy for far longer than a launch and its fence.
  const double wanted = std::max(4.0 * caches, device.backend == "openmp" ? 96e6 : 1.6e9);
  const double bytes = std::min(wanted, device.free_memory_bytes / 4.0);
  if (bytes < 2.0 * caches) return 0;
  return static_cast<std::size_t>(bytes / 3.0 / sizeof(double)) / 64 * 64;
}

std::vector<Item> items(const DeviceInfo& device, const Request& request, int threads) {
  std::vector<Item> list;
  if (device.backend == "openmp") {
    list.push_back(overhead_item(device, request, threads, "kokkos_launch", true));
  } else {
    list.push_back(overhead_item(device, request, threads, "kokkos_enqueue", false));
    list.push_back(overhead_item(device, request, threads, "kokkos_round_trip", true));
  }
  for (const Access access : {Access::read, Access::copy, Access::triad}) {
    list.push_back(stream_item(device, request, threads, access));
  }
  return list;
}

}  // namespace gable::kokkos
