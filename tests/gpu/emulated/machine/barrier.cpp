// bar and barrier: those who arrive, and what lets them go on.
#include <algorithm>
#include <string>

#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/running_warp.hpp"

namespace gable::emulated {
namespace {

constexpr std::uint64_t most_barriers = 16;

void arrive(Warp& warp, LaneMask mask, Register number, Register threads) {
  for_lanes(mask, [&](int lane) {
    const std::uint64_t count = threads == no_register ? 0 : warp.values(threads)[lane] & 0xffffffffU;
    const std::uint64_t barrier_number = warp.values(number)[lane] & 0xffffffffU;
    if (barrier_number >= most_barriers) throw EmulationError("there are barriers 0 to 15");
    if (threads != no_register && (count == 0 || count % warp_size != 0)) {
      throw EmulationError("a barrier of " + std::to_string(count) + " threads, which are no whole warps");
    }
    Block::Barrier& barrier = warp.block->barriers[static_cast<int>(barrier_number)];
    if (barrier.arrived != 0 && barrier.expected != count) {
      throw EmulationError("a barrier of " + std::to_string(count) + " threads, at which others wait for " +
                           std::to_string(barrier.expected));
    }
    ++barrier.arrived;
    barrier.expected = static_cast<std::uint32_t>(count);
    barrier.clock.join(warp.clock);
  });
}

/// bar.red.and, .or and .popc count threads with a predicate.
void decode_reduction(const Statement& statement, Operands& operands, Instruction& to) {
  std::string text = statement.operands.back();
  const bool negated = !text.empty() && text[0] == '!', all = statement.has("and"), count = statement.has("popc");
  if (negated) text.erase(0, 1);
  const Register predicate = operands.value(text), number = to.sources[0];
  to.destinations = {operands.value(statement.operand(0))};
  to.execute = [predicate, number, negated, all, count](Warp& warp, LaneMask mask) {
    for_lanes(mask, [&](int lane) {
      Block::Barrier& barrier = warp.block->barriers[static_cast<int>(warp.values(number)[lane])];
      const bool holds = (warp.values(predicate)[lane] != 0) != negated;
      barrier.counted += holds != all ? 1U : 0U;
      barrier.result = count ? barrier.counted : (barrier.counted != 0) != all ? 1U : 0U;
    });
  };
}

/// All threads of a warp have to wait at the same bar or barrier.aligned.
void check_aligned(const RunningWarp& running, int number) {
  int first = -1;
  for_lanes(running.alive(), [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    const bool here = running.warp.state[i] == LaneState::waiting && running.warp.barrier[i] == number;
    if (first < 0 && here) first = lane;
  });
  if (first < 0) return;
  const Instruction& barrier = running.barrier_of(first);
  for_lanes(running.alive(), [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    if (running.warp.at[i] == running.warp.at[static_cast<std::size_t>(first)] &&
        running.warp.state[i] == LaneState::waiting) {
      return;
    }
    if (barrier.text.find("barrier") != std::string::npos && barrier.text.find(".aligned") == std::string::npos) return;
    throw EmulationError("lanes " + std::to_string(first) + " and " + std::to_string(lane) + " of warp " +
                         std::to_string(running.warp.index) + " are not at the same barrier: " + barrier.text);
  });
}

void release(Block::Barrier& barrier, int number, RunningWarp& running) {
  Warp& warp = running.warp;
  check_aligned(running, number);
  bool waited = false;
  for (int lane = 0; lane < warp_size; ++lane) {
    const auto i = static_cast<std::size_t>(lane);
    if (warp.state[i] != LaneState::waiting || warp.barrier[i] != number) continue;
    for (const Register result : running.barrier_of(lane).destinations) {
      if (result != no_register) warp.values(result)[lane] = barrier.result;
    }
    warp.state[i] = LaneState::running;
    waited = true;
  }
  if (!waited) return;
  warp.clock.join(barrier.clock);
  warp.tick();
}

}  // namespace

bool decode_barrier(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "bar" && statement.name != "barrier") return false;
  allow(statement, " cta sync arrive red and or popc aligned ");
  const bool reduces = statement.has("red");
  const std::size_t first = reduces ? 1 : 0, last = statement.operands.size() - first;
  to.sources = {operands.value(statement.operand(first))};
  if (last > first + 1) to.sources.push_back(operands.value(statement.operand(first + 1)));
  if (statement.has("arrive")) {
    if (to.sources.size() != 2) refuse(statement, "the number of threads is missing");
    to.execute = [number = to.sources[0], threads = to.sources[1]](Warp& warp, LaneMask mask) {
      arrive(warp, mask, number, threads);
      warp.tick();
    };
    return true;
  }
  to.flow = Flow::barrier;
  if (reduces) decode_reduction(statement, operands, to);
  return true;
}

void RunningWarp::wait(const Instruction& barrier, LaneMask lanes) {
  arrive(warp, lanes, barrier.sources[0], barrier.sources.size() > 1 ? barrier.sources[1] : no_register);
  if (barrier.execute) barrier.execute(warp, lanes);
  for_lanes(lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    warp.state[i] = LaneState::waiting;
    warp.barrier[i] = static_cast<int>(warp.values(barrier.sources[0])[lane]);
  });
}

bool release_barriers(Block& block, std::vector<RunningWarp>& warps) {
  std::uint32_t alive = 0;
  for (const RunningWarp& one : warps) alive += static_cast<std::uint32_t>(__builtin_popcount(one.alive()));
  bool released = false;
  for (auto& [number, barrier] : block.barriers) {
    const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : alive;
    if (barrier.arrived == 0 || barrier.arrived < expected) continue;
    if (barrier.arrived > expected) {
      throw EmulationError(std::to_string(barrier.arrived) + " threads at barrier " + std::to_string(number) +
                           ", which is for " + std::to_string(expected));
    }
    for (RunningWarp& one : warps) release(barrier, number, one);
    barrier = {};
    released = true;
  }
  return released;
}

}  // namespace gable::emulated
