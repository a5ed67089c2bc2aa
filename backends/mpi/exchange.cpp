#include "backends/mpi/exchange.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "core/enum_names.hpp"
#include "core/error.hpp"

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

/// Whether something holds on each rank; asked by all at once.
bool on_all_ranks(bool holds) {
  int mine = holds ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
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

/// Why the MPI library takes no pointers to this vendor's memory; empty where it says that it does. It is asked when
/// the program runs: Open MPI and MPICH by MPIX_Query_…_support, Cray's by the variable MPICH_GPU_SUPPORT_ENABLED.
std::string why_not_by_mpi(DeviceVendor vendor) {
  using Names = std::vector<const char*>;
  const Names queries = vendor == DeviceVendor::cuda ? Names{"MPIX_Query_cuda_support"}
                                                     : Names{"MPIX_Query_rocm_support", "MPIX_Query_hip_support"};
  const char* asked = nullptr;
  for (const char* name : queries) {
    const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name));
    if (!query) continue;
    if (query() != 0) return {};
    asked = name;
  }
  const char* cray = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  if (!asked && cray && std::string_view(cray) == "1") return {};
  return asked ? fmt::format("this MPI takes no pointers to device memory: {} says so", asked)
               : "this MPI does not say that it takes pointers to device memory";
}

}  // namespace

DeviceBuffers::DeviceBuffers(std::size_t size, int place_on_node) : bytes(size) {
  runtime.use(place_on_node % runtime.devices());
  sent = runtime.allocate(size);
  try {
    received = runtime.allocate(size);
  } catch (...) {
    runtime.release(sent);
    throw;
  }
}

DeviceBuffers::~DeviceBuffers() {
  library.reset();
  runtime.release(sent);
  runtime.release(received);
}

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

std::string Executor::open(Medium medium, std::int64_t bytes, int place_on_node) {
  std::string why;
  const auto attempt = [&](auto&& step) {
    try {
      if (why.empty()) step();
    } catch (const std::exception& error) {
      why = error.what();
    }
  };
  attempt([&] {
    if (!device_) device_ = std::make_unique<DeviceBuffers>(static_cast<std::size_t>(bytes), place_on_node);
  });
  if (medium == Medium::device) {
    attempt([&] { why = why_not_by_mpi(device_->runtime.vendor()); });
    return why;
  }
  attempt([&] { device_->library.emplace(device_->runtime.vendor()); });
  if (!on_all_ranks(why.empty())) return why;
  CollectiveLibrary::Id id{};
  if (rank() == 0) attempt([&] { id = device_->library->make_id(); });
  if (!on_all_ranks(why.empty())) return why;
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  attempt([&] { device_->library->join(id, ranks(), rank()); });
  return why;
}

unsigned char* Executor::sent(const Command& command) {
  return command.medium == Medium::host ? sent_.data() : static_cast<unsigned char*>(device_->sent);
}

unsigned char* Executor::received(const Command& command) {
  return command.medium == Medium::host ? received_.data() : static_cast<unsigned char*>(device_->received);
}

void Executor::prepare(const Command& command) {
  const auto size = static_cast<std::size_t>(command.bytes);
  if (sent_.size() == size && medium_ == command.medium) return;
  if (command.medium != Medium::host && size > device_->bytes)
    throw Error(fmt::format("a message of {} bytes is larger than the device's buffer", size));
  sent_.assign(size, 0);
  received_.assign(size, 0);
  medium_ = command.medium;
  refill(command);
}

/// Sets what is sent to what everybody expects of this rank.
void Executor::refill(const Command& command) {
  fill(sent_, rank());
  if (command.medium != Medium::host) device_->runtime.copy_in(device_->sent, sent_.data(), sent_.size());
}

void Executor::once(const Command& command) {
  if (command.medium == Medium::library)
    once_by_library(command);
  else
    once_by_mpi(command);
}

void Executor::once_by_library(const Command& command) {
  CollectiveLibrary& library = *device_->library;
  unsigned char *from = sent(command), *to = received(command);
  const auto size = static_cast<std::size_t>(command.bytes), share = size / static_cast<std::size_t>(ranks());
  const auto [partner, sends] = partner_;
  switch (command.exchange) {
    case Exchange::all_reduce:
      return library.all_reduce(from, to, size / sizeof(double));
    case Exchange::all_gather:
      return library.all_gather(from, to, share);
    case Exchange::all_to_all:
      library.begin_group();
      for (int other = 0; other < ranks(); ++other) {
        const auto at = static_cast<std::size_t>(other) * share;
        library.send(from + at, share, other);
        library.receive(to + at, share, other);
      }
      return library.end_group();
    case Exchange::broadcast:
      // As with MPI: the next one begins when the last rank has this one.
      library.broadcast(rank() == 0 ? from : to, rank() == 0 ? from : to, size);
      device_->runtime.wait();
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    case Exchange::barrier:
      throw Error("the library has no barrier");
    case Exchange::ping_pong:
      if (partner < 0) return;
      if (sends) library.send(from, size, partner);
      library.receive(to, size, partner);
      if (!sends) library.send(from, size, partner);
      return;
    case Exchange::one_direction:
    case Exchange::two_directions:
      break;
  }
  if (partner < 0) return;
  const bool both = command.exchange == Exchange::two_directions;
  library.begin_group();
  for (int i = 0; i < command.window; ++i) {
    if (!sends || both) library.receive(to, size, partner);
    if (sends || both) library.send(from, size, partner);
  }
  library.end_group();
  if (both) return;
  // The answer is a byte: not every version moves nothing. It arrives where the rank that sends receives nothing else.
  if (sends)
    library.receive(to, 1, partner);
  else
    library.send(from, 1, partner);
}

void Executor::once_by_mpi(const Command& command) {
  const auto count = static_cast<int>(command.bytes);
  const int share = count / ranks();
  unsigned char *from = sent(command), *to = received(command);
  switch (command.exchange) {
    case Exchange::all_reduce:
      MPI_Allreduce(from, to, count / static_cast<int>(sizeof(double)), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      return;
    case Exchange::all_gather:
      MPI_Allgather(from, share, MPI_BYTE, to, share, MPI_BYTE, MPI_COMM_WORLD);
      return;
    case Exchange::all_to_all:
      MPI_Alltoall(from, share, MPI_BYTE, to, share, MPI_BYTE, MPI_COMM_WORLD);
      return;
    case Exchange::broadcast:
      // Without the barrier a root would be gone, and issue the next one, long before the last rank has this one.
      MPI_Bcast(rank() == 0 ? from : to, count, MPI_BYTE, 0, MPI_COMM_WORLD);
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
    if (sends) MPI_Send(from, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD);
    MPI_Recv(to, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!sends) MPI_Send(from, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD);
    return;
  }
  const bool both = command.exchange == Exchange::two_directions;
  std::vector<MPI_Request> requests;
  requests.reserve(2 * static_cast<std::size_t>(command.window));
  for (int i = 0; i < command.window; ++i) {
    // Messages of a window arrive in one buffer: what is measured is moving them, the last of them is looked at.
    if (!sends || both) MPI_Irecv(to, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests.emplace_back());
    if (sends || both) MPI_Isend(from, count, MPI_BYTE, partner, message_tag, MPI_COMM_WORLD, &requests.emplace_back());
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
  prepare(command);
  MPI_Barrier(MPI_COMM_WORLD);
  const double throttled_before_s = throttle_.now_s();
  watch_.begin();
  const double begin = MPI_Wtime();
  for (std::int64_t i = 0; i < command.iterations; ++i) once(command);
  if (command.medium == Medium::library) device_->runtime.wait();
  const double taken = MPI_Wtime() - begin;
  const bool may_sleep = true;  // some MPI libraries do until a message arrives
  const auto held = watch_.end(taken, may_sleep);
  waited_s_ = takes_part(command.exchange) ? held.longest_s : 0;
  throttled_s_ = takes_part(command.exchange) ? throttle_.now_s() - throttled_before_s : 0;
  return takes_part(command.exchange) ? taken : 0;
}

bool Executor::arrives(const Command& command) {
  prepare(command);
  const bool on_device = command.medium != Medium::host;
  std::fill(received_.begin(), received_.end(), static_cast<unsigned char>(255));
  const auto size = received_.size(), share = size / static_cast<std::size_t>(ranks());
  if (command.exchange == Exchange::all_reduce) {
    for (std::size_t i = 0; i + sizeof(double) <= size; i += sizeof(double)) {
      const double value = summand(rank(), i);
      std::memcpy(&sent_[i], &value, sizeof value);
    }
  }
  if (on_device) {
    device_->runtime.copy_in(device_->sent, sent_.data(), size);
    device_->runtime.copy_in(device_->received, received_.data(), size);
  }
  once(command);
  if (on_device) {
    device_->runtime.wait();
    device_->runtime.copy_out(received_.data(), device_->received, size);
  }
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
      refill(command);
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
