// bar: those who arrive, and what lets them go on.
#include <string>

#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

/// A number that all lanes have to agree on.
std::uint32_t common(Warp& warp, LaneMask mask, Register number) {
  const auto first = static_cast<std::uint32_t>(warp.values(number)[__builtin_ctz(mask)]);
  for_lanes(mask, [&](std::size_t lane) {
    if (static_cast<std::uint32_t>(warp.values(number)[lane]) != first) {
      throw EmulationError("lanes of one warp name different barriers or numbers of threads");
    }
  });
  return first;
}

/// An instruction of the family, taken apart.
struct Form {
  Register number, threads = no_register;  ///< threads: if not all of the block
  Register predicate = no_register;        ///< of bar.red.or, which asks whether it holds in any thread
  bool arrives = false, negated = false;
};

/// All lanes of a warp that have not ended have to do so at the same instruction. Those that have ended count with the
/// first that arrive.
Block::Barrier& arrive(Warp& warp, LaneMask mask, const Form& form) {
  const int here = __builtin_ctz(mask), there = __builtin_ctz(warp.waiting != 0 ? warp.waiting : mask);
  if (warp.at[static_cast<std::size_t>(here)] != warp.at[static_cast<std::size_t>(there)]) {
    throw EmulationError("lanes " + std::to_string(here) + " and " + std::to_string(there) +
                         " of a warp are not at the same barrier");
  }
  const std::uint32_t number = common(warp, mask, form.number);
  const std::uint32_t threads = form.threads == no_register ? 0 : common(warp, mask, form.threads);
  if (number >= warp.block->barriers.size()) throw EmulationError("there are barriers 0 to 15");
  if (form.threads != no_register && (threads == 0 || threads % warp_size != 0)) {
    throw EmulationError("a barrier of " + std::to_string(threads) + " threads, which are no whole warps");
  }
  Block::Barrier& barrier = warp.block->barriers[number];
  if (barrier.arrived != 0 && barrier.expected != threads) {
    throw EmulationError("a barrier of " + std::to_string(threads) + " threads, at which others wait for " +
                         std::to_string(barrier.expected));
  }
  const LaneMask arriving = mask | (warp.waiting == 0 ? ~warp.alive() : 0);
  barrier.arrived += static_cast<std::uint32_t>(__builtin_popcount(arriving));
  barrier.expected = threads;
  barrier.clock.join(warp.clock);
  warp.tick();
  return barrier;
}

/// Arrives and waits.
void wait(Warp& warp, LaneMask mask, const Form& form) {
  Block::Barrier& barrier = arrive(warp, mask, form);
  warp.barrier = static_cast<std::size_t>(&barrier - warp.block->barriers.data());
  warp.running &= ~mask;
  warp.waiting |= mask;
  if (form.predicate == no_register) return;
  const std::uint64_t* predicate = warp.values(form.predicate);
  for_lanes(mask, [&](std::size_t lane) { barrier.result |= (predicate[lane] != 0) != form.negated; });
}

void release(const Block::Barrier& barrier, Warp& warp) {
  if (warp.running != 0) {
    throw EmulationError("lane " + std::to_string(__builtin_ctz(warp.running)) + " of warp " +
                         std::to_string(warp.index) + " is not at the barrier at which the others wait");
  }
  const auto next = static_cast<std::size_t>(warp.at[static_cast<std::size_t>(__builtin_ctz(warp.waiting))]);
  for (const Register result : warp.frame->function->code[next - 1].destinations) {
    LaneValues values;
    values.fill(barrier.result);
    write(warp, warp.waiting, result, values);
  }
  std::swap(warp.running, warp.waiting);
  warp.clock.join(barrier.clock);
  warp.meet();
}

}  // namespace

bool decode_barrier(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "bar" && !(statement.name == "barrier" && statement.has("aligned"))) return false;
  allow(statement, " cta sync arrive red or aligned ");
  const std::size_t first = statement.has("red") ? 1 : 0, count = statement.operands.size();
  Form form{operands.value(statement.operand(first))};
  if (count > 2 * first + 1) form.threads = operands.value(statement.operand(first + 1));
  form.arrives = statement.has("arrive");
  if (form.arrives && form.threads == no_register) refuse(statement, "the number of threads is missing");
  to.sources = {form.number, form.threads};
  if (statement.has("red")) {
    const std::string_view predicate = statement.operand(count - 1);
    form.negated = predicate.starts_with('!');
    form.predicate = operands.value(predicate.substr(form.negated ? 1 : 0));
    to.destinations = {operands.value(statement.operand(0))};
    to.sources.push_back(form.predicate);
  }
  to.flow = Flow::stop;
  to.execute = [form](Warp& warp, LaneMask mask) {
    form.arrives ? static_cast<void>(arrive(warp, mask, form)) : wait(warp, mask, form);
    release_barriers(*warp.block);
  };
  return true;
}

bool release_barriers(Block& block) {
  std::uint32_t all = 0;
  for (const Warp& one : block.warps) all += one.alive() != 0 ? warp_size : 0;
  bool released = false;
  for (std::size_t i = 0; i < block.barriers.size(); ++i) {
    Block::Barrier& barrier = block.barriers[i];
    const std::uint32_t expected = barrier.expected != 0 ? barrier.expected : all;
    if (barrier.arrived == 0 || barrier.arrived < expected) continue;
    if (barrier.arrived > expected) {
      throw EmulationError(std::to_string(barrier.arrived) + " threads at barrier " + std::to_string(i) +
                           ", which is for " + std::to_string(expected));
    }
    for (Warp& one : block.warps) {
      if (one.waiting != 0 && one.barrier == i) release(barrier, one);
    }
    barrier = {};
    released = true;
  }
  return released;
}

}  // namespace gable::emulated
