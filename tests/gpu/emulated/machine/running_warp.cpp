#include "tests/gpu/emulated/machine/running_warp.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/ptx/declaration.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t garbage = 0xbad0bad0bad0bad0U;  ///< in a register that nobody has written
constexpr std::uint64_t turn_instructions = 1U << 14;   ///< after which other warps have their turn
constexpr std::uint64_t frame_alignment = 128;
constexpr int nowhere = std::numeric_limits<int>::max();

std::uint64_t executed = 0;

std::uint64_t aligned_address(const std::vector<std::byte>& memory) {
  return rounded_up(reinterpret_cast<std::uint64_t>(memory.data()), frame_alignment);
}

std::uint64_t special_value(SpecialRegister which, const Warp& warp, std::uint32_t lane) {
  const Block& block = *warp.block;
  const std::uint32_t thread = static_cast<std::uint32_t>(warp.index) * warp_size + lane;
  const std::uint32_t below = (1U << lane) - 1, self = 1U << lane;
  switch (which) {
    case SpecialRegister::tid_x:
      return thread % block.size.x;
    case SpecialRegister::tid_y:
      return thread / block.size.x % block.size.y;
    case SpecialRegister::tid_z:
      return thread / block.size.x / block.size.y;
    case SpecialRegister::ntid_x:
      return block.size.x;
    case SpecialRegister::ntid_y:
      return block.size.y;
    case SpecialRegister::ntid_z:
      return block.size.z;
    case SpecialRegister::ctaid_x:
      return block.id.x;
    case SpecialRegister::ctaid_y:
      return block.id.y;
    case SpecialRegister::ctaid_z:
      return block.id.z;
    case SpecialRegister::nctaid_x:
      return block.grid.x;
    case SpecialRegister::nctaid_y:
      return block.grid.y;
    case SpecialRegister::nctaid_z:
      return block.grid.z;
    case SpecialRegister::laneid:
      return lane;
    case SpecialRegister::warpid:
      return static_cast<std::uint64_t>(warp.index);
    case SpecialRegister::lanemask_eq:
      return self;
    case SpecialRegister::lanemask_lt:
      return below;
    case SpecialRegister::lanemask_le:
      return below | self;
    case SpecialRegister::lanemask_gt:
      return ~(below | self);
    case SpecialRegister::lanemask_ge:
      return ~below;
    case SpecialRegister::nsmid:
      return 1;
    case SpecialRegister::nwarpid:
      return 64;
    case SpecialRegister::dynamic_smem_size:
      return block.dynamic_shared_bytes;
    case SpecialRegister::total_smem_size:
      return block.shared.size();
    case SpecialRegister::warp_sz:
      return warp_size;
    case SpecialRegister::smid:
    case SpecialRegister::gridid:
    case SpecialRegister::clusterid_x:
      break;
  }
  return 0;
}

/// Whether a wgmma may still write the register.
bool is_in_flight(const Frame& frame, Register number) {
  return number >= 0 && number != no_register && frame.in_flight[static_cast<std::size_t>(number)] != 0;
}

/// Lanes in which a guard holds.
LaneMask guard_mask(const std::uint64_t* guard, bool negated) {
  LaneMask mask = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) mask |= static_cast<LaneMask>(guard[lane] != 0) << lane;
  return negated ? ~mask : mask;
}

}  // namespace

std::uint64_t executed_instructions() { return executed; }

void RunningWarp::begin_frame(Frame& frame, Function& function, std::uint64_t parameter_stride) {
  frame.function = &function;
  frame.registers.assign(static_cast<std::size_t>(function.registers) * warp_size, garbage);
  const std::uint64_t local_stride = rounded_up(function.local_bytes, frame_alignment);
  frame.local.assign(local_stride * warp_size + (local_stride == 0 ? 0 : frame_alignment), std::byte{0xff});
  if (function.uses_wgmma) {
    frame.written_at.assign(static_cast<std::size_t>(function.registers), 0);
    frame.in_flight.assign(static_cast<std::size_t>(function.registers), 0);
  }
  const auto place = [&](const auto& addresses, const std::vector<std::byte>& memory, std::uint64_t stride) {
    for (const auto& [number, offset] : addresses) {
      std::uint64_t* values = &frame.registers[static_cast<std::size_t>(number) * warp_size];
      for (std::uint64_t lane = 0; lane < warp_size; ++lane)
        values[lane] = aligned_address(memory) + lane * stride + offset;
    }
  };
  place(function.local_addresses, frame.local, local_stride);
  place(function.parameter_addresses, frame.parameters, parameter_stride);
  place(function.result_addresses, frame.results, rounded_up(function.result_bytes, frame_alignment));
  for (const auto& [number, which] : function.special_registers) {
    std::uint64_t* values = &frame.registers[static_cast<std::size_t>(number) * warp_size];
    for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
      values[lane] = special_value(which, warp, lane) & 0xffffffffU;
    }
  }
}

void RunningWarp::begin(const Launch& launch, Block& block, int index) {
  warp = Warp{};
  warp.block = &block;
  warp.index = index;
  warp.tick();
  calls_.clear();
  instruction_ = nullptr;
  executed_ = 0;
  if (frames_.empty()) {
    frames_.push_back(std::make_unique<Frame>());
    std::vector<std::byte>& parameters = frames_[0]->parameters;
    parameters.resize(launch.parameters.size() + frame_alignment);
    std::copy(launch.parameters.begin(), launch.parameters.end(),
              parameters.begin() + static_cast<std::ptrdiff_t>(aligned_address(parameters) -
                                                               reinterpret_cast<std::uint64_t>(parameters.data())));
  }
  warp.frame = frames_[0].get();
  begin_frame(*frames_[0], *launch.kernel, 0);
  for (std::uint32_t lane = 0; lane < warp_size; ++lane) {
    const bool exists = static_cast<std::uint32_t>(index) * warp_size + lane < block.threads;
    warp.state[lane] = exists ? LaneState::running : LaneState::done;
  }
}

void RunningWarp::run(std::uint64_t limit) {
  const std::uint64_t start = executed, end = start + turn_instructions;
  while (executed < end) {
    int at = nowhere, others = nowhere;
    bool waits = false;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      if (warp.state[lane] == LaneState::running) at = std::min(at, warp.at[lane]);
      waits = waits || warp.state[lane] == LaneState::waiting;
    }
    if (at == nowhere) {
      if (waits || calls_.empty()) break;
      come_back();
      continue;
    }
    LaneMask lanes = 0;
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      if (warp.state[lane] != LaneState::running) continue;
      if (warp.at[lane] == at) {
        lanes |= 1U << lane;
      } else {
        others = std::min(others, warp.at[lane]);
      }
    }
    go_on(lanes, at, others, end);
  }
  executed_ += executed - start;
  if (executed_ > limit) throw EmulationError("it spins: more than " + std::to_string(limit) + " instructions");
}

/// Runs lanes together until they part, wait or end, or are where others are or have been passed by (`others`).
void RunningWarp::go_on(LaneMask lanes, int at, int others, std::uint64_t end) {
  static const bool trace = std::getenv("EMULATOR_TRACE") != nullptr;
  const Instruction* const code = warp.frame->function->code.data();
  const bool uses_wgmma = warp.frame->function->uses_wgmma;
  while (at < others && executed < end) {
    const Instruction& instruction = code[at];
    instruction_ = &instruction;
    ++executed;
    LaneMask active = lanes;
    if (instruction.guarded) active &= guard_mask(warp.values(instruction.guard), instruction.guard_negated);
    if (trace && warp.index == 0) std::fprintf(stderr, "%08x %5d %s\n", active, at, instruction.text.c_str());
    if (instruction.flow == Flow::next) {
      if (active != 0) {
        if (uses_wgmma) check_registers(instruction);
        instruction.execute(warp, active);
      }
      ++at;
    } else if (active == 0) {
      ++at;
    } else if (instruction.flow == Flow::branch && active == lanes) {
      at = instruction.target;
    } else {
      for_lanes(lanes, [&](int lane) { warp.at[static_cast<std::size_t>(lane)] = at + 1; });
      turn(instruction, active);
      return;
    }
  }
  for_lanes(lanes, [&](int lane) { warp.at[static_cast<std::size_t>(lane)] = at; });
}

/// Branches, ends, barriers and calls.
void RunningWarp::turn(const Instruction& instruction, LaneMask lanes) {
  const auto end_lanes = [lanes](std::array<LaneState, warp_size>& state) {
    for_lanes(lanes, [&](int lane) { state[static_cast<std::size_t>(lane)] = LaneState::done; });
  };
  switch (instruction.flow) {
    case Flow::branch:
      for_lanes(lanes, [&](int lane) { warp.at[static_cast<std::size_t>(lane)] = instruction.target; });
      break;
    case Flow::exit:
      for (Call& outer : calls_) end_lanes(outer.state);
      [[fallthrough]];
    case Flow::return_:
      end_lanes(warp.state);
      break;
    case Flow::barrier:
      wait(instruction, lanes);
      break;
    case Flow::call:
      call(instruction, lanes);
      break;
    case Flow::next:
      break;
  }
}

void RunningWarp::call(const Instruction& instruction, LaneMask lanes) {
  Function& function = *instruction.callee;
  decode(function);
  if (function.static_shared_bytes != 0) throw EmulationError("a function that is called has shared memory of its own");
  const std::uint64_t shared_begin = warp.block->shared.size() - warp.block->dynamic_shared_bytes;
  for (const int number : function.dynamic_shared)
    function.constants[static_cast<std::size_t>(number)].fill(shared_begin);
  calls_.push_back({&instruction, lanes, warp.at, warp.state});
  if (calls_.size() == frames_.size()) frames_.push_back(std::make_unique<Frame>());
  Frame& frame = *frames_[calls_.size()];
  frame.caller = warp.frame;
  const std::uint64_t stride = rounded_up(function.parameter_bytes, frame_alignment);
  frame.parameters.assign(stride * warp_size + frame_alignment, std::byte{0xff});
  frame.results.assign(rounded_up(function.result_bytes, frame_alignment) * warp_size + frame_alignment,
                       std::byte{0xff});
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const std::uint64_t* from = warp.values(instruction.arguments[i]);
    const std::uint64_t to = aligned_address(frame.parameters) + function.parameters[i].offset;
    for_lanes(lanes, [&](int lane) {
      std::memcpy(reinterpret_cast<void*>(to + static_cast<std::uint64_t>(lane) * stride),
                  reinterpret_cast<const void*>(from[lane]), function.parameters[i].size);
    });
  }
  begin_frame(frame, function, stride);
  warp.frame = &frame;
  warp.at = {};
  warp.state.fill(LaneState::done);
  for_lanes(lanes, [&](int lane) { warp.state[static_cast<std::size_t>(lane)] = LaneState::running; });
}

void RunningWarp::come_back() {
  const Call call = calls_.back();
  const Frame& inner = *warp.frame;
  const Function& function = *inner.function;
  if (std::any_of(inner.in_flight.begin(), inner.in_flight.end(), [](std::uint32_t count) { return count != 0; })) {
    throw EmulationError("a function returns while a product of its registers is under way");
  }
  calls_.pop_back();
  warp.frame = frames_[calls_.size()].get();
  warp.at = call.at;
  warp.state = call.state;
  for (std::size_t i = 0; i < function.results.size(); ++i) {
    const std::uint64_t* to = warp.values(call.instruction->results[i]);
    const std::uint64_t from = aligned_address(inner.results) + function.results[i].offset;
    const std::uint64_t stride = rounded_up(function.result_bytes, frame_alignment);
    for_lanes(call.lanes, [&](int lane) {
      std::memcpy(reinterpret_cast<void*>(to[lane]),
                  reinterpret_cast<const void*>(from + static_cast<std::uint64_t>(lane) * stride),
                  function.results[i].size);
    });
  }
}

/// Rules for accumulators of wgmma (PTX ISA, wgmma.fence and wgmma.wait_group).
void RunningWarp::check_registers(const Instruction& instruction) {
  Frame& frame = *warp.frame;
  const auto in_flight = [&](Register number) { return is_in_flight(frame, number); };
  if (std::any_of(instruction.sources.begin(), instruction.sources.end(), in_flight) ||
      (!instruction.is_wgmma &&
       std::any_of(instruction.destinations.begin(), instruction.destinations.end(), in_flight))) {
    throw EmulationError("a wgmma that nobody has waited for writes a register that is used here");
  }
  for (const Register number : instruction.destinations) {
    if (number == no_register) continue;
    std::uint64_t& written_at = frame.written_at[static_cast<std::size_t>(number)];
    if (!instruction.is_wgmma) {
      written_at = executed;
    } else if (written_at > warp.wgmma_fenced_at) {
      throw EmulationError("a wgmma.fence is missing: an accumulator was written since the last one");
    }
  }
}

LaneMask RunningWarp::alive() const {
  const auto& state = calls_.empty() ? warp.state : calls_.front().state;
  LaneMask mask = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    mask |= static_cast<LaneMask>(state[lane] != LaneState::done) << lane;
  }
  return mask;
}

const Instruction& RunningWarp::barrier_of(int lane) const {
  return warp.frame->function->code[static_cast<std::size_t>(warp.at[static_cast<std::size_t>(lane)] - 1)];
}

void RunningWarp::check_end() const {
  const auto any = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& group) { return !group.empty(); });
  };
  if (any(warp.open_copies) || std::any_of(warp.copy_groups.begin(), warp.copy_groups.end(), any)) {
    throw EmulationError("the kernel ends with an asynchronous copy that nobody waited for");
  }
  if (!warp.open_products.empty() || any(warp.product_groups)) {
    throw EmulationError("the kernel ends with a wgmma that nobody waited for");
  }
}

}  // namespace gable::emulated
