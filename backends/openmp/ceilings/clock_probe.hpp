#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/openmp/ceilings/instructions.hpp"
#include "backends/openmp/team.hpp"
#include "core/model/ceiling.hpp"

namespace gable::openmp {

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

/// Takes the clock the cores run a kernel at: every thread times a chain of dependent instructions of the kernel's own
/// class, whose latency in cycles is known, for 0.2 ms. Take it directly behind the kernel: a chain alone is too light
/// to hold the clock of wide vectors, which the core gives back after some 0.6 ms.
class ClockProbe {
 public:
  /// The kernel's own chain, or, where that has none of known latency, the fp64 vector chain of the same table.
  ClockProbe(const ComputeChoice& choice, const Instructions& instructions);
  bool available() const { return kernel_ != nullptr; }
  void take(Team& team);
  /// Median over all readings of all threads, Hz; absent without any.
  std::optional<double> hz() const;
  /// "dependent vfmadd231pd chain, 4 cycles each"; empty when not available.
  std::string source() const;
  /// Writes clock and source into the row's conditions.
  void report(Conditions& conditions) const;

 private:
  const isa::ComputeKernel* kernel_{};
  double latency_{};
  std::optional<Operands> operands_;
  std::vector<Sink> sinks_;
  std::vector<double> latest_;    ///< of the latest take, one a thread
  std::vector<double> readings_;  ///< Hz
};

}  // namespace gable::openmp
