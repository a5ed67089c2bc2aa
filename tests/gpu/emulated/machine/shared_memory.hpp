#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/gpu/emulated/machine/access_history.hpp"

namespace gable::emulated {

/// A barrier object in shared memory (mbarrier). The ISA leaves open what its 64 bits there mean: they are not used.
struct Mbarrier {
  std::uint32_t expected = 0, pending = 0;  ///< arrivals in each phase, and how many of them are still to come
  std::int64_t transfers = 0;               ///< bytes that are still to come
  std::uint64_t phases = 0;                 ///< that are complete
  WarpClock arriving, completed;            ///< joined from those who arrived in the current phase, and in those before
  /// Lanes of each warp whose try_wait has failed since the last phase completed: the next one succeeds.
  std::array<std::uint32_t, max_warps> tried{};
};

/// The shared memory of a block, with who wrote and who read each byte (its shadow). Accesses that no barrier orders
/// are an error: of two warps, at least one of which writes. Offsets and sizes in bytes.
class SharedMemory {
 public:
  /// 0xff in every byte; nobody has touched it.
  explicit SharedMemory(std::uint64_t bytes);
  void reset();

  std::uint64_t size() const { return size_; }
  std::byte* data() { return data_; }
  std::uint64_t offset_of(std::uint64_t address) const { return address - reinterpret_cast<std::uint64_t>(data_); }
  /// Whether an address of this process lies in it.
  bool holds(std::uint64_t address) const { return offset_of(address) < size_; }

  /// Notes that a warp, which knows what `clock` says, accesses the bytes. Throws EmulationError for what is out of
  /// range, a race, memory that an asynchronous copy is still to write, or a missing fence.
  void use(AccessKind kind, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock);

  std::map<std::uint64_t, Mbarrier> mbarriers;  ///< by their offset

 private:
  std::uint64_t size_;
  std::vector<std::byte> storage_;
  std::byte* data_;
  AccessHistories histories_;
  std::vector<AccessHistories::Number> shadow_;  ///< the history of each byte
};

}  // namespace gable::emulated
