// mbarrier: barrier objects in shared memory.
#include "tests/gpu/emulated/machine/access.hpp"

namespace gable::emulated {
namespace {

[[noreturn]] void fail(std::uint64_t offset, const std::string& why) {
  throw EmulationError("the mbarrier at offset " + std::to_string(offset) + " of shared memory " + why);
}

Mbarrier& barrier_at(Warp& warp, std::uint64_t offset) {
  const auto found = warp.block->shared.mbarriers.find(offset);
  if (found == warp.block->shared.mbarriers.end()) fail(offset, "is none: mbarrier.init is missing");
  return found->second;
}

std::uint64_t init(Warp& warp, int /*lane*/, std::uint64_t offset, std::uint32_t count) {
  if (count == 0 || count >= 1U << 20) fail(offset, "cannot expect " + std::to_string(count) + " arrivals");
  const auto [place, added] = warp.block->shared.mbarriers.try_emplace(offset);
  if (!added) fail(offset, "is initialised twice");
  return place->second.expected = place->second.pending = count;
}

/// So many arrive, with all that their warp knows, and so many more bytes are to come before the phase is complete.
/// Returns the number of the phase in which that was.
std::uint64_t arrive(Warp& warp, std::uint64_t offset, std::uint32_t count, std::int64_t bytes) {
  Mbarrier& barrier = barrier_at(warp, offset);
  if (count > barrier.pending) fail(offset, "has more arrivals in a phase than it expects");
  const std::uint64_t phase = barrier.phases;
  barrier.pending -= count;
  barrier.transfers += bytes;
  if (count != 0) barrier.arriving.join(warp.clock);
  warp.tick();
  if (barrier.pending == 0 && barrier.transfers == 0) {
    barrier.pending = barrier.expected;
    barrier.completed.join(barrier.arriving);
    barrier.tried.fill(0);
    ++barrier.phases;
  }
  return phase;
}

/// Whether a wait for a phase of this parity succeeds. A try_wait fails once after the phase is complete.
std::uint64_t wait(Warp& warp, int lane, std::uint64_t offset, std::uint32_t phase, bool may_fail) {
  Mbarrier& barrier = barrier_at(warp, offset);
  if (barrier.phases % 2 == phase % 2) return 0;
  LaneMask& tried = barrier.tried[static_cast<std::size_t>(warp.index)];
  const LaneMask bit = LaneMask{1} << lane;
  if (may_fail && (tried & bit) == 0) {
    tried |= bit;
    return 0;
  }
  warp.clock.join(barrier.completed);
  warp.tick();
  return 1;
}

/// An instruction of the family: what it returns for a lane's barrier object at an offset and its operand, 1 without
/// one.
struct Form {
  const char* modifier;
  AccessKind kind;
  std::uint64_t (*result)(Warp& warp, int lane, std::uint64_t offset, std::uint32_t operand);
};

constexpr Form forms[] = {
    {"init", AccessKind::write, init},
    {"test_wait", AccessKind::atomic_read,
     [](Warp& warp, int lane, std::uint64_t offset, std::uint32_t phase) {
       return wait(warp, lane, offset, phase, false);
     }},
    {"try_wait", AccessKind::atomic_read,
     [](Warp& warp, int lane, std::uint64_t offset, std::uint32_t phase) {
       return wait(warp, lane, offset, phase, true);
     }},
    {"expect_tx", AccessKind::atomic_write,
     [](Warp& warp, int, std::uint64_t offset, std::uint32_t bytes) { return arrive(warp, offset, 1, bytes); }},
    {"complete_tx", AccessKind::atomic_write,
     [](Warp& warp, int, std::uint64_t offset, std::uint32_t bytes) {
       return arrive(warp, offset, 0, -std::int64_t{bytes});
     }},
    {"arrive", AccessKind::atomic_write,
     [](Warp& warp, int, std::uint64_t offset, std::uint32_t count) { return arrive(warp, offset, count, 0); }}};

const Form& form_of(const Statement& statement) {
  allow(statement,
        " init arrive expect_tx complete_tx test_wait try_wait parity shared shared::cta release acquire relaxed cta ");
  for (const Form& form : forms) {
    if (statement.has(form.modifier)) return form;
  }
  refuse(statement, "an mbarrier instruction that is not emulated here");
}

}  // namespace

bool decode_mbarrier(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "mbarrier") return false;
  const std::size_t at = statement.operand(0).front() == '[' ? 0 : 1;
  const Register destination = at == 0 ? no_register : operands.value(statement.operand(0));
  const Register operand = operands.value(statement.operands.size() > at + 1 ? statement.operand(at + 1) : "1");
  const Address address = operands.address(statement.operand(at));
  to.destinations = {destination};
  to.sources = {address.base, operand};
  to.execute = [=, form = form_of(statement), shared = names_shared_memory(statement)](Warp& warp, LaneMask mask) {
    const LaneValues places = access(warp, mask, address, 8, shared, form.kind);
    const std::uint64_t* values = warp.values(operand);
    LaneValues results{};
    for_lanes(mask, [&](int lane) {
      const auto i = static_cast<std::size_t>(lane);
      if (!warp.block->shared.holds(places[i])) throw EmulationError("an mbarrier lies in shared memory only");
      const std::uint64_t offset = warp.block->shared.offset_of(places[i]);
      results[i] = form.result(warp, lane, offset, static_cast<std::uint32_t>(values[lane]));
    });
    write(warp, mask, destination, results);
  };
  return true;
}

}  // namespace gable::emulated
