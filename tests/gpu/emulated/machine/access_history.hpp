#pragma once
#include <array>
#include <compare>
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

}  // namespace gable::emulated
