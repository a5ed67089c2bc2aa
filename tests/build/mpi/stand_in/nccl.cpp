// A stand-in for NCCL that really moves the data, by MPI, when the device is waited for. It refuses what NCCL refuses:
// pointers to the host's memory, two ranks with one device, an id that rank 0 did not make. STAND_IN_WRONG=1 spoils the
// first byte of every all-reduce.
#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include "cudart.hpp"

namespace {

constexpr int invalid_argument = 4, invalid_usage = 5;
constexpr int unsigned_char = 1, float64 = 8;
MPI_Comm ranks = MPI_COMM_NULL;
int group = 0;

using Start = std::function<void(MPI_Request*)>;
std::vector<Start> waiting;  ///< of the group

bool fits(const void* memory, std::size_t bytes) { return stand_in::is_device_memory(memory, bytes); }

/// What waits, all at once.
void begin_all() {
  stand_in::hand_over([all = std::move(waiting)] {
    std::vector<MPI_Request> requests(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i](&requests[i]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  });
  waiting.clear();
}

/// Alone, or with the others of its group.
int begin(Start start) {
  waiting.push_back(std::move(start));
  if (group == 0) begin_all();
  return 0;
}

int size_of(int type) { return type == float64 ? 8 : 1; }

}  // namespace

extern "C" {

struct Id {
  char internal[128];
};

const char* ncclGetErrorString(int code) { return code == invalid_usage ? "invalid usage" : "invalid argument"; }

int ncclGetVersion(int* version) {
  *version = 22703;
  return 0;
}

int ncclGetUniqueId(Id* id) {
  std::memset(id->internal, 7, sizeof id->internal);
  return 0;
}

int ncclCommInitRank(void** made, int count, Id id, int rank) {
  int all = 0, own = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  for (const char one : id.internal) {
    if (one != 7) return invalid_argument;
  }
  if (count != all || rank != own) return invalid_argument;
  MPI_Comm_dup(MPI_COMM_WORLD, &ranks);
  std::vector<int> devices(static_cast<std::size_t>(all));
  const int mine = stand_in::device();
  PMPI_Allgather(&mine, 1, MPI_INT, devices.data(), 1, MPI_INT, ranks);
  for (int other = 0; other < all; ++other) {
    if (other != rank && devices[static_cast<std::size_t>(other)] == mine) return invalid_usage;
  }
  *made = &ranks;
  return 0;
}

int ncclCommDestroy(void*) { return MPI_Comm_free(&ranks); }

int ncclAllReduce(const void* from, void* to, std::size_t count, int type, int, void*, void*) {
  if (type != float64 || !fits(from, 8 * count) || !fits(to, 8 * count)) return invalid_argument;
  stand_in::hand_over([=] {
    PMPI_Allreduce(from, to, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, ranks);
    const char* wrong = std::getenv("STAND_IN_WRONG");
    if (wrong && *wrong == '1') *static_cast<unsigned char*>(to) ^= 1;
  });
  return 0;
}

int ncclAllGather(const void* from, void* to, std::size_t count, int type, void*, void*) {
  int all = 0;
  MPI_Comm_size(ranks, &all);
  if (type != unsigned_char || !fits(from, count) || !fits(to, count * static_cast<std::size_t>(all)))
    return invalid_argument;
  stand_in::hand_over(
      [=] { PMPI_Allgather(from, static_cast<int>(count), MPI_BYTE, to, static_cast<int>(count), MPI_BYTE, ranks); });
  return 0;
}

int ncclBroadcast(const void* from, void* to, std::size_t count, int type, int root, void*, void*) {
  int own = 0;
  MPI_Comm_rank(ranks, &own);
  if (type != unsigned_char || !fits(to, count) || (own == root && !fits(from, count))) return invalid_argument;
  stand_in::hand_over([=] {
    if (own == root && from != to) std::memcpy(to, from, count);
    PMPI_Bcast(to, static_cast<int>(count), MPI_BYTE, root, ranks);
  });
  return 0;
}

int ncclSend(const void* from, std::size_t count, int type, int rank, void*, void*) {
  if (!fits(from, count * static_cast<std::size_t>(size_of(type)))) return invalid_argument;
  return begin([=](MPI_Request* request) {
    PMPI_Isend(from, static_cast<int>(count) * size_of(type), MPI_BYTE, rank, 0, ranks, request);
  });
}

int ncclRecv(void* to, std::size_t count, int type, int rank, void*, void*) {
  if (!fits(to, count * static_cast<std::size_t>(size_of(type)))) return invalid_argument;
  return begin([=](MPI_Request* request) {
    PMPI_Irecv(to, static_cast<int>(count) * size_of(type), MPI_BYTE, rank, 0, ranks, request);
  });
}

int ncclGroupStart() {
  ++group;
  return 0;
}

int ncclGroupEnd() {
  if (--group == 0 && !waiting.empty()) begin_all();
  return 0;
}

}  // extern "C"
