#include "backends/mpi/network.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "backends/mpi/pair_matrix.hpp"
#include "backends/mpi/pairing.hpp"
#include "backends/mpi/record.hpp"
#include "core/error.hpp"
#include "core/measure/rounds.hpp"
#include "core/verdict/measured_all_reduce.hpp"
#include "core/verdict/message_medium.hpp"
#include "core/verdict/message_roofline.hpp"

namespace gable::mpi {
namespace {

constexpr std::int64_t mib = 1024 * 1024;
constexpr auto inside_node = message_ways[0], between_nodes = message_ways[1];

/// Two ranks whose messages take one kind of way.
struct Way {
  std::string name;
  std::string words;
  RankPair ranks;
};

std::vector<Way> ways_of(const Team& team) {
  std::vector<Way> ways;
  std::optional<int> near, far;
  for (int rank = 1; rank < team.size(); ++rank) {
    const bool same = team.hosts()[static_cast<std::size_t>(rank)] == team.hosts().front();
    auto& first = same ? near : far;
    if (!first) first = rank;
  }
  if (near) ways.push_back({std::string(inside_node), "inside a node", {0, *near}});
  if (far) ways.push_back({std::string(between_nodes), "between nodes", {0, *far}});
  return ways;
}

DeviceInfo device_of(const Team& team) {
  const auto nodes = std::set<std::string>(team.hosts().begin(), team.hosts().end()).size();
  DeviceInfo device;
  device.id = device.backend = "mpi";
  device.name = fmt::format("{} ranks on {} node{}", team.size(), nodes, nodes == 1 ? "" : "s");
  device.vendor = mpi_library();
  device.cores = device.threads = team.size();
  for (int rank = 0; rank < team.size(); ++rank) {
    device.facts.push_back(
        {fmt::format("rank {}", rank), team.hosts()[static_cast<std::size_t>(rank)], "MPI_Get_processor_name"});
  }
  return device;
}

/// The estimate of a quantity that is `factor` times as large.
Estimate times(Estimate estimate, double factor) {
  for (double* figure : {&estimate.value, &estimate.median}) *figure *= factor;
  for (auto* bound : {&estimate.ci_low, &estimate.ci_high, &estimate.median_ci_low, &estimate.median_ci_high}) {
    if (*bound) **bound *= factor;
  }
  for (double& sample : estimate.samples) sample *= factor;
  return estimate;
}

/// byte/s of so many pairs together.
measure::WorkPerIteration rate_of(const Command& command, double pairs = 1) {
  return {pairs * bytes_moved(command), true};
}
/// `factor` x s of an iteration.
measure::WorkPerIteration time_of(double factor) { return {factor, false}; }

class Network {
 public:
  Network(Team& team, Mode mode, Record& record, const Listener& listener)
      : team_(team),
        full_(mode == Mode::full),
        record_(record),
        listener_(listener),
        by_host_(ranks_by_host(team.hosts())) {}

  /// What is measured from here on; empty, or why it cannot be. `implementation`: of its rows.
  std::string open(Medium medium, std::string implementation) {
    medium_ = medium;
    implementation_ = std::move(implementation);
    const std::int64_t least = static_cast<std::int64_t>(sizeof(double)) * team_.size();
    return medium == Medium::host ? std::string() : team_.open(medium, std::max(message_sizes().back(), least));
  }

  /// A row for each kind of way and collective that says why there is none.
  void refuse(const std::vector<Way>& ways, std::span<const Exchange> collectives, const std::string& why) {
    const auto keep = [&](Ceiling row) {
      mark(row, Status::unsupported, why);
      record_.keep(std::move(row));
    };
    for (const Way& way : ways) keep(link(way.name, "s", "8_bytes", 8));
    for (const Exchange exchange : collectives)
      keep(link(to_string(exchange), "byte/s", std::string(bus_bandwidth), 0));
  }

  void pair(const Way& way) {
    const auto sizes = message_sizes();
    listener_.next(way.words + words());
    team_.pair_up({way.ranks});
    const Command ping{.exchange = Exchange::ping_pong, .medium = medium_, .bytes = 8};
    add(link(way.name, "s", "8_bytes", 8), ping, time_of(0.5));
    for (const Exchange exchange : {Exchange::one_direction, Exchange::two_directions}) {
      const Command command{.exchange = exchange, .medium = medium_, .bytes = sizes.back(), .window = window};
      add(link(way.name, "byte/s", of_size(to_string(exchange), sizes.back()), sizes.back()), command,
          rate_of(command));
      sweep(gable::message_sizes, sizes_series(series(way.name), to_string(exchange)), command, sizes);
    }
    sweep(message_latency, series(way.name), ping, sizes, time_of(0.5));
    for (const std::int64_t bytes : window_sizes)
      windows(way, {.exchange = Exchange::one_direction, .medium = medium_, .bytes = bytes});
  }

  /// The pairs of one kind of way at once, in one direction; nothing where there are fewer than two.
  void pairs_at_once(std::string_view way, const std::vector<RankPair>& pairs) {
    if (pairs.size() < 2) return;
    listener_.next("all pairs at once" + words());
    team_.pair_up(pairs);
    const Command command{
        .exchange = Exchange::one_direction, .medium = medium_, .bytes = message_sizes().back(), .window = window};
    add(link("all_pairs", "byte/s", of_size(fmt::format("{}_{}_pairs", way, pairs.size()), command.bytes),
             command.bytes),
        command, rate_of(command, static_cast<double>(pairs.size())));
  }

  void all_pairs_at_once() {
    pairs_at_once(inside_node, pairs_inside(by_host_));
    pairs_at_once(between_nodes, pairs_between(by_host_));
  }

  /// Between one rank of each node and those of all others; between all ranks, where there is one node.
  void pair_matrix() {
    listener_.next("pair matrix");
    std::vector<int> players = by_host_.front();
    if (by_host_.size() > 1) {
      players.clear();
      for (const auto& ranks : by_host_) players.push_back(ranks.front());
    }
    measure_pair_matrix(team_, players, full_, record_);
  }

  void barrier() {
    listener_.next("barrier");
    add(link("barrier", "s", "", 0), {.exchange = Exchange::barrier}, time_of(1));
  }

  void collective(Exchange exchange) {
    const std::string name(to_string(exchange));
    listener_.next(name + words());
    std::vector<std::int64_t> sizes;
    const std::int64_t whole = static_cast<std::int64_t>(sizeof(double)) * team_.size();
    for (const std::int64_t bytes : message_sizes()) sizes.push_back(std::max<std::int64_t>(1, bytes / whole) * whole);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    const Command command{.exchange = exchange, .medium = medium_, .bytes = sizes.back()};
    const double factor = bus_factor(exchange, team_.size());
    Ceiling bus = add(link(name, "byte/s", of_size("algorithm_bandwidth", command.bytes), command.bytes), command,
                      {static_cast<double>(command.bytes), true});
    bus.variant = of_size(bus_bandwidth, command.bytes);
    bus.id.clear();
    bus.value = times(std::move(bus.value), factor);
    record_.keep(std::move(bus));
    Command smallest = command;
    smallest.bytes = sizes.front();
    add(link(name, "s", fmt::format("{}_bytes", smallest.bytes), smallest.bytes), smallest, time_of(1));
    sweep(collective_times, series(name), command, sizes, time_of(1));
  }

 private:
  static constexpr int window = message_window;

  /// As rows and series name it.
  MessageMedium medium() const {
    return medium_ == Medium::host ? MessageMedium::host : device_medium(implementation_);
  }
  /// Curves have no implementation: it stands in the name of their series.
  std::string series(std::string_view name) const { return message_series_name(name, medium()); }
  /// Behind what is measured, for people.
  std::string words() const { return medium_ == Medium::host ? "" : fmt::format(", {}", medium_words(medium())); }
  Ceiling link(std::string_view name, std::string unit, std::string variant, std::int64_t bytes) const {
    Ceiling row = record_.link(message_row_name(name, medium()), std::move(unit), std::move(variant), bytes);
    row.implementation = implementation_;
    return row;
  }

  std::vector<std::int64_t> message_sizes() const {
    std::vector<std::int64_t> sizes;
    const std::int64_t factor = full_ ? 4 : 16, most = full_ ? 16 * mib : 4 * mib;
    for (std::int64_t bytes = 1; bytes <= most; bytes *= factor) sizes.push_back(bytes);
    if (sizes.back() != most) sizes.push_back(most);
    return sizes;
  }

  /// Of blocks of up to three rounds: a further one is taken while ranks are held back, and one in which no block
  /// fitted into its time is taken again in three times as much, in 10 s of the whole run.
  Estimate measured(const Command& command, const measure::WorkPerIteration& work) {
    constexpr int most_rounds = 3;
    TeamBenchmark benchmark(team_, command);
    auto policy = measure::ceiling_policy(2e-3, full_ ? 24 : 8, full_ ? 4.0 : 1.0);
    Estimate estimate;
    std::vector<Block> blocks;
    for (int round = 0;; ++round) {
      const double begin = MPI_Wtime();
      try {
        estimate = measure::measure(benchmark, work, policy);
      } catch (const measure::NoTime&) {
        again_left_s_ -= MPI_Wtime() - begin;
        const bool is_last = round + 1 == most_rounds || again_left_s_ <= 0;
        if (is_last && blocks.empty()) throw;
        if (is_last) return estimate;  // of the rounds before
        policy.time_limit_s *= 3;
        continue;
      }
      for (Block& block : estimate.taken) block.round = round;
      blocks.insert(blocks.end(), estimate.taken.begin(), estimate.taken.end());
      const StopReason stop = estimate.stop;
      estimate = measure::estimate(blocks, {.larger_is_slower = !work.rate, .ceiling = true});
      estimate.stop = stop;
      estimate.taken.clear();  // nobody combines them with others
      if (round > 0) again_left_s_ -= MPI_Wtime() - begin;
      if (round + 1 == most_rounds || again_left_s_ <= 0 || !measure::was_held_back(estimate)) return estimate;
    }
  }

  template <class T>
  static void judge(T& row, const Estimate& estimate) {
    if (!measure::was_held_back(estimate) || row.reason.starts_with(measure::held_back_prefix)) return;
    const std::string lost = row.reason.empty() ? "" : "; " + row.reason;
    mark(row, Status::suspect, measure::held_back_words(estimate) + lost);
  }

  /// Adds a point to a curve, which is suspect where ranks were held back, or so much that there is no point.
  void add_point(Curve& curve, double x, const Command& command, const measure::WorkPerIteration& work) {
    try {
      const Estimate estimate = measured(command, work);
      curve.x.push_back(x);
      curve.y.push_back(estimate.value);
      judge(curve, estimate);
    } catch (const measure::NoTime& error) {
      const std::string before = curve.reason.empty() ? "" : curve.reason + "; ";
      mark(curve, Status::suspect, fmt::format("{}no point at {}: {}", before, x, error.what()));
    }
  }

  /// Keeps the row with its figure and gives it back.
  Ceiling add(Ceiling row, const Command& command, const measure::WorkPerIteration& work) {
    if (team_.arrives(command)) {
      try {
        row.value = measured(command, work);
        judge(row, row.value);
      } catch (const std::exception& error) {
        mark(row, Status::error, error.what());
      }
    } else {
      mark(row, Status::error, "what arrived is not what was sent");
    }
    record_.keep(row);
    return row;
  }

  /// A curve by message size: of time with `time`, else of rate_of().
  void sweep(std::string_view name, std::string series, Command command, const std::vector<std::int64_t>& sizes,
             const std::optional<measure::WorkPerIteration>& time = {}) {
    Curve curve = record_.curve(std::string(name), std::move(series), Axis{"message size", "byte"},
                                time ? Axis{"time", "s"} : Axis{"bandwidth", "byte/s"});
    keep(std::move(curve), [&](Curve& fresh) {
      for (const std::int64_t bytes : sizes) {
        command.bytes = bytes;
        add_point(fresh, static_cast<double>(bytes), command, time.value_or(rate_of(command)));
      }
    });
  }

  /// Keeps the curve with what `fill` gives it; an error, and no points, where it fails or none is given.
  template <class Fill>
  void keep(Curve curve, Fill&& fill) {
    try {
      fill(curve);
      if (curve.x.empty()) throw std::runtime_error(curve.reason);
    } catch (const std::exception& error) {
      curve.x.clear();
      curve.y.clear();
      mark(curve, Status::error, error.what());
    }
    record_.keep(std::move(curve));
  }

  /// Bandwidth by how many messages are under way before the sender waits: the message roofline.
  void windows(const Way& way, Command command) {
    Curve curve = record_.curve(std::string(window_curves), window_series(series(way.name), command.bytes),
                                {"messages", ""}, {"bandwidth", "byte/s"});
    keep(std::move(curve), [&](Curve& fresh) {
      for (int messages = 1; messages <= 256; messages *= full_ ? 2 : 4) {
        command.window = messages;
        add_point(fresh, messages, command, rate_of(command));
      }
    });
  }

  Team& team_;
  bool full_;
  Record& record_;
  const Listener& listener_;
  std::vector<std::vector<int>> by_host_;
  Medium medium_{};
  std::string implementation_{"mpi"};
  double again_left_s_{10};  ///< for further rounds
};

constexpr std::array collectives{Exchange::all_reduce, Exchange::all_gather, Exchange::all_to_all, Exchange::broadcast};

void measure_on_hosts(Network& network, const std::vector<Way>& ways) {
  network.open(Medium::host, "mpi");
  for (const Way& way : ways) network.pair(way);
  network.all_pairs_at_once();
  network.pair_matrix();
  for (const Exchange exchange : collectives) network.collective(exchange);
  network.barrier();
}

/// What this rank's device is moved by, as facts of the network.
void tell_of_devices(const Team& team, DeviceInfo& network) {
  const DeviceBuffers* device = team.device();
  if (!device) return;
  const DeviceRuntime& runtime = device->runtime;
  std::erase_if(network.facts, [](const Fact& fact) { return fact.source == "rank 0"; });
  network.facts.push_back(
      {"devices", fmt::format("{}, {} seen by rank 0", runtime.name(), runtime.devices()), "rank 0"});
  if (!device->library) return;
  if (const std::string version = device->library->version(); !version.empty())
    network.facts.push_back({std::string(CollectiveLibrary::name_of(runtime.vendor())), version, "rank 0"});
}

void measure_on_devices(Network& network, const Team& team, const std::vector<Way>& ways, DeviceInfo& told) {
  for (const Medium medium : {Medium::device, Medium::library}) {
    const DeviceBuffers* device = team.device();  // the first attempt opens it
    const auto vendor = device ? device->runtime.vendor() : DeviceVendor::cuda;
    const std::string implementation(medium == Medium::device ? "mpi" : CollectiveLibrary::name_of(vendor));
    const std::string why = network.open(medium, implementation);
    tell_of_devices(team, told);
    if (!why.empty()) {
      network.refuse(ways, collectives, why);
      continue;
    }
    for (const Way& way : ways) network.pair(way);
    network.all_pairs_at_once();
    for (const Exchange exchange : collectives) network.collective(exchange);
  }
}

}  // namespace

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string_view all(text);
  all = all.substr(0, std::min(all.find('\n'), all.find(',')));
  constexpr std::string_view mpich = "MPICH Version:";
  if (!all.starts_with(mpich)) return std::string(all);
  all.remove_prefix(std::min(all.find_first_not_of(" \t", mpich.size()), all.size()));
  return fmt::format("MPICH {}", all);
}

void measure_network(Team& team, Mode mode, Memories memories, Result& result, const Listener& listener) {
  if (team.size() < 2) throw Error("a network needs two ranks or more: mpirun -n 2 gable-mpi");
  result.devices = {device_of(team)};
  Record record(result, listener.kept);
  Network network(team, mode, record, listener);
  const auto ways = ways_of(team);
  if (memories.host) measure_on_hosts(network, ways);
  if (memories.device) measure_on_devices(network, team, ways, result.devices.front());
}

}  // namespace gable::mpi
