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

std::uint64_t init(Warp& warp, std::uint64_t offset, std::uint32_t count) {
  if (count == 0 || count >= 1U << 20) fail(offset, "cannot expect " + std::to_string(count) + " arrivals");
  const auto [place, added] = warp.block->shared.mbarriers.try_emplace(offset);
  if (!added) fail(offset, "is initialised twice");
  return place->second.expected = place->second.pending = count;
}

/// An instruction of the family, taken apart.
struct MbarrierForm {
  bool initialises, waits, may_fail;
  bool arrives, expects, completes;
  bool relaxed;  ///< orders nothing
};

/// Some arrive, with all that their warp knows, and so many more bytes are to come before the phase is complete.
/// `number`: of arrivals or bytes. Returns the number of the phase in which that was.
std::uint64_t arrive(Warp& warp, std::uint64_t offset, std::uint32_t number, const MbarrierForm& form) {
  Mbarrier& barrier = barrier_at(warp, offset);
  const std::uint32_t count = !form.arrives ? 0 : form.expects ? 1 : number;
  if (count > barrier.pending) fail(offset, "has more arrivals in a phase than it expects");
  const std::uint64_t phase = barrier.phases;
  barrier.pending -= count;
  barrier.transfers += form.expects ? std::int64_t{number} : form.completes ? -std::int64_t{number} : 0;
  if (!form.relaxed) {
    barrier.arriving.join(warp.clock);
    warp.tick();
  }
  if (barrier.pending == 0 && barrier.transfers == 0) {
    barrier.pending = barrier.expected;
    barrier.completed.join(barrier.arriving);
    barrier.tried.fill(0);
    ++barrier.phases;
  }
  return phase;
}

/// Whether a wait for a phase of this parity succeeds. A try_wait fails once after the phase is complete.
std::uint64_t wait(Warp& warp, std::size_t lane, std::uint64_t offset, std::uint32_t phase, const MbarrierForm& form) {
  Mbarrier& barrier = barrier_at(warp, offset);
  if (barrier.phases % 2 == phase % 2) return 0;
  LaneMask& tried = barrier.tried[static_cast<std::size_t>(warp.index)];
  const LaneMask bit = LaneMask{1} << lane;
  if (form.may_fail && (tried & bit) == 0) {
    tried |= bit;
    return 0;
  }
  if (!form.relaxed) {
    warp.clock.join(barrier.completed);
    warp.meet();
  }
  return 1;
}

MbarrierForm form_of(const Statement& statement) {
  allow(statement,
        " init arrive expect_tx complete_tx test_wait try_wait parity shared shared::cta release acquire relaxed cta ");
  const auto has = [&](const char* word) { return statement.has(word); };
  const MbarrierForm form{has("init"),
                          has("test_wait") || has("try_wait"),
                          has("try_wait"),
                          has("arrive"),
                          has("expect_tx"),
                          has("complete_tx"),
                          has("relaxed") || (!has("arrive") && !has("test_wait") && !has("try_wait"))};
  if (!form.initialises && !form.waits && !form.arrives && !form.expects && !form.completes) {
    refuse(statement, "an mbarrier instruction that is not emulated here");
  }
  return form;
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
  to.execute = [=, form = form_of(statement), space = space_of(statement)](Warp& warp, LaneMask mask) {
    // The object's own accesses are ordered: they conflict with others' plain ones.
    const AccessKind kind = form.initialises ? AccessKind::write : AccessKind::atomic_read;
    const LaneValues places = access(warp, mask, address, 8, space, kind);
    const std::uint64_t* values = warp.values(operand);
    LaneValues results{};
    for_lanes(mask, [&](std::size_t lane) {
      if (!warp.block->shared.holds(places[lane])) throw EmulationError("an mbarrier lies in shared memory only");
      const std::uint64_t offset = warp.block->shared.offset_of(places[lane]);
      const auto value = static_cast<std::uint32_t>(values[lane]);
      results[lane] = form.initialises ? init(warp, offset, value)
                      : form.waits     ? wait(warp, lane, offset, value, form)
                                       : arrive(warp, offset, value, form);
    });
    write(warp, mask, destination, results);
  };
  return true;
}

}  // namespace gable::emulated
