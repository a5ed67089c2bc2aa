#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace gable::mpi {

/// What ranks do together, once an iteration.
enum class Exchange {
  ping_pong,       ///< `from` sends a message to `to`, which sends it back
  one_direction,   ///< `from` sends `window` messages to `to`, which answers with an empty one
  two_directions,  ///< `from` and `to` send `window` messages to each other
  pairs,           ///< every rank of the first half sends `window` messages to its partner in the second half
  all_reduce,      ///< sum of `bytes` of doubles over all ranks, on all ranks
  all_gather,      ///< `bytes` in all, a part of each rank, on all ranks
  all_to_all,      ///< `bytes` of each rank, a part for each other
  broadcast,       ///< `bytes` of rank 0 to all
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
  int from{}, to{};      ///< ranks of the exchanges of two
  int window{1};         ///< messages before the sender waits
  std::int64_t iterations{};
  bool last{};  ///< nothing to do: the ranks go home
};

/// Executes commands on the calling rank, with buffers that it keeps.
class Executor {
 public:
  /// s that this rank took for all iterations, from a common barrier on; 0 on ranks without a part.
  double run(const Command& command);
  /// Does the exchange once with known data. Whether this rank got what it should.
  bool arrives(const Command& command);

 private:
  void prepare(std::int64_t bytes);
  void once(const Command& command);

  std::vector<unsigned char> sent_, received_;
};

}  // namespace gable::mpi
