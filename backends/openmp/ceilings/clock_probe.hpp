#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/openmp/ceilings/instructions.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

/// What one thread timed in one moment.
struct ChainReading {
  double step_s{};      ///< one step of a dependent chain, from its start to that of the next
  double addition_s{};  ///< one dependent addition of integers, which takes one cycle
};

/// The clock at which such a chain ran.
struct ChainClock {
  double step_cycles{};  ///< of one step: a whole number
  double hz{};           ///< step_cycles / median of step_s
};

/// step_cycles is the least step_s over the least addition_s, rounded: disturbances only slow a core, so one
/// undisturbed reading is enough, and an error of a tenth does no harm. Readings with a time of zero are ignored;
/// nothing if no other is left.
std::optional<ChainClock> chain_clock(std::span<const ChainReading> readings);

/// Values a kernel works on: isa::fill_operands(), aligned to a cache line. One for all threads, they only read it.
class Operands {
 public:
  explicit Operands(const char* dtype);
  const void* data() const { return block_->bytes; }

 private:
  struct alignas(64) Block {
    std::byte bytes[isa::operand_bytes];
  };
  std::unique_ptr<Block> block_;
};

/// Where one thread's kernel leaves its result.
struct alignas(64) Sink {
  std::byte bytes[isa::sink_bytes];
};

/// Takes the clock the cores run a kernel at: for 0.2 ms every thread times a chain of dependent vector instructions as
/// wide as the kernel's, and between its halves a chain of integer additions, from which the latency of the first
/// follows. Call it directly after the kernel: the chain is too light to keep the core at the clock of wide vectors for
/// more than some 0.6 ms.
class ClockProbe {
 public:
  /// The kernel's own chain; where that has none, the first of the same table; where that has none either, the widest
  /// fp64 vector chain that runs here.
  ClockProbe(const ComputeChoice& choice, const Instructions& instructions);
  void take(PinnedThreads& pinned);
  void forget() { readings_.clear(); }
  /// Writes the clock of all readings of all threads into the row's conditions, if there is one, and where it is from:
  /// "dependent vfmadd213pd chain behind the kernel, 4 cycles each".
  void report(Conditions& conditions) const;

 private:
  const isa::ComputeKernel* kernel_{};  ///< whose chain it is
  std::optional<Operands> operands_;
  std::vector<Sink> sinks_;
  std::vector<ChainReading> latest_;  ///< of the latest take, one a thread
  std::vector<ChainReading> readings_;
};

}  // namespace gable::openmp
