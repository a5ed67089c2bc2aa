#include "tests/gpu/emulated/machine/warp.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t garbage = 0xbad0bad0bad0bad0U;  ///< in a register that nobody has written
constexpr std::uint64_t turn_instructions = 1U << 14;   ///< after which other warps have their turn

std::uint64_t executed = 0;

/// Lanes in which a guard holds.
LaneMask guard_mask(const std::uint64_t* guard, bool negated) {
  LaneMask mask = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) mask |= static_cast<LaneMask>(guard[lane] != 0) << lane;
  return negated ? ~mask : mask;
}

}  // namespace

std::uint64_t executed_instructions() { return executed; }

Warp::Warp(Block& its_block, Frame& its_frame, int its_index) : block(&its_block), frame(&its_frame), index(its_index) {
  const Function& function = *frame->function;
  const auto registers = static_cast<std::size_t>(function.registers);
  frame->registers.assign(registers * warp_size, garbage);
  frame->local.assign(rounded_up(function.local_bytes, 16) * warp_size, std::byte{0xff});
  if (function.uses_wgmma) {
    frame->written_at.assign(registers, 0);
    frame->in_flight.assign(registers, 0);
  }
  for (const auto& [number, value] : function.prepared) {
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) values(number)[lane] = value(*this, lane);
  }
  const std::uint32_t threads = block->threads - static_cast<std::uint32_t>(index) * warp_size;
  running = threads >= warp_size ? all_lanes : (1U << threads) - 1;
  tick();
}

void Warp::run(std::uint64_t limit) {
  const std::uint64_t start = executed, end = start + turn_instructions;
  while (running != 0 && executed < end) {
    int next = std::numeric_limits<int>::max(), others = next;
    for_lanes(running, [&](int lane) { next = std::min(next, at[static_cast<std::size_t>(lane)]); });
    LaneMask lanes = 0;
    for_lanes(running, [&](int lane) {
      const int its = at[static_cast<std::size_t>(lane)];
      if (its == next) lanes |= 1U << lane;
      if (its != next) others = std::min(others, its);
    });
    run_together(lanes, next, others, end);
  }
  executed_ += executed - start;
  if (executed_ > limit) throw EmulationError("it spins: more than " + std::to_string(limit) + " instructions");
}

/// Runs lanes from instruction `next` until they part, wait or end, or are where others are (`others`) or behind.
void Warp::run_together(LaneMask lanes, int next, int others, std::uint64_t end) {
  const Function& function = *frame->function;
  const auto go_to = [this](LaneMask who, int where) {
    for_lanes(who, [&](int lane) { at[static_cast<std::size_t>(lane)] = where; });
  };
  while (next < others && executed < end) {
    current = &function.code[static_cast<std::size_t>(next++)];
    ++executed;
    const LaneMask active =
        current->guarded ? lanes & guard_mask(values(current->guard), current->guard_negated) : lanes;
    if (active == 0) continue;
    if (function.uses_wgmma) check_registers(*current);
    switch (current->flow) {
      case Flow::next:
        current->execute(*this, active);
        break;
      case Flow::branch:
        if (active != lanes) {
          go_to(lanes, next);
          return go_to(active, current->target);
        }
        next = current->target;
        break;
      case Flow::exit:
        running &= ~active;
        return go_to(lanes, next);
      case Flow::stop:
        go_to(lanes, next);
        return current->execute(*this, active);
    }
  }
  go_to(lanes, next);
}

/// Rules for accumulators of wgmma (PTX ISA, wgmma.fence and wgmma.wait_group).
void Warp::check_registers(const Instruction& instruction) {
  const auto in_flight = [this](Register number) {
    return number >= 0 && number != no_register && frame->in_flight[static_cast<std::size_t>(number)] != 0;
  };
  if (std::any_of(instruction.sources.begin(), instruction.sources.end(), in_flight) ||
      (!instruction.is_wgmma &&
       std::any_of(instruction.destinations.begin(), instruction.destinations.end(), in_flight))) {
    throw EmulationError("a wgmma that nobody has waited for writes a register that is used here");
  }
  for (const Register number : instruction.destinations) {
    if (number == no_register) continue;
    std::uint64_t& written_at = frame->written_at[static_cast<std::size_t>(number)];
    if (!instruction.is_wgmma) {
      written_at = executed;
    } else if (written_at > wgmma_fenced_at) {
      throw EmulationError("a wgmma.fence is missing: an accumulator was written since the last one");
    }
  }
}

void Warp::check_end() const {
  const auto any = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& group) { return !group.empty(); });
  };
  if (!copies.empty()) {
    throw EmulationError("the kernel ends with an asynchronous copy that nobody waited for");
  }
  if (!open_products.empty() || any(product_groups)) {
    throw EmulationError("the kernel ends with a wgmma that nobody waited for");
  }
}

}  // namespace gable::emulated
