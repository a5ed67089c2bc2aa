#include "backends/openmp/ceilings/clock_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "backends/openmp/isa/isa.hpp"
#include "core/measure/statistics.hpp"

namespace gable::openmp {

std::optional<ChainClock> chain_clock(std::span<const ChainReading> readings) {
  std::vector<double> steps_s, additions_s;
  for (const auto& reading : readings) {
    if (!(reading.step_s > 0 && reading.addition_s > 0)) continue;
    steps_s.push_back(reading.step_s);
    additions_s.push_back(reading.addition_s);
  }
  if (steps_s.empty()) return {};
  const double step_cycles = std::max(1.0, std::round(std::ranges::min(steps_s) / std::ranges::min(additions_s)));
  return ChainClock{step_cycles, step_cycles / measure::median(steps_s)};
}

namespace {

/// Of the chain in two halves, and of the additions between them; together 0.2 ms.
constexpr double part_s = 1e-4;
/// These only set how long a part takes.
constexpr double assumed_hz = 3e9;
constexpr double assumed_step_cycles = 4;
constexpr std::uint64_t operand_seed = 20090401;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint64_t repetitions(double seconds, double cycles_each) {
  return static_cast<std::uint64_t>(std::ceil(seconds * assumed_hz / cycles_each));
}

bool has_chain(const isa::ComputeKernel* kernel) { return kernel != nullptr && kernel->chain != nullptr; }

const isa::ComputeKernel* first_chain(const isa::IsaTable* table) {
  if (table == nullptr) return nullptr;
  const auto found = std::ranges::find_if(table->compute, [](const auto& kernel) { return has_chain(&kernel); });
  return found == table->compute.end() ? nullptr : &*found;
}

const isa::ComputeKernel* widest_chain(const Instructions& instructions) {
  for (const auto& choice : compute_kernels(instructions, "vector", DType::fp64)) {
    if (has_chain(choice.kernel)) return choice.kernel;
  }
  return nullptr;
}

/// The additions run between two halves of the chain, so that a rising or falling clock affects both alike.
ChainReading read_chain(const isa::ComputeKernel& kernel, const void* operands, void* sink) {
  const std::uint64_t half = repetitions(part_s / 2, assumed_step_cycles * kernel.chain_length);
  const double start = seconds_now();
  kernel.chain(half, operands, sink);
  const double half_done = seconds_now();
  const auto additions = isa::dependent_additions(repetitions(part_s, 100));
  const double other_half = seconds_now();
  kernel.chain(half, operands, sink);
  const double chain_s = half_done - start + seconds_now() - other_half;
  return {chain_s / (2 * static_cast<double>(half) * kernel.chain_length),
          (other_half - half_done) / static_cast<double>(additions)};
}

}  // namespace

Operands::Operands(const char* dtype) : block_(std::make_unique<Block>()) {
  isa::fill_operands(dtype, operand_seed, std::span<std::byte, isa::operand_bytes>(block_->bytes));
}

ClockProbe::ClockProbe(const ComputeChoice& choice, const Instructions& instructions) : kernel_(choice.kernel) {
  if (!has_chain(kernel_)) kernel_ = first_chain(choice.table);
  if (!has_chain(kernel_)) kernel_ = widest_chain(instructions);
  if (kernel_ != nullptr) operands_.emplace(kernel_->dtype);
}

void ClockProbe::take(PinnedThreads& pinned) {
  if (kernel_ == nullptr) return;
  sinks_.resize(static_cast<std::size_t>(pinned.size()));
  latest_.resize(sinks_.size());
  pinned.each([&](int rank) {
    const auto slot = static_cast<std::size_t>(rank);
    latest_[slot] = read_chain(*kernel_, operands_->data(), &sinks_[slot]);
  });
  readings_.insert(readings_.end(), latest_.begin(), latest_.end());
}

void ClockProbe::report(Conditions& conditions) const {
  const auto clock = chain_clock(readings_);
  if (!clock) return;
  conditions.clock_hz = clock->hz;
  conditions.clock_source =
      fmt::format("dependent {} chain behind the kernel, {:.0f} cycles each", kernel_->instruction, clock->step_cycles);
}

}  // namespace gable::openmp
