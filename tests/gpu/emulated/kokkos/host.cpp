// Stand-in for the part of Kokkos' core library that is the same for every device: start and stop, errors, the host's
// execution space, hooks for tools. Written for the headers of Kokkos 5.2. What the kernels here do not need is
// missing: a program that needs more does not link.
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace Kokkos {
namespace {

enum class Phase { before, running, after };
Phase phase = Phase::before;

}  // namespace

void initialize(const InitializationSettings& settings) {
  if (phase != Phase::before) Impl::throw_runtime_exception("Kokkos is initialised a second time");
  phase = Phase::running;
  Impl::SerialInternal::default_instance = Impl::HostSharedPtr<Impl::SerialInternal>(new Impl::SerialInternal);
  Cuda::impl_initialize(settings);
}

void finalize() {
  fence("Kokkos::finalize");
  Cuda::impl_finalize();
  Impl::SerialInternal::default_instance = nullptr;
  phase = Phase::after;
}

bool is_initialized() noexcept { return phase == Phase::running; }
bool is_finalized() noexcept { return phase == Phase::after; }
void fence(const std::string& name) { Cuda::impl_static_fence(name); }

// The host's execution space has one thread and works at once.
Serial::Serial() : m_space_instance(Impl::SerialInternal::default_instance) {}
Serial::~Serial() = default;

Impl::PerTeamValue PerTeam(const std::size_t& value) { return {value}; }

namespace Impl {

SerialInternal::SerialInternal() = default;
SerialInternal::~SerialInternal() = default;
void SerialInternal::fence(const std::string& /*name*/) {}
HostSharedPtr<SerialInternal> SerialInternal::default_instance;

PerTeamValue::PerTeamValue(std::size_t arg) : value(arg) {}

void team_policy_check_valid_storage_level_argument(int level) {
  if (level != 0 && level != 1) host_abort("team scratch has the levels 0 and 1");
}

void host_abort(const char* message) {
  std::fprintf(stderr, "%s\n", message);
  std::abort();
}

void throw_runtime_exception(const std::string& message) { throw std::runtime_error(message); }

void throw_bad_alloc(std::string_view space, std::size_t bytes, std::string_view label) {
  throw Experimental::BadAlloc(space, bytes, label);
}

std::string human_memory_size(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

}  // namespace Impl

// There is never a tool.
namespace Tools {

bool profileLibraryLoaded() { return false; }
namespace Experimental {
EventSet get_callbacks() { return {}; }
}  // namespace Experimental

SpaceHandle make_space_handle(const char* name) {
  SpaceHandle handle{};
  std::strncpy(handle.name, name, sizeof handle.name - 1);
  return handle;
}

void beginParallelFor(const std::string& /*name*/, std::uint32_t /*device*/, std::uint64_t* /*id*/) {}
void endParallelFor(std::uint64_t /*id*/) {}
void beginParallelReduce(const std::string& /*name*/, std::uint32_t /*device*/, std::uint64_t* /*id*/) {}
void endParallelReduce(std::uint64_t /*id*/) {}
void beginParallelScan(const std::string& /*name*/, std::uint32_t /*device*/, std::uint64_t* /*id*/) {}
void endParallelScan(std::uint64_t /*id*/) {}
void beginDeepCopy(SpaceHandle /*to*/, const std::string& /*to_label*/, const void* /*to_data*/, SpaceHandle /*from*/,
                   const std::string& /*from_label*/, const void* /*from_data*/, std::uint64_t /*bytes*/) {}
void endDeepCopy() {}

}  // namespace Tools
}  // namespace Kokkos
