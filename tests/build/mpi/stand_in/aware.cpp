// Loaded before MPI, it makes one that says it takes pointers to device memory; what is to begin and end there and does
// not, ends the program.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "cudart.hpp"

namespace {

void check(const void* memory, int bytes, const char* what) {
  if (stand_in::is_device_memory(memory, static_cast<std::size_t>(bytes))) return;
  std::fprintf(stderr, "%s: not the device's memory\n", what);
  std::abort();
}

}  // namespace

extern "C" {

int MPIX_Query_cuda_support() { return 1; }

int MPI_Alltoall(const void* from, int count, MPI_Datatype type, void* to, int back, MPI_Datatype other,
                 MPI_Comm ranks) {
  check(from, count, "MPI_Alltoall");
  check(to, back, "MPI_Alltoall");
  return PMPI_Alltoall(from, count, type, to, back, other, ranks);
}

int MPI_Allgather(const void* from, int count, MPI_Datatype type, void* to, int back, MPI_Datatype other,
                  MPI_Comm ranks) {
  check(from, count, "MPI_Allgather");
  check(to, back, "MPI_Allgather");
  return PMPI_Allgather(from, count, type, to, back, other, ranks);
}

int MPI_Isend(const void* from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm ranks, MPI_Request* request) {
  check(from, count, "MPI_Isend");
  return PMPI_Isend(from, count, type, rank, tag, ranks, request);
}

int MPI_Irecv(void* to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm ranks, MPI_Request* request) {
  check(to, count, "MPI_Irecv");
  return PMPI_Irecv(to, count, type, rank, tag, ranks, request);
}

}  // extern "C"
