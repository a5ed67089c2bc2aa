#include "backends/mpi/team.hpp"

#include <mpi.h>

#include <type_traits>

namespace gable::mpi {
namespace {

/// What the leader sends before each task.
struct Order {
  Command command;
  bool check{};
};
static_assert(std::is_trivially_copyable_v<Order>);

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

void announce(Order& order) { MPI_Bcast(&order, sizeof order, MPI_BYTE, 0, MPI_COMM_WORLD); }

}  // namespace

Team::Team() {
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hosts_ = gather_hosts(ranks);
}

double Team::perform(const Command& command, bool check) {
  const double mine = check ? static_cast<double>(executor_.arrives(command)) : executor_.run(command);
  double all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, check ? MPI_MIN : MPI_MAX, 0, MPI_COMM_WORLD);
  return all;
}

double Team::run(Command command) {
  Order order{command, false};
  announce(order);
  return perform(command, false);
}

bool Team::arrives(Command command) {
  Order order{command, true};
  announce(order);
  return perform(command, true) > 0;
}

void Team::dismiss() {
  Order order{};
  order.command.last = true;
  announce(order);
}

void Team::follow() {
  for (Order order{};;) {
    announce(order);
    if (order.command.last) return;
    perform(order.command, order.check);
  }
}

}  // namespace gable::mpi
