#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

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

/// One task for all ranks, as rank 0 hands it out.
struct Command {
  Exchange exchange{};
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

/// Executes commands on the calling rank, with buffers that it keeps.
class Executor {
 public:
  /// Whom the exchanges of two are with from here on.
  void join(Partner partner) { partner_ = partner; }
  /// s that this rank took for all iterations, from a common barrier on; 0 on ranks without a part.
  double run(const Command& command);
  /// Does the exchange once with known data. Whether this rank got what it should.
  bool arrives(const Command& command);

 private:
  void prepare(std::int64_t bytes);
  void once(const Command& command);

  bool takes_part(Exchange exchange) const { return is_collective(exchange) || partner_.rank >= 0; }

  Partner partner_;
  std::vector<unsigned char> sent_, received_;
};

}  // namespace gable::mpi
