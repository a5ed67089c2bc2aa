#include "backends/openmp/openmp_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backends/openmp/ceilings/ceilings.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/topology.hpp"
#include "backends/openmp/vendor_library.hpp"
#include "core/device/device_parts.hpp"
#include "core/error.hpp"
#include "core/row_item.hpp"

namespace gable::openmp {
namespace {

class OperatorTimer final : public measure::Benchmark {
 public:
  OperatorTimer(OperatorInstance& instance, std::shared_ptr<PinnedThreads> pinned)
      : instance_(instance), pinned_(std::move(pinned)) {}

  measure::TimedBatch run(std::uint64_t iterations) override {
    return pinned_->timed_beside([&] {
      for (std::uint64_t i = 0; i < iterations; ++i) instance_.run();
      instance_.fence();
    });
  }

 private:
  OperatorInstance& instance_;
  std::shared_ptr<PinnedThreads> pinned_;
};

}  // namespace

OpenMPBackend::OpenMPBackend(ExtraItems extra) : extra_(std::move(extra)) {}

Probe OpenMPBackend::probe() { return openmp::probe(); }

void OpenMPBackend::open(const DeviceInfo& device, const Request& request) {
  auto setup = std::make_shared<Setup>();
  setup->device = device;
  setup->request = request;
  const bool part = is_part(device);
  const Domain domain = part ? Domain{} : select(read_topology(), request.scope, request.threads);
  if ((part ? device.numa.size() : domain.numa.size()) <= 1) keep_freed_memory();
  setup->cpus = part ? device.cpus : domain.cpus;
  setup->instructions = native_instructions();
  setup->policies = policies_for(request.mode);
  // The memory of two measurements may exist at once: that of the streams, and that of a chase, product or curve. And
  // each device that measures at the same time has a process like this one.
  const auto processes = std::max<std::size_t>(1, request.concurrent_devices.size());
  setup->budget_bytes = 0.5 * memory_budget_bytes(device.numa) / static_cast<double>(processes);
  // Started before threads are pinned: the library's threads must not inherit the pinning of the first thread.
  library_ = make_vendor_library(setup->cpus);
  setup->library = library_.get();
  setup->pinned = std::make_shared<PinnedThreads>(setup->cpus);
  setup->conditions = [this] { return conditions(); };
  setup_ = std::move(setup);
}

const Setup& OpenMPBackend::opened() const {
  if (!setup_) throw Error("the openmp backend is used before a device is opened");
  return *setup_;
}

const SharedSetup& OpenMPBackend::setup() const {
  opened();
  return setup_;
}

int OpenMPBackend::threads() const { return opened().threads(); }

std::vector<Item> OpenMPBackend::ceilings() {
  const auto& setup = opened();
  std::vector<Item> items;
  if (!setup.request.ceilings) return items;
  append(items, compute_ceilings(setup_));
  append(items, library_ceilings(setup_));
  append(items, bandwidth_ceilings(setup_));
  append(items, latency_ceilings(setup_));
  items.push_back(parallel_region_overhead(setup_));
  append(items, working_set_sweeps(setup_));
  append(items, latency_sweeps(setup_));
  append(items, core_scaling(setup_));
  append(items, numa_matrix(setup_));
  const auto timer = [pinned = setup.pinned](const std::function<void()>& body) { return pinned->timed_beside(body); };
  if (extra_) append(items, extra_(setup.device, setup.request, setup.threads(), setup.conditions, timer));
  return items;
}

std::unique_ptr<measure::Benchmark> OpenMPBackend::timer(OperatorInstance& instance) {
  opened();
  setup_->release_large_memory();
  setup_->pinned->pin();
  return std::make_unique<OperatorTimer>(instance, setup_->pinned);
}

Conditions OpenMPBackend::conditions() {
  auto now = telemetry_.now();
  now.huge_page_fraction = huge_page_fraction();
  return now;
}

}  // namespace gable::openmp
