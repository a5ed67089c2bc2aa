#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace gable::emulated {

inline constexpr int max_warps = 32;  ///< of a block

/// What a warp knows of the others, as vector clocks: events of warp w up to happened_before[w] happened before what
/// this warp does next. Whoever joins a clock with another or hands it on ticks afterwards; each warp of a block begins
/// with a tick, so that the others know nothing of it.
struct WarpClock {
  std::array<std::uint32_t, max_warps> happened_before{};
  /// Writes of warp w up to this time are visible to the asynchronous proxy, which wgmma reads through
  /// (fence.proxy.async).
  std::array<std::uint32_t, max_warps> fenced{};

  void join(const WarpClock& other);
};

/// `copy`: an asynchronous copy begins, and is still to write; `landing`: it has written. `proxy_read`: wgmma reads
/// through the asynchronous proxy.
enum class AccessKind : std::uint8_t { write, atomic_write, read, atomic_read, copy, proxy_read, landing };
constexpr bool is_write(AccessKind kind) {
  return kind != AccessKind::read && kind != AccessKind::atomic_read && kind != AccessKind::proxy_read;
}
constexpr bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic_write || kind == AccessKind::atomic_read;
}

/// What a warp did to a byte of shared memory, and when.
struct MemoryAccess {
  AccessKind kind;
  std::uint8_t warp;
  std::uint32_t time;  ///< of the warp's own clock

  auto operator<=>(const MemoryAccess&) const = default;
};

/// All histories that a byte of shared memory has, numbered: bytes with the same history share its number. A history
/// holds the accesses that a later access may conflict with, which are the last write and what came after it (as in
/// FastTrack, Flanagan and Freund, PLDI 2009, with all readers kept).
class AccessHistories {
 public:
  using Number = std::uint32_t;
  static constexpr Number untouched = 0;

  AccessHistories() { clear(); }
  /// Number `untouched` remains.
  void clear();
  std::size_t size() const { return histories_.size(); }
  /// The history with `now` at its end. Throws EmulationError, which names `offset`, if `now` conflicts with an access
  /// that did not happen before it, or reads through the asynchronous proxy what is not fenced.
  Number after(Number history, const MemoryAccess& now, const WarpClock& clock, std::uint64_t offset);

 private:
  Number number_of(std::vector<MemoryAccess> history);

  /// A step that was taken lately: most accesses repeat the step of other bytes.
  struct Step {
    Number from = ~Number{0};
    MemoryAccess access{};
    Number to = 0;
  };
  std::map<std::vector<MemoryAccess>, Number> numbers_;
  std::vector<const std::vector<MemoryAccess>*> histories_;
  std::array<Step, 1024> steps_;
};

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
/// are an error: of two warps or lanes, at least one of which writes. A part of a warp that meets is taken for the
/// whole warp there. Offsets and sizes in bytes.
class SharedMemory {
 public:
  /// 0xff in every byte; nobody has touched it.
  explicit SharedMemory(std::uint64_t bytes, std::size_t max_histories = std::size_t{1} << 20);
  void reset();

  std::uint64_t size() const { return size_; }
  std::byte* data() { return data_; }
  std::uint64_t offset_of(std::uint64_t address) const { return address - reinterpret_cast<std::uint64_t>(data_); }
  /// Whether an address of this process lies in it.
  bool holds(std::uint64_t address) const { return offset_of(address) < size_; }

  /// Notes that a warp, which knows what `clock` says, accesses the bytes. Throws EmulationError for what is out of
  /// range or of an mbarrier, a race, memory that an asynchronous copy is still to write, or a missing fence.
  void use(AccessKind kind, std::uint64_t offset, std::uint64_t bytes, int warp, const WarpClock& clock);

  /// A number for what the lanes of a warp do until they meet (bar.warp.sync, bar, a wait at an mbarrier). Lanes that
  /// have not met are not ordered, whoever seems to come first.
  std::uint32_t new_epoch();
  static constexpr std::uint32_t every_lane = 32;  ///< in place of a lane: all of them at once
  /// After use(): throws EmulationError if what a lane does conflicts with what another has done in the same epoch.
  void check_lane(AccessKind kind, std::uint32_t epoch, std::uint32_t lane, std::uint64_t offset, std::uint64_t bytes);
  /// Notes what was checked, of all lanes of an instruction: they access memory at once.
  void note_lane(AccessKind kind, std::uint32_t epoch, std::uint32_t lane, std::uint64_t offset, std::uint64_t bytes);

  std::map<std::uint64_t, Mbarrier> mbarriers;  ///< by their offset

 private:
  std::uint64_t size_;
  std::size_t max_histories_;
  std::uint64_t pending_ = 0;  ///< bytes that copies are still to write
  std::vector<std::byte> storage_;
  std::byte* data_;
  AccessHistories histories_;
  std::vector<AccessHistories::Number> shadow_;  ///< the history of each byte
  /// Of each byte: which lane of which warp and epoch last did so.
  std::vector<std::uint32_t> written_, read_;
  std::uint32_t epochs_ = 0;
};

}  // namespace gable::emulated
