#include "backends/gpu/ceilings/overhead.hpp"

#include <string>
#include <utility>

#include "backends/gpu/ceilings/measure_row.hpp"

namespace gable::gpu {
namespace {

Item launch_item(const SharedSetup& setup, LaunchKind kind, std::string name, std::string title) {
  auto row = new_row(*setup, CeilingKind::overhead, std::move(name), "s");
  row.implementation = setup->built.backend;
  row.data_pattern = "none";
  return row_item(setup, std::move(row), std::move(title),
                  measure::expected_seconds(setup->policies.overhead, beside_batch_s),
                  [kind](const Setup& s, Ceiling& r) {
                    const auto launches = s.measurements->launches(kind);
                    measure_row(s, r, *launches, s.policies.overhead);
                  });
}

}  // namespace

std::vector<Item> launch_overheads(const SharedSetup& setup) {
  std::vector<Item> items;
  items.push_back(launch_item(setup, LaunchKind::enqueue, "kernel_enqueue", "Empty kernels behind one another"));
  items.push_back(launch_item(setup, LaunchKind::round_trip, "kernel_round_trip", "Empty kernel and wait"));
  items.push_back(launch_item(setup, LaunchKind::graph_node, "graph_node", "Node of a replayed graph"));
  return items;
}

}  // namespace gable::gpu
