#include "backends/mpi/collective_library.hpp"

#include <fmt/format.h>

#include "backends/gpu/loaded_library.hpp"
#include "core/error.hpp"

namespace gable::mpi {
namespace {

// Values of nccl.h, which RCCL keeps.
constexpr int unsigned_char = 1, float64 = 8, sum = 0;
using Stream = void*;
constexpr Stream default_stream = nullptr;

}  // namespace

struct CollectiveLibrary::Functions {
  void* ranks{};  // ncclComm_t
  const char* (*words)(int){};
  int (*version)(int*){};
  int (*make_id)(Id*){};
  int (*join)(void**, int, Id, int){};
  int (*leave)(void*){};
  int (*all_reduce)(const void*, void*, std::size_t, int, int, void*, Stream){};
  int (*all_gather)(const void*, void*, std::size_t, int, void*, Stream){};
  int (*broadcast)(const void*, void*, std::size_t, int, int, void*, Stream){};
  int (*send)(const void*, std::size_t, int, int, void*, Stream){};
  int (*receive)(void*, std::size_t, int, int, void*, Stream){};
  int (*begin)(){};
  int (*end)(){};
};

CollectiveLibrary::CollectiveLibrary(DeviceVendor vendor) : functions_(std::make_unique<Functions>()) {
  gpu::LoadedLibrary library = vendor == DeviceVendor::cuda ? gpu::LoadedLibrary({"libnccl.so.2", "libnccl.so"})
                                                            : gpu::LoadedLibrary({"librccl.so.1", "librccl.so"});
  Functions& f = *functions_;
  library.need(f.words, "ncclGetErrorString");
  library.find(f.version, "ncclGetVersion");
  library.need(f.make_id, "ncclGetUniqueId");
  library.need(f.join, "ncclCommInitRank");
  library.need(f.leave, "ncclCommDestroy");
  library.need(f.all_reduce, "ncclAllReduce");
  library.need(f.all_gather, "ncclAllGather");
  library.need(f.broadcast, "ncclBroadcast");
  library.need(f.send, "ncclSend");
  library.need(f.receive, "ncclRecv");
  library.need(f.begin, "ncclGroupStart");
  library.need(f.end, "ncclGroupEnd");
  if (!library.missing().empty()) throw Error(library.missing());
}

CollectiveLibrary::~CollectiveLibrary() {
  if (functions_->ranks) functions_->leave(functions_->ranks);
}

std::string_view CollectiveLibrary::name_of(DeviceVendor vendor) {
  return vendor == DeviceVendor::cuda ? "nccl" : "rccl";
}

void CollectiveLibrary::check(int code, std::string_view what) const {
  if (code != 0) throw Error(fmt::format("nccl{}: {}", what, functions_->words(code)));
}

std::string CollectiveLibrary::version() const {
  int code = 0;
  if (!gpu::tells(functions_->version, &code) || code <= 0) return {};
  const int major = code < 10000 ? 1000 : 10000;  // 2.8 and older are 2804, newer ones 20903
  return fmt::format("{}.{}.{}", code / major, code % major / 100, code % 100);
}

CollectiveLibrary::Id CollectiveLibrary::make_id() const {
  Id id{};
  check(functions_->make_id(&id), "GetUniqueId");
  return id;
}

void CollectiveLibrary::join(const Id& id, int ranks, int rank) {
  check(functions_->join(&functions_->ranks, ranks, id, rank), "CommInitRank");
}

void CollectiveLibrary::all_reduce(const void* from, void* to, std::size_t doubles) {
  check(functions_->all_reduce(from, to, doubles, float64, sum, functions_->ranks, default_stream), "AllReduce");
}

void CollectiveLibrary::all_gather(const void* from, void* to, std::size_t bytes) {
  check(functions_->all_gather(from, to, bytes, unsigned_char, functions_->ranks, default_stream), "AllGather");
}

void CollectiveLibrary::broadcast(const void* from, void* to, std::size_t bytes) {
  check(functions_->broadcast(from, to, bytes, unsigned_char, 0, functions_->ranks, default_stream), "Broadcast");
}

void CollectiveLibrary::send(const void* from, std::size_t bytes, int rank) {
  check(functions_->send(from, bytes, unsigned_char, rank, functions_->ranks, default_stream), "Send");
}

void CollectiveLibrary::receive(void* to, std::size_t bytes, int rank) {
  check(functions_->receive(to, bytes, unsigned_char, rank, functions_->ranks, default_stream), "Recv");
}

void CollectiveLibrary::begin_group() { check(functions_->begin(), "GroupStart"); }
void CollectiveLibrary::end_group() { check(functions_->end(), "GroupEnd"); }

}  // namespace gable::mpi
