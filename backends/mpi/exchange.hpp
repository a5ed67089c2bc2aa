#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/mpi/collective_library.hpp"
#include "backends/mpi/device_runtime.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/measure/held_back.hpp"

namespace gable::mpi {

/// What ranks do together, once an iteration: first what each pair of partners does, then what all do.
enum class Exchange {
  ping_pong,       ///< one sends a message to the other, which sends it back
  one_direction,   ///< one sends `window` messages to the other, which answers with an empty one
  two_directions,  ///< both send `window` messages to each other
  all_reduce,      ///< sum of `bytes` of doubles over all ranks, on all ranks
  all_gather,      ///< `bytes` in all, a part of each rank, on all ranks
  all_to_all,      ///< `bytes` of each rank, a part for each other
  broadcast,       ///< `bytes` of rank 0 to all, and a barrier: it ends when the last has them
  barrier,         ///< nobody goes on before all have come
};

std::string_view to_string(Exchange exchange);
bool is_collective(Exchange exchange);

/// Bytes on a link for each byte of the message size, with n ranks: what makes the bandwidths of collectives comparable
/// with each other and with that of the links (bus bandwidth, as NCCL's tests define it). An all-reduce moves each byte
/// twice but for a rank's own part, 2 (n - 1) / n; all-gather and all-to-all once, (n - 1) / n; a broadcast 1.
double bus_factor(Exchange exchange, int ranks);

/// Where the buffers of messages lie, and who moves them.
enum class Medium {
  host,     ///< the hosts' memory, MPI
  device,   ///< devices' memory, MPI
  library,  ///< devices' memory, NCCL or RCCL; it has no barrier
};

/// One task for all ranks, as rank 0 hands it out.
struct Command {
  Exchange exchange{};
  Medium medium{};
  std::int64_t bytes{};  ///< of a message; of a collective as Exchange says
  int window{1};         ///< messages before the sender waits
  std::int64_t iterations{};
};

/// Bytes that an iteration moves between two partners, both directions together.
double bytes_moved(const Command& command);

/// Whom a rank exchanges messages with; nobody: -1.
struct Partner {
  int rank{-1};
  bool sends{};  ///< where one direction is measured
};

/// What a rank has of a device: two buffers, and the vendor's collectives once they are opened.
struct DeviceBuffers {
  DeviceRuntime runtime{};
  std::size_t bytes{};
  void* sent{};
  void* received{};
  std::optional<CollectiveLibrary> library{};

  /// Of the device of the rank's place among the ranks of its node; where there are more of them several share one.
  /// Throws Error where there is no device, or too little memory.
  DeviceBuffers(std::size_t size, int place_on_node);
  ~DeviceBuffers();
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
};

/// Executes commands on the calling rank, with buffers that it keeps. What a device's runtime or library refuses in the
/// middle of one is thrown as Error.
class Executor {
 public:
  /// On all ranks at once, before commands of a medium other than the host's: messages of up to `bytes`, by the device
  /// of the rank's place on its node. Empty, or why this rank cannot; then none may be asked for it.
  std::string open(Medium medium, std::int64_t bytes, int place_on_node);
  /// What was opened; null before.
  const DeviceBuffers* device() const { return device_.get(); }
  /// Whom the exchanges of two are with from here on.
  void join(Partner partner) { partner_ = partner; }
  /// s that this rank took for all iterations, from a common barrier on; 0 on ranks without a part.
  double run(const Command& command);
  /// s of the latest run() in which a thread of this rank had work and did not run; 0 on ranks without a part.
  double waited_s() const { return waited_s_; }
  /// s of the latest run() for which a processor quota stopped this rank; 0 on ranks without a part.
  double throttled_s() const { return throttled_s_; }
  /// Does the exchange once with known data. Whether this rank got what it should.
  bool arrives(const Command& command);

 private:
  void prepare(const Command& command);
  void refill(const Command& command);
  void once(const Command& command);
  void once_by_mpi(const Command& command);
  void once_by_library(const Command& command);
  unsigned char* sent(const Command& command);
  unsigned char* received(const Command& command);

  bool takes_part(Exchange exchange) const { return is_collective(exchange) || partner_.rank >= 0; }

  Partner partner_;
  Medium medium_{};                             ///< that `sent_` has been copied to
  std::vector<unsigned char> sent_, received_;  ///< of a device's buffers what they begin and end with
  std::unique_ptr<DeviceBuffers> device_;
  measure::HeldWatch watch_;
  measure::ThrottleClock throttle_{openmp::cpu_stat_files()};
  double waited_s_{}, throttled_s_{};
};

}  // namespace gable::mpi
