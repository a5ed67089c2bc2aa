#include "tests/gpu/emulated/machine/warp.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t garbage = ~std::uint64_t{0};   ///< in a register that nobody has written: not a number
constexpr std::uint64_t turn_instructions = 1U << 14;  ///< after which other warps have their turn

std::uint64_t executed = 0;

}  // namespace

std::uint64_t executed_instructions() { return executed; }

Warp::Warp(Block& its_block, Frame& its_frame, int its_index) : block(&its_block), frame(&its_frame), index(its_index) {
  const Function& function = *frame->function;
  const auto registers = static_cast<std::size_t>(function.registers);
  frame->registers.assign(registers * warp_size, garbage);
  frame->local.assign(rounded_up(function.local_bytes, 16) * warp_size, std::byte{0xff});
  if (function.uses_wgmma) frame->uses.assign(registers, {});
  for (const auto& [number, value] : function.prepared) {
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) values(number)[lane] = value(*this, lane);
  }
  const std::uint32_t threads = block->threads - static_cast<std::uint32_t>(index) * warp_size;
  running = threads >= warp_size ? all_lanes : (1U << threads) - 1;
  meet();
}

void Warp::meet() {
  tick();
  epoch = block->shared.new_epoch();
}

void Warp::run(std::uint64_t limit) {
  const std::uint64_t start = executed, end = start + turn_instructions;
  while ((running & ~held) != 0 && executed < end) {
    int next = std::numeric_limits<int>::max(), others = next;
    for_lanes(running & ~held, [&](std::size_t lane) { next = std::min(next, at[lane]); });
    LaneMask lanes = 0;
    for_lanes(running, [&](std::size_t lane) {
      const int its = at[lane];
      if (its == next) lanes |= 1U << lane;
      if (its > next) others = std::min(others, its);
    });
    held &= ~lanes;
    run_together(lanes, next, others, end);
  }
  executed_ += executed - start;
  if (held != 0 && held == running && waiting == 0) {
    const int first = at[static_cast<std::size_t>(__builtin_ctz(held))];
    LaneMask here = 0;
    for_lanes(held, [&](std::size_t lane) { here |= LaneMask{at[lane] == first} << lane; });
    current = &frame->function->code[static_cast<std::size_t>(first)];
    throw EmulationError("lane " + std::to_string(__builtin_ctz(absent(*current, here))) +
                         " is in the member mask and not here");
  }
  if (executed_ > limit) throw EmulationError("it spins: more than " + std::to_string(limit) + " instructions");
}

/// Of the lanes that those who are at an instruction name, the ones that have not ended and are not there.
LaneMask Warp::absent(const Instruction& instruction, LaneMask here) {
  const std::uint64_t* const members = values(instruction.members);
  LaneMask named = 0;
  for_lanes(here, [&](std::size_t lane) { named |= static_cast<LaneMask>(members[lane]); });
  return named & ~here & alive();
}

/// Runs lanes from instruction `next` until they part, wait or end, or are where others are (`others`) or behind.
void Warp::run_together(LaneMask lanes, int next, int others, std::uint64_t end) {
  const Function& function = *frame->function;
  const auto go_to = [this](LaneMask who, int where) { for_lanes(who, [&](std::size_t lane) { at[lane] = where; }); };
  while (next < others && executed < end) {
    current = &function.code[static_cast<std::size_t>(next++)];
    ++executed;
    LaneMask active = lanes;
    if (current->guarded) {
      const std::uint64_t* const guard = values(current->guard);
      active &= lanes_where([&](std::size_t lane) { return (guard[lane] != 0) != current->guard_negated; });
    }
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
        if (held == 0) break;
        return go_to(lanes, next);  // to where others are held, perhaps
      case Flow::exit:
        running &= ~active;
        if (waiting != 0) block->barriers[barrier].arrived += static_cast<std::uint32_t>(__builtin_popcount(active));
        held = 0;  // who waits for those that have ended
        return go_to(lanes, next);
      case Flow::meet:
        if (absent(*current, active) == 0) {
          current->execute(*this, active);
          break;
        }
        go_to(lanes, next);
        held |= active;
        return go_to(active, next - 1);
      case Flow::stop:
        if (active != lanes) throw EmulationError("a part of the lanes steps over a barrier");
        go_to(lanes, next);
        return current->execute(*this, active);
    }
  }
  go_to(lanes, next);
}

/// Rules for registers of wgmma (PTX ISA, wgmma.fence and wgmma.wait_group).
void Warp::check_registers(const Instruction& instruction) {
  const std::uint32_t shape = instruction.wgmma_shape;
  for (const auto* list : {&instruction.sources, &instruction.destinations, &instruction.wgmma_held}) {
    const bool is_accumulator = shape != 0 && list == &instruction.destinations;
    const bool is_matrix = is_accumulator || list == &instruction.wgmma_held;
    for (const Register number : *list) {
      if (number < 0 || number == no_register) continue;
      Frame::Use& use = frame->uses[static_cast<std::size_t>(number)];
      if (!is_accumulator && use.in_flight != 0) {
        throw EmulationError("a wgmma that nobody has waited for has a register that is used here");
      }
      if (is_matrix && use.shape != shape && use.at > wgmma_fenced_at) {
        throw EmulationError("a wgmma.fence is missing: a register of a matrix was used since the last one");
      }
      use.at = executed;
      use.shape = is_matrix ? shape : 0;
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
  if (group_step != block->group_steps[static_cast<std::size_t>(index) / 4].size()) {
    throw EmulationError("the kernel ends before a wgmma instruction that other warps of the group executed");
  }
}

}  // namespace gable::emulated
