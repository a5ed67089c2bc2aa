#include "backends/mpi/network.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/analysis/measured_all_reduce.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/row_item.hpp"

namespace gable::mpi {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

/// Two ranks whose messages take one kind of way.
struct Way {
  std::string name;  ///< of rows: "inside_node", "between_nodes"
  std::string words;
  int from{}, to{};
};

std::vector<Way> ways_of(const Team& team) {
  std::vector<Way> ways;
  std::optional<int> near, far;
  for (int rank = 1; rank < team.size(); ++rank) {
    const bool same = team.hosts()[static_cast<std::size_t>(rank)] == team.hosts().front();
    auto& first = same ? near : far;
    if (!first) first = rank;
  }
  if (near) ways.push_back({"inside_node", "inside a node", 0, *near});
  if (far) ways.push_back({"between_nodes", "between nodes", 0, *far});
  return ways;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text);
  return std::string(all.substr(0, std::min(all.find('\n'), all.find(','))));
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

/// A variant with its message size: figures of other sizes are no repeats of it.
std::string of_size(std::string_view what, std::int64_t bytes) { return fmt::format("{}_{}_bytes", what, bytes); }

/// The estimate of a quantity that is `factor` times as large.
Estimate times(Estimate estimate, double factor) {
  for (double* figure : {&estimate.value, &estimate.median}) *figure *= factor;
  for (auto* bound : {&estimate.ci_low, &estimate.ci_high, &estimate.median_ci_low, &estimate.median_ci_high}) {
    if (*bound) **bound *= factor;
  }
  for (double& sample : estimate.samples) sample *= factor;
  return estimate;
}

/// Figure of one row, and of one point of a curve.
class Meter {
 public:
  Meter(Team& team, Mode mode) : team_(team), full_(mode == Mode::full) {}

  bool full() const { return full_; }
  /// byte/s for `bytes` an iteration.
  Estimate rate(const Command& command, double bytes) { return measured(command, {bytes, true}); }
  /// `factor` x s of an iteration.
  Estimate time(const Command& command, double factor) { return measured(command, {factor, false}); }

 private:
  Estimate measured(const Command& command, const measure::WorkPerIteration& work) {
    TeamBenchmark benchmark(team_, command);
    Estimate estimate =
        measure::measure(benchmark, work, measure::ceiling_policy(2e-3, full_ ? 24 : 8, full_ ? 4.0 : 1.0));
    estimate.taken.clear();  // there is one round, so nobody combines its blocks with others
    return estimate;
  }

  Team& team_;
  bool full_;
};

class Network {
 public:
  Network(Team& team, Mode mode, Result& result, const std::function<void(const std::string&)>& say)
      : team_(team), meter_(team, mode), result_(result), say_(say), device_(result.devices.front()) {}

  void pair(const Way& way) {
    const auto sizes = message_sizes();
    say_(way.words);
    const Command ping{.exchange = Exchange::ping_pong, .bytes = 8, .from = way.from, .to = way.to};
    add(link(way.name, "s", "8_bytes", 8), ping, [&](const Command& c) { return meter_.time(c, 0.5); });
    for (const Exchange exchange : {Exchange::one_direction, Exchange::two_directions}) {
      Command command{.exchange = exchange, .bytes = sizes.back(), .from = way.from, .to = way.to, .window = window};
      add(link(way.name, "byte/s", of_size(to_string(exchange), sizes.back()), sizes.back()), command,
          [&](const Command& c) { return meter_.rate(c, moved(c)); });
      sweep(
          "message_sizes", fmt::format("{}, {}", way.name, to_string(exchange)), command, sizes,
          [&](const Command& c) { return meter_.rate(c, moved(c)).value; }, "byte/s");
    }
    sweep(
        "message_latency", way.name, ping, sizes, [&](const Command& c) { return meter_.time(c, 0.5).value; }, "s");
    for (const std::int64_t bytes : {std::int64_t{8}, 4 * kib, 64 * kib}) {
      const Command command{.exchange = Exchange::one_direction, .bytes = bytes, .from = way.from, .to = way.to};
      windows(way, command);
    }
  }

  void all_pairs_at_once() {
    if (team_.size() < 4) return;
    say_("all pairs at once");
    const int pairs = team_.size() / 2;
    const Command command{.exchange = Exchange::pairs, .bytes = message_sizes().back(), .window = window};
    add(link("all_pairs", "byte/s", of_size(fmt::format("{}_pairs", pairs), command.bytes), command.bytes), command,
        [&](const Command& c) { return meter_.rate(c, moved(c) * pairs); });
  }

  /// The bandwidth of one rank of each node to that of every other; of all ranks, where there is one node. Names the
  /// slowest if it is 10 % below the median.
  void pair_matrix() {
    const auto leaders = one_of_each_node();
    if (leaders.size() < 2) return;
    say_("pair matrix");
    struct Pair {
      int from, to;
      double byte_per_s;
    };
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i + 1 < leaders.size(); ++i) {
      Curve curve =
          new_curve("pair_matrix", fmt::format("from rank {}", leaders[i]), "rank", "", "bandwidth", "byte/s");
      for (std::size_t k = i + 1; k < leaders.size(); ++k) {
        const Command command{
            .exchange = Exchange::two_directions, .bytes = 4 * mib, .from = leaders[i], .to = leaders[k], .window = 8};
        pairs.push_back({leaders[i], leaders[k], meter_.rate(command, moved(command)).value});
        curve.x.push_back(leaders[k]);
        curve.y.push_back(pairs.back().byte_per_s);
      }
      keep(std::move(curve));
    }
    std::ranges::sort(pairs, {}, &Pair::byte_per_s);
    const double median = pairs[pairs.size() / 2].byte_per_s;
    const Pair& slowest = pairs.front();
    if (pairs.size() > 2 && slowest.byte_per_s < 0.9 * median) {
      result_.notes.push_back(fmt::format("slowest pair: ranks {} ({}) and {} ({}), {}, {:.0f} % of the median {}",
                                          slowest.from, host(slowest.from), slowest.to, host(slowest.to),
                                          format_quantity(slowest.byte_per_s, "byte/s"),
                                          100 * slowest.byte_per_s / median, format_quantity(median, "byte/s")));
    }
  }

  void collective(Exchange exchange) {
    const std::string name(to_string(exchange));
    say_(name);
    std::vector<std::int64_t> sizes;
    const std::int64_t whole = static_cast<std::int64_t>(sizeof(double)) * team_.size();
    for (const std::int64_t bytes : message_sizes()) sizes.push_back(std::max<std::int64_t>(1, bytes / whole) * whole);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    const Command command{.exchange = exchange, .bytes = sizes.back()};
    const double factor = bus_factor(exchange, team_.size());
    const auto size = static_cast<double>(command.bytes);
    add(link(name, "byte/s", of_size("algorithm_bandwidth", command.bytes), command.bytes), command,
        [&](const Command& c) { return meter_.rate(c, size); });
    Ceiling bus = result_.ceilings.back();
    bus.variant = of_size(analysis::bus_bandwidth, command.bytes);
    bus.id = ceiling_id(bus);
    bus.value = times(std::move(bus.value), factor);
    result_.ceilings.push_back(std::move(bus));
    Command smallest = command;
    smallest.bytes = sizes.front();
    add(link(name, "s", fmt::format("{}_bytes", smallest.bytes), smallest.bytes), smallest,
        [&](const Command& c) { return meter_.time(c, 1); });
    sweep(
        std::string(analysis::collective_times), name, command, sizes,
        [&](const Command& c) { return meter_.time(c, 1).value; }, "s");
  }

 private:
  static constexpr int window = 64;

  std::vector<std::int64_t> message_sizes() const {
    std::vector<std::int64_t> sizes;
    const std::int64_t factor = meter_.full() ? 4 : 16, most = meter_.full() ? 16 * mib : 4 * mib;
    for (std::int64_t bytes = 1; bytes <= most; bytes *= factor) sizes.push_back(bytes);
    if (sizes.back() != most) sizes.push_back(most);
    return sizes;
  }

  const std::string& host(int rank) const { return team_.hosts()[static_cast<std::size_t>(rank)]; }

  std::vector<int> one_of_each_node() const {
    std::vector<int> leaders, all;
    std::set<std::string> seen;
    for (int rank = 0; rank < team_.size(); ++rank) {
      all.push_back(rank);
      if (seen.insert(host(rank)).second) leaders.push_back(rank);
    }
    return leaders.size() > 1 ? leaders : all;
  }

  /// Bytes of an iteration of messages between two, both directions together.
  static double moved(const Command& command) {
    const double directions = command.exchange == Exchange::two_directions ? 2 : 1;
    return directions * command.window * static_cast<double>(command.bytes);
  }

  Ceiling link(std::string name, std::string unit, std::string variant, std::int64_t bytes) const {
    Ceiling row = new_row(device_, Scope::node, team_.size(), CeilingKind::link, std::move(name), std::move(unit));
    row.implementation = "mpi";
    row.variant = std::move(variant);
    row.data_pattern = "index";
    row.working_set_bytes = static_cast<double>(bytes);
    return row;
  }

  template <class Measure>
  void add(Ceiling row, const Command& command, Measure&& figure) {
    row.id = ceiling_id(row);
    if (team_.arrives(command)) {
      try {
        row.value = figure(command);
      } catch (const std::exception& error) {
        row.status = Status::error;
        row.reason = error.what();
      }
    } else {
      row.status = Status::error;
      row.reason = "what arrived is not what was sent";
    }
    result_.ceilings.push_back(std::move(row));
  }

  Curve new_curve(std::string name, std::string series, std::string x_name, std::string x_unit, std::string y_name,
                  std::string y_unit) const {
    Curve curve;
    curve.device = device_.id;
    curve.threads = team_.size();
    curve.name = std::move(name);
    curve.series = std::move(series);
    curve.x_name = std::move(x_name);
    curve.x_unit = std::move(x_unit);
    curve.y_name = std::move(y_name);
    curve.y_unit = std::move(y_unit);
    curve.id = curve_id(curve);
    return curve;
  }

  void keep(Curve curve) { result_.curves.push_back(std::move(curve)); }

  template <class Measure>
  void sweep(std::string name, std::string series, Command command, const std::vector<std::int64_t>& sizes,
             Measure&& figure, std::string unit) {
    const std::string what = unit == "s" ? "time" : "bandwidth";
    Curve curve = new_curve(std::move(name), std::move(series), "message size", "byte", what, std::move(unit));
    try {
      for (const std::int64_t bytes : sizes) {
        command.bytes = bytes;
        curve.x.push_back(static_cast<double>(bytes));
        curve.y.push_back(figure(command));
      }
    } catch (const std::exception& error) {
      curve.x.clear();
      curve.y.clear();
      curve.status = Status::error;
      curve.reason = error.what();
    }
    keep(std::move(curve));
  }

  /// Bandwidth by how many messages are under way before the sender waits: the message roofline.
  void windows(const Way& way, Command command) {
    Curve curve = new_curve("messages_per_synchronisation", fmt::format("{}, {} bytes", way.name, command.bytes),
                            "messages", "", "bandwidth", "byte/s");
    for (int messages = 1; messages <= 256; messages *= meter_.full() ? 2 : 4) {
      command.window = messages;
      curve.x.push_back(messages);
      curve.y.push_back(meter_.rate(command, moved(command)).value);
    }
    keep(std::move(curve));
  }

  Team& team_;
  Meter meter_;
  Result& result_;
  const std::function<void(const std::string&)>& say_;
  DeviceInfo device_;
};

}  // namespace

void measure_network(Team& team, Mode mode, Result& result, const std::function<void(const std::string&)>& say) {
  if (team.size() < 2) throw Error("a network needs two ranks or more: mpirun -n 2 gable-mpi");
  result.devices = {device_of(team)};
  Network network(team, mode, result, say);
  for (const Way& way : ways_of(team)) network.pair(way);
  network.all_pairs_at_once();
  network.pair_matrix();
  for (const Exchange exchange :
       {Exchange::all_reduce, Exchange::all_gather, Exchange::all_to_all, Exchange::broadcast})
    network.collective(exchange);
}

}  // namespace gable::mpi
