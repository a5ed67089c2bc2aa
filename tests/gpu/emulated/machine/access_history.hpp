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

/// What a warp did to a byte of shared memory, and when.
struct MemoryAccess {
  /// `copy`: an asynchronous copy is still to write the byte.
  enum class Kind : std::uint8_t { write = 1, atomic_write = 2, read = 4, atomic_read = 8, copy = 16 };
  Kind kind;
  std::uint8_t warp;
  std::uint32_t time;  ///< of the warp's own clock

  bool happened_before(int other_warp, const WarpClock& clock) const {
    return warp == other_warp || time <= clock.happened_before[warp];
  }
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

  const std::vector<MemoryAccess>& operator[](Number history) const { return *histories_[history]; }
  /// The history that holds nothing but `access`.
  Number only(const MemoryAccess& access);
  /// The history with `now` at its end. Throws EmulationError, which names `offset`, if `now` conflicts with an access
  /// that did not happen before it.
  Number after(Number history, const MemoryAccess& now, const WarpClock& clock, std::uint64_t offset);

 private:
  Number number_of(const std::vector<MemoryAccess>& history);

  /// Steps that were taken lately: most accesses repeat the step of the byte before.
  struct Step {
    Number from = ~Number{0};
    MemoryAccess access{};
    Number to = 0;
  };
  std::map<std::vector<MemoryAccess>, Number> numbers_;
  std::vector<const std::vector<MemoryAccess>*> histories_;
  std::array<Step, 1024> steps_;
  Step last_only_;
};

}  // namespace gable::emulated
