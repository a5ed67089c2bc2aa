#include "backends/openmp/ceilings/clock_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>

#include "backends/openmp/isa/isa.hpp"

namespace gable::openmp {
namespace {

constexpr double chain_s = 2e-4;
/// Only sets how long the chain takes.
constexpr double assumed_hz = 3e9;
constexpr std::uint64_t operand_seed = 20090401;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Operands::Operands(const char* dtype) : block_(std::make_unique<Block>()) {
  isa::fill_operands(dtype, operand_seed, std::span<std::byte, isa::operand_bytes>(block_->bytes));
}

ClockProbe::ClockProbe(const ComputeChoice& choice, const Instructions& instructions) {
  const auto usable = [&](const isa::ComputeKernel& kernel) {
    if (kernel.chain == nullptr || !instructions.latency) return false;
    const auto cycles = instructions.latency(kernel.instruction);
    if (!cycles) return false;
    kernel_ = &kernel;
    latency_ = *cycles;
    return true;
  };
  bool found = choice.kernel != nullptr && usable(*choice.kernel);
  for (std::size_t i = 0; !found && choice.table != nullptr && i < choice.table->compute_count; ++i) {
    const auto& kernel = choice.table->compute[i];
    const bool fallback = std::string_view(kernel.unit) == "vector" && std::string_view(kernel.dtype) == "fp64" &&
                          std::string_view(kernel.variant).empty();
    found = fallback && usable(kernel);
  }
  if (found) operands_.emplace(kernel_->dtype);
}

void ClockProbe::take(Team& team) {
  if (!available()) return;
  sinks_.resize(static_cast<std::size_t>(team.size()));
  latest_.resize(sinks_.size());
  const double cycles_each = latency_ * kernel_->chain_length;
  const auto iterations = static_cast<std::uint64_t>(std::ceil(chain_s * assumed_hz / cycles_each));
  team.each([&](int rank) {
    const auto slot = static_cast<std::size_t>(rank);
    const double start = seconds_now();
    kernel_->chain(iterations, operands_->data(), &sinks_[slot]);
    latest_[slot] = cycles_each * static_cast<double>(iterations) / (seconds_now() - start);
  });
  readings_.insert(readings_.end(), latest_.begin(), latest_.end());
}

std::optional<double> ClockProbe::hz() const {
  if (readings_.empty()) return {};
  auto sorted = readings_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

std::string ClockProbe::source() const {
  if (!available()) return "";
  return fmt::format("dependent {} chain behind the kernel, {} cycles each", kernel_->instruction, latency_);
}

void ClockProbe::report(Conditions& conditions) const {
  conditions.clock_hz = hz();
  if (conditions.clock_hz) conditions.clock_source = source();
}

}  // namespace gable::openmp
