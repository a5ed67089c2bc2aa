#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "backends/gpu/ceilings/ceilings.hpp"
#include "backends/gpu/rates.hpp"
#include "backends/gpu/setup.hpp"
#include "core/row_item.hpp"

namespace gable::gpu {
namespace {

constexpr double kib = 1024.0;
/// Fits any L1. Every launch fetches the lines again; they are so few that this takes at most 0.5 % of a batch.
constexpr double l1_chase_bytes = 4.0 * kib;
constexpr double shared_chase_bytes = 4.0 * kib;
/// More of an Infinity Cache than a TLB reaches would count misses of the TLB to the cache.
constexpr double infinity_cache_chase_bytes = 64.0 * kib * kib;

Item chase_item(const SharedSetup& setup, const std::string& level, const ChaseSpec& spec, std::string skipped) {
  auto row = new_row(*setup, CeilingKind::latency, level, "s");
  row.threads = 1;
  row.implementation = "pointer_chase";
  row.data_pattern = "random_cycle";
  row.working_set_bytes = spec.bytes;
  if (!skipped.empty()) mark(row, Status::skipped, std::move(skipped));
  // Making the cycle on the host takes some 20 ns a line.
  const double expected_s =
      measure::expected_seconds(setup->policies.latency, beside_batch_s) + spec.bytes / 128.0 * 2e-8;
  return row_item(
      setup, std::move(row), fmt::format("{} latency", level), expected_s,
      [spec](const Setup& s, Ceiling& r) { measure_row(s, r, *s.measurements->chase(spec), s.policies.latency); });
}

}  // namespace

std::vector<Item> latency_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto& facts = setup->facts;
  const double memory = std::max(4.0 * setup->outermost_cache_bytes(), 256.0 * kib * kib);
  const std::string too_large =
      memory > setup->budget_bytes
          ? fmt::format("four times {} do not fit into a quarter of the free memory", setup->outermost_cache())
          : "";
  const std::string shared{shared_name(setup->built)};
  items.push_back(chase_item(setup, shared, {ChaseLevel::shared, shared_chase_bytes}, ""));
  items.push_back(chase_item(setup, "L1", {ChaseLevel::l1, l1_chase_bytes}, ""));
  // One thread runs on one die and uses only that die's L2.
  if (facts.l2_bytes > 0) {
    items.push_back(chase_item(setup, "L2", {ChaseLevel::l2, 0.25 * facts.l2_bytes / facts.l2_instances}, ""));
  }
  if (facts.infinity_cache_bytes > 0) {
    items.push_back(chase_item(setup, "Infinity Cache",
                               {ChaseLevel::l2, std::min(infinity_cache_chase_bytes, infinity_cache_set_bytes(*setup))},
                               ""));
  }
  items.push_back(chase_item(setup, setup->device.memory.back().name, {ChaseLevel::memory, memory}, too_large));
  return items;
}

namespace {

Item launch_item(const SharedSetup& setup, LaunchKind kind, std::string name, std::string title) {
  auto row = new_row(*setup, CeilingKind::overhead, std::move(name), "s");
  row.implementation = setup->built.backend;
  row.data_pattern = "none";
  return row_item(
      setup, std::move(row), std::move(title), measure::expected_seconds(setup->policies.overhead, beside_batch_s),
      [kind](const Setup& s, Ceiling& r) { measure_row(s, r, *s.measurements->launches(kind), s.policies.overhead); });
}

}  // namespace

std::vector<Item> launch_overheads(const SharedSetup& setup) {
  return {launch_item(setup, LaunchKind::enqueue, "kernel_enqueue", "Empty kernels behind one another"),
          launch_item(setup, LaunchKind::round_trip, "kernel_round_trip", "Empty kernel and wait"),
          launch_item(setup, LaunchKind::graph_node, "graph_node", "Node of a replayed graph")};
}

}  // namespace gable::gpu
