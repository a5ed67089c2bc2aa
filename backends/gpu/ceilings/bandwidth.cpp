#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "backends/gpu/ceilings/ceilings.hpp"
#include "backends/gpu/rates.hpp"
#include "backends/gpu/setup.hpp"
#include "core/device/datasheet.hpp"
#include "core/row_item.hpp"

namespace gable::gpu {
namespace {

constexpr double mib = 1024.0 * 1024.0;
/// Sizes of the outermost cache beyond which it holds next to nothing of a pass.
constexpr double times_cache = 4.0;
constexpr Access accesses[] = {Access::read, Access::write, Access::copy, Access::triad};

std::string too_small(const Setup& setup) {
  return fmt::format("four times {} do not fit into {:.0f} MiB, a quarter of the free memory", setup.outermost_cache(),
                     setup.budget_bytes / mib);
}

Ceiling stream_row(const Setup& setup, std::string level, Access access) {
  auto row = new_row(setup, CeilingKind::bandwidth, std::move(level), "byte/s");
  row.access = access;
  row.stores = read_fraction(access) < 1 ? Stores::ordinary : Stores::none;
  row.at = OperatingPoint::sustained;
  row.implementation = setup.built.backend;
  row.data_pattern = "random_uniform";
  return row;
}

/// Lines at random take as short as a point of a curve.
Item stream_item(const SharedSetup& setup, const std::string& level, Access access, double bytes) {
  const bool random = access == Access::random;
  const auto policy = random ? setup->policies.curve : setup->policies.stream;
  auto row = stream_row(*setup, level, access);
  if (bytes > 0) {
    row.working_set_bytes = bytes;
    add_datasheet(setup->device, row);
  } else {
    mark(row, Status::skipped, too_small(*setup));
  }
  auto title = fmt::format("{} {}", level, to_string(access));
  return row_item(setup, std::move(row), std::move(title), measure::expected_seconds(policy, beside_batch_s),
                  [access, bytes, policy](const Setup& s, Ceiling& r) {
                    measure_row(s, r, *s.measurements->stream({access, bytes, false}), policy);
                  });
}

/// A power of two of lines, which every die reads.
Item random_item(const SharedSetup& setup, const std::string& level, double bytes, double least = 0) {
  const double set = bytes > 0 ? std::exp2(std::floor(std::log2(bytes))) : 0.0;
  return stream_item(setup, level, Access::random, set < least ? 0.0 : set);
}

/// A row of a memory inside the multiprocessors.
Item near_item(const SharedSetup& setup, std::string_view level, const std::optional<NearRate>& rate,
               std::unique_ptr<GpuBenchmark> (Measurements::*make)()) {
  auto row = stream_row(*setup, std::string(level), Access::read);
  const double per_cycle = rate ? rate->bytes_per_cycle * setup->threads() : 0.0;
  if (rate && setup->facts.clock_hz > 0) {
    row.datasheet = per_cycle * setup->facts.clock_hz;
    row.datasheet_source =
        fmt::format("multiprocessors x {:g} byte a cycle x maximum clock ({})", rate->bytes_per_cycle, rate->source);
  }
  return row_item(setup, std::move(row), fmt::format("{} read", level),
                  measure::expected_seconds(setup->policies.stream, beside_batch_s),
                  [make, per_cycle](const Setup& s, Ceiling& r) {
                    measure_row(s, r, *((*s.measurements).*make)(), s.policies.stream);
                    if (per_cycle > 0 && r.conditions.clock_hz) r.theory_at_clock = per_cycle * *r.conditions.clock_hz;
                  });
}

Item runtime_copy_item(const SharedSetup& setup, const std::string& level, double bytes) {
  auto row = stream_row(*setup, level, Access::copy);
  row.at = OperatingPoint::library;
  row.implementation = setup->built.backend + "_memcpy";
  row.variant = "runtime";  // beside the ceiling: it may leave the multiprocessors out
  row.working_set_bytes = bytes;
  if (bytes <= 0) mark(row, Status::skipped, too_small(*setup));
  return row_item(setup, std::move(row), fmt::format("{} copy by the runtime", level),
                  measure::expected_seconds(setup->policies.stream, beside_batch_s),
                  [bytes](const Setup& s, Ceiling& r) {
                    measure_row(s, r, *s.measurements->runtime_copy(bytes), s.policies.stream);
                  });
}

/// From the largest size down. A cold pass is a launch: sizes of which the launch would be more than a quarter, by what
/// the size before took, are left out.
void measure_sweep(const Setup& setup, Curve& curve, bool cold) {
  constexpr double launches_a_pass = 4.0;
  double least_s = 0.0;
  if (cold) {
    const auto launches = setup.measurements->launches(LaunchKind::enqueue);
    least_s = launches_a_pass * measure::measure(*launches, {1.0, false}, setup.policies.curve).value;
  }
  auto sizes = sweep_sizes(setup);
  std::erase_if(sizes, [&](double bytes) { return bytes > setup.budget_bytes; });
  std::ranges::reverse(sizes);
  for (const double bytes : sizes) {
    if (!curve.y.empty() && bytes / curve.y.back() < least_s) break;
    const auto benchmark = setup.measurements->stream({Access::read, bytes, cold});
    const auto estimate = measure::measure(*benchmark, {benchmark->per_iteration(), true}, setup.policies.curve);
    curve.x.push_back(bytes);
    curve.y.push_back(estimate.value);
  }
  std::ranges::reverse(curve.x);
  std::ranges::reverse(curve.y);
}

Item sweep_item(const SharedSetup& setup, bool cold) {
  auto curve = new_curve(*setup, "working_set_sweep", cold ? "read_cold" : "read", {"working_set", "byte"},
                         {"bandwidth", "byte/s"});
  if (setup->facts.l2_bytes <= 0) mark(curve, Status::skipped, "the runtime does not tell the size of L2");
  const auto points = static_cast<double>(sweep_sizes(*setup).size());
  return curve_item(setup, std::move(curve), cold ? "Working-set sweep, read, cold" : "Working-set sweep, read",
                    points * measure::expected_seconds(setup->policies.curve, beside_batch_s),
                    [cold](const Setup& s, Curve& c) { measure_sweep(s, c, cold); });
}

}  // namespace

double memory_set_bytes(const Setup& setup, int arrays) {
  const double least = times_cache * setup.outermost_cache_bytes();
  const double wanted = std::max(setup.full() ? 2048.0 * mib : 512.0 * mib, least);
  const double each = std::min(wanted, setup.budget_bytes / arrays);
  return each < least || each <= 0 ? 0.0 : each * arrays;
}

double l2_set_bytes(const Setup& setup) { return 0.25 * setup.facts.l2_bytes; }

double infinity_cache_set_bytes(const Setup& setup) { return 0.5 * setup.facts.infinity_cache_bytes; }

std::vector<double> sweep_sizes(const Setup& setup) {
  std::vector<double> sizes;
  const double from = setup.facts.l2_bytes / 4;
  if (from <= 0) return sizes;
  for (double bytes = from / 2; bytes >= mib; bytes /= 2) sizes.insert(sizes.begin(), bytes);
  const double per_octave = setup.full() ? 4 : 2;
  const double last = std::ceil(per_octave * std::log2(times_cache * setup.outermost_cache_bytes() / from));
  for (int i = 0; i <= last; ++i) sizes.push_back(from * std::exp2(i / per_octave));
  return sizes;
}

std::vector<Item> bandwidth_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto& memory = setup->device.memory.back().name;
  for (const Access access : accesses) {
    items.push_back(stream_item(setup, memory, access, memory_set_bytes(*setup, arrays_of(access))));
  }
  items.push_back(
      random_item(setup, memory, memory_set_bytes(*setup, 1), times_cache * setup->outermost_cache_bytes()));
  items.push_back(runtime_copy_item(setup, memory, memory_set_bytes(*setup, arrays_of(Access::copy))));
  if (setup->facts.infinity_cache_bytes > 0) {
    for (const Access access : {Access::read, Access::copy}) {
      items.push_back(stream_item(setup, "Infinity Cache", access, infinity_cache_set_bytes(*setup)));
    }
    items.push_back(random_item(setup, "Infinity Cache", infinity_cache_set_bytes(*setup)));
  }
  if (setup->facts.l2_bytes > 0) {
    for (const Access access : accesses) items.push_back(stream_item(setup, "L2", access, l2_set_bytes(*setup)));
    items.push_back(random_item(setup, "L2", l2_set_bytes(*setup) / setup->facts.l2_instances));
  }
  items.push_back(near_item(setup, "L1", l1_rate(setup->facts), &Measurements::l1_read));
  items.push_back(near_item(setup, shared_name(setup->built), shared_rate(setup->facts), &Measurements::shared_read));
  return items;
}

std::vector<Item> working_set_sweeps(const SharedSetup& setup) {
  return {sweep_item(setup, false), sweep_item(setup, true)};
}

namespace {

double transfer_bytes(const Setup& setup) {
  return std::min(setup.full() ? 256.0 * mib : 64.0 * mib, 0.25 * setup.budget_bytes);
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
                  measure::expected_seconds(setup->policies.link, beside_batch_s), [spec](const Setup& s, Ceiling& r) {
                    measure_row(s, r, *s.measurements->link(spec), s.policies.link);
                  });
}

Item peer_item(const SharedSetup& setup, const Measurements::Peer& peer) {
  auto row = link_row(*setup, fmt::format("to_{}:{}", setup->built.backend, peer.index));
  if (!peer.direct) row.variant = "through_host";
  const double bytes = transfer_bytes(*setup);
  auto title = fmt::format("Link to {}:{}{}", setup->built.backend, peer.index, peer.direct ? "" : " through the host");
  return row_item(setup, std::move(row), std::move(title),
                  measure::expected_seconds(setup->policies.link, beside_batch_s),
                  [index = peer.index, bytes](const Setup& s, Ceiling& r) {
                    measure_row(s, r, *s.measurements->peer_copy(index, bytes), s.policies.link);
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
