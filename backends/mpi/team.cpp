#include "backends/mpi/team.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <map>
#include <type_traits>

#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"

namespace gable::mpi {
namespace {

constexpr unsigned grace_s = 10;
volatile sig_atomic_t asked_to_stop = 0;

void note_stop_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (asked_to_stop == 0) ::alarm(grace_s);  // SIGALRM ends a process that does not expect it
    asked_to_stop = 1;
  };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGTERM, SIGINT}) ::sigaction(signal, &action, nullptr);
}

std::vector<std::string> gather_hosts(int ranks) {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> all(static_cast<std::size_t>(ranks) * sizeof name);
  MPI_Gather(name, sizeof name, MPI_CHAR, all.data(), sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts.emplace_back(&all[static_cast<std::size_t>(rank) * sizeof name]);
  return hosts;
}

}  // namespace

Team::Team() {
  note_stop_signals();
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hosts_ = gather_hosts(ranks);
}

Team::Order Team::announce(Order order) {
  static_assert(std::is_trivially_copyable_v<Order>);
  MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD);
  return order;
}

std::string Team::open_here(const Command& command) {
  // MPI_COMM_TYPE_SHARED does not tell: seen with MPICH 5, where it parts ranks of one machine.
  std::vector<int> places(hosts_.size());
  std::map<std::string, int> ranks_of_host;
  for (std::size_t rank = 0; rank < hosts_.size(); ++rank) places[rank] = ranks_of_host[hosts_[rank]]++;
  int place = 0;
  MPI_Scatter(places.data(), 1, MPI_INT, &place, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::string why = executor_.open(command.medium, command.bytes, place);
  if (!why.empty()) why = fmt::format("rank {}: {}", rank_, why);
  char mine[256] = {};
  why.copy(mine, sizeof mine - 1);
  std::vector<char> all(hosts_.size() * sizeof mine);
  MPI_Gather(mine, sizeof mine, MPI_CHAR, all.data(), sizeof mine, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (std::size_t rank = 0; leads() && rank < hosts_.size(); ++rank) {
    if (all[rank * sizeof mine] != 0) return &all[rank * sizeof mine];
  }
  return {};
}

double Team::perform(const Order& order) {
  const bool check = order.task == Task::check;
  // the outcome, whether somebody is to stop, for how long one did not run, and a quota stopped one
  double mine[4] = {}, all[4] = {};
  try {
    mine[0] = check ? (executor_.arrives(order.command) ? 0 : 1) : executor_.run(order.command);
  } catch (const std::exception& error) {
    constexpr int failed = 2;
    say(fmt::format("gable-mpi: rank {}: {}\n", rank_, printable(error.what())));
    MPI_Abort(MPI_COMM_WORLD, failed);
  }
  mine[1] = asked_to_stop;
  mine[2] = executor_.waited_s();
  mine[3] = executor_.throttled_s();
  MPI_Reduce(mine, all, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (order.task == Task::each) {
    times_.resize(hosts_.size());
    MPI_Gather(mine, 1, MPI_DOUBLE, times_.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  waited_s_ = all[2];
  throttled_s_ = all[3];
  if (leads() && all[1] > 0) throw Stopped();
  return all[0];
}

void Team::hand_out(const std::vector<Partner>& partners) {
  static_assert(std::is_trivially_copyable_v<Partner>);
  Partner mine;
  MPI_Scatter(partners.data(), sizeof mine, MPI_BYTE, &mine, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
  executor_.join(mine);
}

void Team::pair_up(const std::vector<RankPair>& pairs) {
  std::vector<Partner> partners(hosts_.size());
  for (const auto& [from, to] : pairs) {
    partners[static_cast<std::size_t>(from)] = {to, true};
    partners[static_cast<std::size_t>(to)] = {from, false};
  }
  announce({.task = Task::pair_up});
  hand_out(partners);
}

double Team::run(const Command& command) { return perform(announce({Task::run, command})); }

std::vector<double> Team::each(const Command& command) {
  perform(announce({Task::each, command}));
  return times_;
}

bool Team::arrives(const Command& command) { return perform(announce({Task::check, command})) == 0; }

std::string Team::open(Medium medium, std::int64_t bytes) {
  return open_here(announce({Task::open, {.medium = medium, .bytes = bytes}}).command);
}

void Team::dismiss() { announce({.task = Task::dismiss}); }

void Team::follow() {
  for (;;) {
    const Order order = announce({});
    if (order.task == Task::dismiss) return;
    if (order.task == Task::pair_up)
      hand_out({});
    else if (order.task == Task::open)
      open_here(order.command);
    else
      perform(order);
  }
}

}  // namespace gable::mpi
