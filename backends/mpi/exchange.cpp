#include "backends/mpi/exchange.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/enum_names.hpp"

namespace gable::mpi {
namespace {

constexpr auto names = enum_names<Exchange>({{Exchange::ping_pong, "ping_pong"},
                                             {Exchange::one_direction, "one_direction"},
                                             {Exchange::two_directions, "two_directions"},
                                             {Exchange::all_reduce, "all_reduce"},
                                             {Exchange::all_gather, "all_gather"},
                                             {Exchange::all_to_all, "all_to_all"},
                                             {Exchange::broadcast, "broadcast"},
                                             {Exchange::barrier, "barrier"}});

constexpr int message_tag = 1, answer_tag = 2;

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

int ranks() {
  int value = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

/// Element i of what rank `source` sends.
unsigned char pattern(int source, std::size_t i) {
  return static_cast<unsigned char>((i * 7 + static_cast<std::size_t>(source) * 31 + 1) % 251);
}

void fill(std::vector<unsigned char>& buffer, int source) {
  for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = pattern(source, i);
}

/// Doubles of an all-reduce; integers, so that their sum is exact in every order.
double summand(int source, std::size_t i) { return static_cast<double>(i % 1000) + source; }

}  // namespace

std::string_view to_string(Exchange exchange) { return names.name(exchange); }

bool is_collective(Exchange exchange) { return exchange >= Exchange::all_reduce; }

double bus_factor(Exchange exchange, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (exchange) {
    case Exchange::all_reduce:
      return 2 * others;
    case Exchange::all_gather:
    case Exchange::all_to_all:
      return others;
    default:
      return 1;
  }
}

double bytes_moved(const Command& command) {
  const double directions = command.exchange == Exchange::two_directions ? 2 : 1;
  return directions * command.window * static_cast<double>(command.bytes);
}

void Executor::prepare(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  if (sent_.size() == size) return;
  sent_.assign(size, 0);
  received_.assign(size, 0);
  fill(sent_, rank());
}

void Executor::once(const Command& command) {
  const auto count = static_cast<int>(command.bytes);
  const int share = count / ranks();
  switch (command.exchange) {
    case Exchange::all_reduce:
      MPI_Allreduce(sent_.data(), received_.data(), count / static_cast<int>(sizeof(double)), MPI_DOUBLE, MPI_SUM,
                    MPI_COMM_WORLD);
      return;
    case Exchange::all_gather:
      MPI_Allgather(sent_.data(), share, MPI_BYTE, received_.data(), share, MPI_BYTE, MPI_COMM_WORLD);
      return;
    case Exchange::all_to_all:
      MPI_Alltoall(sent_.data(), share, MPI_BYTE, received_.data(), share, MPI_BYTE, MPI_COMM_WORLD);
      return;
    case Exchange::broadcast:
      // Without the barrier a root would be gone, and issue the next one, long before the last rank has this one.
      MPI_Bcast(rank() == 0 ? sent_.data() : received_.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    case Exchange::barrier:
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    default:
      break;
  }
  const auto [partner, sends] = partner_;
  if (partner < 0) return;
  if (command.exchange == Exchange::ping_pong) {
    if (sends) MPI_Send(sent_.data(), count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD);
    MPI_Recv(received_.data(), count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!sends) MPI_Send(sent_.data(), count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD);
    return;
  }
  const bool both = command.exchange == Exchange::two_directions;
  std::vector<MPI_Request> requests;
  requests.reserve(2 * static_cast<std::size_t>(command.window));
  for (int i = 0; i < command.window; ++i) {
    // Messages of a window arrive in one buffer: what is measured is moving them, the last of them is looked at.
    if (!sends || both)
      MPI_Irecv(received_.data(), count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests.emplace_back());
    if (sends || both)
      MPI_Isend(sent_.data(), count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  if (both) return;
  char answer = 0;
  if (sends)
    MPI_Recv(&answer, 0, MPI_BYTE, partner, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&answer, 0, MPI_BYTE, partner, answer_tag, MPI_COMM_WORLD);
}

double Executor::run(const Command& command) {
  prepare(command.bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t i = 0; i < command.iterations; ++i) once(command);
  const double taken = MPI_Wtime() - begin;
  return takes_part(command.exchange) ? taken : 0;
}

bool Executor::arrives(const Command& command) {
  prepare(command.bytes);
  std::fill(received_.begin(), received_.end(), static_cast<unsigned char>(255));
  const auto size = received_.size(), share = size / static_cast<std::size_t>(ranks());
  if (command.exchange == Exchange::all_reduce) {
    for (std::size_t i = 0; i + sizeof(double) <= size; i += sizeof(double)) {
      const double value = summand(rank(), i);
      std::memcpy(&sent_[i], &value, sizeof value);
    }
  }
  once(command);
  bool right = true;
  const auto expect = [&](std::size_t at, int source, std::size_t i) {
    right = right && received_[at] == pattern(source, i);
  };
  switch (command.exchange) {
    case Exchange::all_reduce:
      for (std::size_t i = 0; i + sizeof(double) <= size; i += sizeof(double)) {
        double total = 0, sum = 0;
        for (int source = 0; source < ranks(); ++source) total += summand(source, i);
        std::memcpy(&sum, &received_[i], sizeof sum);
        right = right && sum == total;
      }
      fill(sent_, rank());
      break;
    case Exchange::all_gather:
    case Exchange::all_to_all:
      for (int source = 0; source < ranks(); ++source) {
        const auto begin = static_cast<std::size_t>(source) * share;
        const auto mine = command.exchange == Exchange::all_to_all ? static_cast<std::size_t>(rank()) * share : 0;
        for (std::size_t i = 0; i < share; ++i) expect(begin + i, source, mine + i);
      }
      break;
    case Exchange::broadcast:
      for (std::size_t i = 0; i < size && rank() != 0; ++i) expect(i, 0, i);
      break;
    case Exchange::barrier:
      break;
    default: {
      const auto [partner, sends] = partner_;
      const bool gets = partner >= 0 && (!sends || command.exchange == Exchange::ping_pong ||
                                         command.exchange == Exchange::two_directions);
      for (std::size_t i = 0; i < size && gets; ++i) expect(i, partner, i);
    }
  }
  return right;
}

}  // namespace gable::mpi
