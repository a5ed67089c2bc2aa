#include "backends/kokkos/runtime.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>

#include "core/error.hpp"

namespace gable::kokkos {

Runtime::Runtime(int threads, int device) {
  if (Kokkos::is_initialized()) throw Error("Kokkos is already running");
  if (Kokkos::is_finalized()) throw Error("Kokkos cannot be started a second time in one process");
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  settings.set_print_configuration(false);
  if (threads > 0) settings.set_num_threads(threads);
  if (device >= 0) settings.set_device_id(device);
  Kokkos::initialize(settings);
  const int got = Kokkos::DefaultHostExecutionSpace().concurrency();
  if (threads > 0 && got != threads) {
    Kokkos::finalize();
    throw Error(fmt::format("Kokkos started with {} of {} host threads", got, threads));
  }
}

Runtime::~Runtime() { Kokkos::finalize(); }

std::string version() {
  return fmt::format("{}.{}.{}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
}

std::string execution_space() { return Kokkos::DefaultExecutionSpace::name(); }

}  // namespace gable::kokkos
