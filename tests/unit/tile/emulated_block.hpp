#pragma once
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "tests/unit/tile/emulated_machine.hpp"

/// The lanes of the block that runs, for the sources of the emulated machine alone.
namespace gable::device::tile::test {

inline constexpr std::size_t group_lanes = 128;

/// What a lane brings to an instruction of its warp, and what it gets.
struct Words {
  std::array<std::uint64_t, 12> word{};
};

struct Copy {
  std::byte* to;
  const std::byte* from;
  int width, bytes;
};

struct Thread {
  ucontext_t context{};
  std::unique_ptr<std::byte[]> stack;
  bool done = false;
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;
};

/// Lanes that have come to an instruction; the last one carries it out for all.
struct Barrier {
  const char* instruction = nullptr;
  int arrived = 0;
  long round = 0;
  std::vector<Words> given, got;
};

/// The accumulators that wgmma under way add to: where each thread's are, and their values, [thread][count].
struct SumsUnderWay {
  std::vector<EmulatedWgmma::Sums> of;
  std::vector<double> values;
  int products = 0;
};

/// One wgmma under way: what it read when it was begun, A [64][k], B [columns][k].
struct Product {
  EmulatedWgmma::Elements elements;
  std::uint64_t left, right;
  bool left_held, add;
  SumsUnderWay* sums;
  std::vector<double> a, b;
  std::vector<bool> reads;  ///< of each 16 bytes of scratch, whether it does
};

/// Four warps that multiply together.
struct Group : Barrier {
  bool begun = false;  ///< begin_products() since the last wait
  std::vector<Product> open;
  std::deque<std::vector<Product>> groups;
  std::vector<std::unique_ptr<SumsUnderWay>> sums;
};

class Block {
 public:
  Block(int lanes, int threads, std::span<std::byte> scratch, std::span<const Allowed> memory,
        const std::function<void(int)>& kernel)
      : lanes_(static_cast<std::size_t>(lanes)),
        threads_(threads),
        warps_(threads / lanes),
        groups_(static_cast<std::size_t>(threads) / group_lanes),
        scratch_(scratch),
        memory_(memory),
        kernel_(kernel) {
    for (auto& warp : warps_) warp.given.resize(lanes_), warp.got.resize(lanes_);
    all_.given.resize(threads_.size());
    for (auto& group : groups_) group.given.resize(group_lanes), group.got.resize(group_lanes);
  }

  Report run();
  void yield() { swapcontext(&thread().context, &scheduler_); }
  Thread& thread() { return threads_[now_]; }
  int lane() const { return static_cast<int>(now_ % lanes_); }
  Barrier& warp() { return warps_[now_ / lanes_]; }
  Barrier& all() { return all_; }
  long& arrived_at(int barrier) { return arrived_.at(static_cast<std::size_t>(barrier)); }  ///< threads, so far
  Group& group() { return groups_[now_ / group_lanes]; }
  bool is_read(const std::byte* at) const;  ///< by a product under way
  std::size_t place_in_group() const { return now_ % group_lanes; }
  std::span<std::byte> scratch() const { return scratch_; }
  std::span<const Allowed> memory() const { return memory_; }
  Report report;

 private:
  static void start();

  std::size_t lanes_;
  std::vector<Thread> threads_;
  std::vector<Barrier> warps_;
  std::vector<Group> groups_;
  Barrier all_;
  std::array<long, 16> arrived_{};
  std::span<std::byte> scratch_;
  std::span<const Allowed> memory_;
  const std::function<void(int)>& kernel_;
  ucontext_t scheduler_{};
  std::size_t now_ = 0;
  std::exception_ptr failure_;
};

inline Block* block = nullptr;  ///< the one that runs

/// Brings `words` to an instruction of all lanes of `barrier`, which function(given, got) carries out.
template <class Function>
Words meet_at(Barrier& barrier, std::size_t place, const char* instruction, const Words& words,
              const Function& function) {
  if (barrier.arrived == 0) barrier.instruction = instruction;
  if (std::strcmp(barrier.instruction, instruction) != 0) throw std::logic_error("lanes of a warp have diverged");
  const long round = barrier.round;
  barrier.given[place] = words;
  if (++barrier.arrived == static_cast<int>(barrier.given.size())) {
    function(barrier.given, barrier.got);
    barrier.arrived = 0;
    ++barrier.round;
  } else {
    while (barrier.round == round) block->yield();
  }
  return barrier.got.empty() ? Words{} : barrier.got[place];
}

template <class Function>
Words in_warp(const char* instruction, const Words& words, const Function& function) {
  return meet_at(block->warp(), static_cast<std::size_t>(block->lane()), instruction, words, function);
}

inline double as_double(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline float as_float(std::uint64_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class A>
std::uint64_t bits_of(A value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace gable::device::tile::test
