#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/gpu/emulated/machine/access_history.hpp"
#include "tests/gpu/emulated/machine/mbarrier.hpp"

namespace gable::emulated {

/// The shared memory of a block, with who wrote and who read each byte (its shadow). Accesses that no barrier orders
/// are an error: of two warps, at least one of which writes. Offsets and sizes in bytes.
class SharedMemory {
 public:
  /// 0xff in every byte; nobody has touched it.
  explicit SharedMemory(std::uint64_t bytes);
  void reset();

  std::uint64_t size() const { return size_; }
  std::byte* data() { return data_; }
  /// Whether an address of this process lies in it.
  bool holds(std::uint64_t address) const;
  std::uint64_t offset_of(std::uint64_t address) const;

  /// Throws EmulationError for what is out of range, a race, or memory that an asynchronous copy is still to write.
  /// Atomic operations of several warps are no race between each other; plain reads are none with atomic reads. After
  /// the beginning of an asynchronous copy the memory is nobody's until it has landed.
  void use(MemoryAccess::Kind kind, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock);
  void end_copy(std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock);
  /// wgmma reads through the asynchronous proxy: what was written has to be fenced (WarpClock::fenced).
  void read_by_proxy(std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock);

  std::map<std::uint64_t, Mbarrier> mbarriers;  ///< by their offset
  /// What warps made known by atomic writes behind a fence: others learn it by atomic reads before a fence.
  WarpClock published;

 private:
  /// Replaces the history of each byte by `next(history, offset)`, which is asked once for a run of equal ones.
  template <class Next>
  void replace(std::uint64_t offset, std::uint64_t bytes, Next&& next);

  std::uint64_t size_;
  std::vector<std::byte> storage_;
  std::byte* data_;
  AccessHistories histories_;
  std::vector<AccessHistories::Number> shadow_;  ///< the history of each byte
};

}  // namespace gable::emulated
