#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/dtype.hpp"

/// Floating-point operations and bytes as the processor counts them, through perf_event_open(2) of Linux. PAPI would
/// be one more library of the right version in programs of others, and reads the same counters by the same call.
namespace gable::tool {

/// Sums since counting began; nothing where that is not counted.
struct Counts {
  std::optional<double> flops, bytes;
};

struct Processor {
  std::string vendor;  ///< "GenuineIntel"
  int family{}, model{};
  bool avx512{};
};
/// The first processor of a text like /proc/cpuinfo.
Processor processor_of(std::string_view cpuinfo);

/// An event, and what one count of it is: operations or bytes.
struct CountedEvent {
  std::uint32_t type{};  ///< of its counters: PERF_TYPE_RAW for those of a core
  std::uint64_t config{};
  double worth{};
};

/// What counts the operations of a type, an FMA as two. Intel from Broadwell on: FP_ARITH_INST_RETIRED (event 0xC7) of
/// each width of that type. AMD Zen: fp_ret_sse_avx_ops.all (event 0x03), which has all types in one. Empty where they
/// are not known. Source: the events of Linux' perf (tools/perf/pmu-events/arch/x86).
std::vector<CountedEvent> flop_events(const Processor& processor, DType dtype);

/// What one memory controller reads and writes.
struct MemoryController {
  int cpu{};  ///< that its counters are read on
  std::vector<CountedEvent> events;
};
/// Those under a folder like /sys/bus/event_source/devices: Intel's uncore_imc_N by their events cas_count_read and
/// cas_count_write, AMD's amd_umc_N by CAS commands of 64 bytes. Empty where one is not fully known.
std::vector<MemoryController> memory_controllers(const std::filesystem::path& devices);

/// Events that are counted together, of a thread and those that it starts later, or of a CPU.
class EventGroup {
 public:
  /// `thread`: its number, -1 for all that runs on `cpu`. Throws std::system_error.
  EventGroup(std::vector<CountedEvent> events, int thread, int cpu);
  EventGroup(EventGroup&&) noexcept;
  EventGroup& operator=(EventGroup&&) = delete;
  ~EventGroup();
  /// Sum of count x worth; nothing where others used the counters, so that it was not counted all the time.
  std::optional<double> read() const;

 private:
  std::vector<CountedEvent> events_;
  std::vector<int> files_;  ///< the first leads
};

/// A group for each thread that this process has.
std::vector<EventGroup> count_threads(const std::vector<CountedEvent>& events);

/// What this process computes and, with `whole_node`, what the memory controllers of the node move, whoever asks.
class Counters {
 public:
  Counters(DType dtype, bool whole_node);
  Counts read() const;
  bool any() const { return !threads_.empty() || !controllers_.empty(); }
  /// One line: what is counted, and why the rest is not.
  const std::string& about() const { return about_; }

 private:
  std::vector<EventGroup> threads_, controllers_;
  std::string about_;
};

}  // namespace gable::tool
