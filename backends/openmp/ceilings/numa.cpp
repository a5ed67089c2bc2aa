#include "backends/openmp/ceilings/numa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/openmp/ceilings/pointer_chase.hpp"
#include "backends/openmp/ceilings/row.hpp"
#include "backends/openmp/ceilings/stream_benchmark.hpp"
#include "core/error.hpp"

namespace gable::openmp {
namespace {

constexpr double memory_factor = 4.0;
constexpr std::uint64_t seed = 0x40a4;

/// A node's cpus among those of the setup.
struct Node {
  int id{};
  std::vector<int> cpus;
};

std::vector<Node> nodes_with_cpus(const Setup& setup) {
  std::vector<Node> nodes;
  for (const auto& numa : setup.device.numa) {
    Node node{numa.id, {}};
    for (const int cpu : setup.cpus) {
      if (std::find(numa.cpus.begin(), numa.cpus.end(), cpu) != numa.cpus.end()) node.cpus.push_back(cpu);
    }
    if (!node.cpus.empty()) nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Memory beyond what the caches of one node's cores hold. Throws Error, like Array, when there is too little.
double node_bytes(const Setup& setup, const Node& node) {
  const auto levels = levels_of(setup.device, setup.request.scope, static_cast<int>(node.cpus.size()));
  const auto set = working_sets(levels, setup.budget_bytes, memory_factor).back();
  if (!set.reason.empty()) throw Error(fmt::format("NUMA node {}: {}", node.id, set.reason));
  return set.bytes;
}

Array touched_by(const Node& owner, double bytes) {
  Team team({owner.cpus.front()});
  return Array(team, static_cast<std::size_t>(std::ceil(bytes / sizeof(double))), seed);
}

double latency_s(Setup& setup, const Node& from, Array& memory, double bytes) {
  Team alone({from.cpus.front()});
  const auto lines = as_lines({memory.data(), memory.size()}, bytes);
  link_random_cycle(lines, seed);
  PointerChase chase(lines);
  chase.run(lines.size());
  return measure::measure(chase, {1.0, false}, setup.policies.curve).value;
}

/// Reads of memory that belongs to another node.
class RemoteRead final : public measure::Benchmark {
 public:
  RemoteRead(Team& team, const isa::StreamKernel& kernel, Array& memory)
      : team_(team), kernel_(kernel), memory_(memory), sinks_(static_cast<std::size_t>(team.size())) {}

  measure::Sample run(std::uint64_t passes) override {
    return team_.timed([&](int rank) {
      const auto share = share_of(memory_.size() / 64 * 64, rank, team_.size());
      kernel_.run(memory_.data() + share.begin, nullptr, nullptr, share.count, passes,
                  &sinks_[static_cast<std::size_t>(rank)]);
    });
  }
  double bytes() const {
    const auto whole = memory_.size() / 64 * 64;
    return static_cast<double>(whole) * sizeof(double);
  }

 private:
  Team& team_;
  const isa::StreamKernel& kernel_;
  Array& memory_;
  std::vector<Sink> sinks_;
};

Curve numa_curve(const Node& from, std::string_view what, std::string unit) {
  Curve curve;
  curve.name = "numa_distance";
  curve.series = fmt::format("{}_from_node_{}", what, from.id);
  curve.x_name = "memory_node";
  curve.x_unit = "index";
  curve.y_name = what;
  curve.y_unit = std::move(unit);
  return curve;
}

void measure_latencies(Setup& setup, Curve& curve, const Node& from, const std::vector<Node>& nodes) {
  const double bytes = node_bytes(setup, from);
  for (const auto& owner : nodes) {
    auto memory = touched_by(owner, bytes);
    curve.x.push_back(owner.id);
    curve.y.push_back(latency_s(setup, from, memory, bytes));
  }
}

void measure_reads(Setup& setup, Curve& curve, const Node& from, const std::vector<Node>& nodes) {
  const auto read = stream_kernel(setup.instructions, Access::read, Stores::none);
  if (read.kernel == nullptr) {
    curve.status = Status::unsupported;
    curve.reason = "no instruction set of this CPU has a kernel for it";
    return;
  }
  const double bytes = node_bytes(setup, from);
  for (const auto& owner : nodes) {
    auto memory = touched_by(owner, bytes);
    Team team(from.cpus);
    RemoteRead benchmark(team, *read.kernel, memory);
    curve.x.push_back(owner.id);
    curve.y.push_back(measure::measure(benchmark, {benchmark.bytes(), true}, setup.policies.curve).value);
  }
}

}  // namespace

std::vector<Item> numa_matrix(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto nodes = nodes_with_cpus(*setup);
  if (nodes.size() < 2) return items;
  const double expected_s = 0.5 * static_cast<double>(nodes.size());
  for (const auto& from : nodes) {
    items.push_back(curve_item(setup, numa_curve(from, "latency", "s"),
                               fmt::format("Latency from NUMA node {}", from.id), expected_s,
                               [from, nodes](Setup& s, Curve& c) { measure_latencies(s, c, from, nodes); }));
    items.push_back(curve_item(setup, numa_curve(from, "bandwidth", "byte/s"),
                               fmt::format("Read bandwidth from NUMA node {}", from.id), expected_s,
                               [from, nodes](Setup& s, Curve& c) { measure_reads(s, c, from, nodes); }));
  }
  return items;
}

}  // namespace gable::openmp
