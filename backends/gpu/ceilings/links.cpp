#include "backends/gpu/ceilings/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "backends/gpu/ceilings/measure_row.hpp"

namespace gable::gpu {
namespace {

constexpr double mib = 1024.0 * 1024.0;

double transfer_bytes(const Setup& setup) {
  return std::min(setup.full() ? 256.0 * mib : 64.0 * mib, 0.25 * setup.budget_bytes);
}

void measure_transfer(const Setup& setup, Ceiling& row, GpuBenchmark& benchmark) {
  measure_row(setup, row, benchmark, setup.policies.link);
}

Ceiling link_row(const Setup& setup, std::string name) {
  auto row = new_row(setup, CeilingKind::link, std::move(name), "byte/s");
  row.implementation = setup.built.backend + "_memcpy";
  row.data_pattern = "random_uniform";
  row.working_set_bytes = transfer_bytes(setup);
  return row;
}

Item host_item(const SharedSetup& setup, Direction direction, std::string name, bool pinned) {
  auto row = link_row(*setup, name);
  if (!pinned) row.variant = "pageable";
  const LinkSpec spec{direction, pinned, transfer_bytes(*setup)};
  std::replace(name.begin(), name.end(), '_', ' ');
  return row_item(setup, std::move(row), fmt::format("Link {}, {} memory", name, pinned ? "pinned" : "pageable"),
                  measure::expected_seconds(setup->policies.link, beside_batch_s),
                  [spec](const Setup& s, Ceiling& r) { measure_transfer(s, r, *s.measurements->link(spec)); });
}

Item peer_item(const SharedSetup& setup, const Measurements::Peer& peer) {
  auto row = link_row(*setup, fmt::format("to_{}:{}", setup->built.backend, peer.index));
  if (!peer.direct) row.variant = "through_host";
  const double bytes = transfer_bytes(*setup);
  auto title = fmt::format("Link to {}:{}{}", setup->built.backend, peer.index, peer.direct ? "" : " through the host");
  return row_item(setup, std::move(row), std::move(title),
                  measure::expected_seconds(setup->policies.link, beside_batch_s),
                  [index = peer.index, bytes](const Setup& s, Ceiling& r) {
                    measure_transfer(s, r, *s.measurements->peer_copy(index, bytes));
                  });
}

}  // namespace

std::vector<Item> link_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const bool pinned : {true, false}) {
    items.push_back(host_item(setup, Direction::to_device, "host_to_device", pinned));
    items.push_back(host_item(setup, Direction::to_host, "device_to_host", pinned));
    items.push_back(host_item(setup, Direction::both, "both_directions", pinned));
  }
  for (const auto& peer : setup->measurements->peers()) items.push_back(peer_item(setup, peer));
  return items;
}

}  // namespace gable::gpu
