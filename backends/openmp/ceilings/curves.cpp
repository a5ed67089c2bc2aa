#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "backends/openmp/ceilings/benchmarks.hpp"
#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/ceilings/setup.hpp"
#include "core/error.hpp"
#include "core/model/capacity.hpp"
#include "core/sequence.hpp"

namespace gable::openmp {
namespace {

constexpr double kib = 1024.0;
constexpr const char* no_kernel = "no instruction set of this CPU has a kernel for it";

std::string verdict(const Level& level, const std::optional<CacheStep>& step) {
  if (!step) return fmt::format("{} not confirmed: no step", level.name);
  const bool near = step->holds >= 0.5 * level.capacity_bytes && step->holds <= 2.0 * level.capacity_bytes;
  return fmt::format("{} {}: {:.0f} KiB by topology, bandwidth falls at {:.0f} KiB ({:.3g} GB/s inside, {:.3g} beyond)",
                     level.name, near ? "confirmed" : "not confirmed", level.capacity_bytes / kib, step->holds / kib,
                     1e-9 / step->here_s, 1e-9 / step->beyond_s);
}

std::vector<double> sweep_sizes_of(const Setup& setup, Access access) {
  const auto levels = setup.levels();
  double largest = 0.0;
  for (const auto& set : setup.sets()) largest = std::max(largest, set.bytes);
  const int quick = access == Access::read ? 3 : 2;
  return sweep_sizes(setup.threads(), caches_bytes(levels), largest, setup.full() ? 4 : quick);
}

StreamChoice stream_of(const Setup& setup, Access access) {
  return stream_kernel(setup.instructions, access, access == Access::read ? Stores::none : Stores::ordinary);
}

Setup::Ladder sweep(Setup& setup, Access access) {
  Setup::Ladder ladder;
  for (const double size : sweep_sizes_of(setup, access)) {
    StreamBenchmark benchmark(setup, stream_of(setup, access), size);
    ladder.add(benchmark.working_set_bytes(),
               measure::measure(benchmark, {benchmark.bytes_per_pass(), true}, setup.policies.curve));
  }
  return ladder;
}

Setup::Ladder& first_reads(Setup& setup) {
  return setup.first_ladder(to_string(Access::read), [&] { return sweep(setup, Access::read); });
}

void measure_sweep(Setup& setup, Curve& curve, Access access) {
  const bool is_first = access == Access::read && !std::exchange(first_reads(setup).taken, true);
  (is_first ? first_reads(setup) : sweep(setup, access)).fill(curve);
  if (curve.status == Status::ok) curve.reason = confirm_levels(setup.levels(), curve.x, curve.y);
}

std::vector<double> seconds_of(std::span<const double> rates) {
  return mapped(rates, [](double rate) { return 1 / rate; });
}

}  // namespace

std::vector<double> sweep_sizes(int threads, double caches_bytes, double largest, int per_octave) {
  std::vector<double> sizes;
  constexpr double large = 32.0 * 1024 * kib;  // of a thread
  const double first = 4.0 * kib * threads;
  for (int i = 0;; ++i) {
    const double size = first * std::exp2(static_cast<double>(i) / per_octave);
    if (size > largest * (1.0 + 1e-9)) return sizes;
    const bool far_in_memory = caches_bytes > 0 && size > 2.0 * caches_bytes;
    const int every = far_in_memory ? per_octave : size > large * threads ? std::max(1, per_octave / 2) : 1;
    if (i % every == 0) sizes.push_back(size);
  }
}

std::string confirm_levels(std::span<const Level> levels, std::span<const double> sizes,
                           std::span<const double> rates) {
  const auto steps = cache_steps(bytes_of_caches(levels), sizes, seconds_of(rates));
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += fmt::format("{}{}", text.empty() ? "" : "; ", verdict(levels[i], steps[i]));
  return text;
}

std::vector<WorkingSet> found_sets(Setup& setup, std::string& why_not) {
  if (stream_of(setup, Access::read).kernel == nullptr) return setup.sets();
  const auto& ladder = first_reads(setup);
  why_not = ladder.why_not();
  if (!why_not.empty()) return setup.sets();
  const auto levels = setup.levels();
  return within_found(setup.sets(), levels,
                      cache_steps(bytes_of_caches(levels), ladder.set_bytes, seconds_of(ladder.figures)));
}

std::vector<Item> working_set_sweeps(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto access : {Access::read, Access::copy, Access::triad}) {
    auto curve = new_curve(*setup, std::string(working_set_sweep), std::string(to_string(access)),
                           {"working_set", "byte"}, {"bandwidth", "byte/s"});
    if (stream_of(*setup, access).kernel == nullptr) mark(curve, Status::unsupported, no_kernel);
    const auto sizes = sweep_sizes_of(*setup, access);
    constexpr double passes = 4;  // those of a working set whose pass is longer than a batch
    const double swept_bytes = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    const double expected_s = static_cast<double>(sizes.size()) * expected_seconds(setup->policies.curve) +
                              passes * swept_bytes / (expected_bytes_per_thread_and_s * setup->threads());
    items.push_back(curve_item(setup, std::move(curve), fmt::format("Working-set sweep, {}", to_string(access)),
                               expected_s, [access](Setup& s, Curve& c) { measure_sweep(s, c, access); }));
  }
  return items;
}

namespace {

Curve scaling_curve(const Setup& setup, std::string series, Axis figure) {
  return new_curve(setup, "core_scaling", std::move(series), {"cores", "core"}, std::move(figure));
}

void measure_flops(Setup& setup, Curve& curve, const ComputeChoice& choice) {
  for (const int cores : core_counts(setup.threads())) {
    const auto part = narrowed(setup, cores);
    ComputeBenchmark benchmark(*part, choice);
    curve.x.push_back(cores);
    curve.y.push_back(measure::measure(benchmark, {benchmark.operations(), true}, setup.policies.curve).value);
  }
}

void measure_triad(Setup& setup, Curve& curve, const StreamChoice& choice) {
  setup.memory();  // that of all cores, before parts of the machine are made that share it
  for (const int cores : core_counts(setup.threads())) {
    const auto few = cores < setup.threads() ? narrowed(setup, cores) : nullptr;
    auto& part = few ? *few : setup;  // all cores: the memory that has been touched already
    const auto set = part.sets().back();
    if (!set.reason.empty()) return mark(curve, Status::skipped, set.reason);
    StreamBenchmark benchmark(part, choice, set.bytes);
    curve.x.push_back(cores);
    curve.y.push_back(measure::measure(benchmark, {benchmark.bytes_per_pass(), true}, setup.policies.curve).value);
  }
}

}  // namespace

std::vector<int> core_counts(int cores) {
  std::vector<int> counts;
  for (int count = 1; count < cores; count += std::max(1, count / 4)) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

std::vector<Item> core_scaling(const SharedSetup& setup) {
  std::vector<Item> items;
  if (!setup->full() || setup->threads() < 2) return items;
  const double points = static_cast<double>(core_counts(setup->threads()).size());
  const auto kernels = compute_kernels(setup->instructions, "vector", DType::fp64);
  if (!kernels.empty()) {
    items.push_back(curve_item(setup, scaling_curve(*setup, "fp64_vector", {"performance", "flop/s"}),
                               "fp64 vector against cores", points * expected_seconds(setup->policies.curve),
                               [choice = kernels.front()](Setup& s, Curve& c) { measure_flops(s, c, choice); }));
  }
  const auto triad = stream_kernel(setup->instructions, Access::triad, Stores::ordinary);
  if (triad.kernel != nullptr) {
    items.push_back(curve_item(setup, scaling_curve(*setup, "memory_triad", {"bandwidth", "byte/s"}),
                               "Main-memory triad against cores", points,
                               [triad](Setup& s, Curve& c) { measure_triad(s, c, triad); }));
  }
  return items;
}

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
  PinnedThreads pinned({owner.cpus.front()});
  return Array(pinned, static_cast<std::size_t>(std::ceil(bytes / sizeof(double))), seed);
}

double latency_s(Setup& setup, const Node& from, Array& memory, double bytes) {
  PinnedThreads alone({from.cpus.front()});
  const auto lines = as_lines({memory.data(), memory.size()}, bytes);
  link_random_cycle(lines, seed);
  PointerChase chase(alone, lines);
  chase.run(lines.size());
  return measure::measure(chase, {1.0, false}, setup.policies.curve).value;
}

Curve numa_curve(const Setup& setup, const Node& from, Axis figure) {
  auto series = fmt::format("{}_from_node_{}", figure.name, from.id);
  return new_curve(setup, "numa_distance", std::move(series), {"memory_node", "index"}, std::move(figure));
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
  if (read.kernel == nullptr) return mark(curve, Status::unsupported, no_kernel);
  const double bytes = node_bytes(setup, from);
  for (const auto& owner : nodes) {
    auto memory = touched_by(owner, bytes);
    PinnedThreads pinned(from.cpus);
    const std::size_t doubles = memory.size() / 64 * 64;
    std::vector<Sink> sinks(from.cpus.size());
    TimedWork reads([&](std::uint64_t passes) {
      return pinned.timed([&](int rank) {
        const auto share = share_of(doubles, rank, pinned.size());
        Sink& sink = sinks[static_cast<std::size_t>(rank)];
        read.kernel->run(memory.data() + share.begin, nullptr, nullptr, share.count, passes, &sink);
      });
    });
    const double bytes_a_pass = static_cast<double>(doubles) * sizeof(double);
    curve.x.push_back(owner.id);
    curve.y.push_back(measure::measure(reads, {bytes_a_pass, true}, setup.policies.curve).value);
  }
}

}  // namespace

std::vector<Item> numa_matrix(const SharedSetup& setup) {
  std::vector<Item> items;
  const auto nodes = nodes_with_cpus(*setup);
  if (nodes.size() < 2) return items;
  const double expected_s = 0.5 * static_cast<double>(nodes.size());
  for (const auto& from : nodes) {
    items.push_back(curve_item(setup, numa_curve(*setup, from, {"latency", "s"}),
                               fmt::format("Latency from NUMA node {}", from.id), expected_s,
                               [from, nodes](Setup& s, Curve& c) { measure_latencies(s, c, from, nodes); }));
    items.push_back(curve_item(setup, numa_curve(*setup, from, {"bandwidth", "byte/s"}),
                               fmt::format("Read bandwidth from NUMA node {}", from.id), expected_s,
                               [from, nodes](Setup& s, Curve& c) { measure_reads(s, c, from, nodes); }));
  }
  return items;
}

}  // namespace gable::openmp
