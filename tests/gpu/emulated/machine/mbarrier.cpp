#include "tests/gpu/emulated/machine/mbarrier.hpp"

#include <cstring>

#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/memory_order.hpp"

namespace gable::emulated {
namespace {

/// The 64 bits of a barrier object. The ISA leaves open what they mean; the state that an arrival returns is the same.
struct Word {
  std::uint64_t pending : 20, expected : 20;
  std::uint64_t transfers : 23;  ///< bytes that are still to come
  std::uint64_t phase : 1;
};
static_assert(sizeof(Word) == 8);

/// A barrier object of a block, at an offset in its shared memory.
class Barrier {
 public:
  Barrier(Warp& warp, std::uint64_t address, bool shared, MemoryAccess::Kind kind)
      : warp_(warp), place_(access(warp, address, sizeof(Word), shared, kind)) {
    SharedMemory& memory = warp.block->shared;
    const auto generic = reinterpret_cast<std::uint64_t>(place_);
    if (!memory.holds(generic)) throw EmulationError("an mbarrier lies in shared memory only");
    offset_ = memory.offset_of(generic);
    std::memcpy(&word_, place_, sizeof word_);
  }

  Mbarrier& others() {
    const auto found = warp_.block->shared.mbarriers.find(offset_);
    if (found == warp_.block->shared.mbarriers.end()) fail("is none: mbarrier.init is missing");
    return found->second;
  }
  const Word& word() const { return word_; }

  void init(std::uint64_t count) {
    if (count == 0 || count >= 1U << 20) fail("cannot expect " + std::to_string(count) + " arrivals");
    if (!warp_.block->shared.mbarriers.try_emplace(offset_).second) fail("is initialised twice");
    word_ = {count & 0xfffffU, count & 0xfffffU, 0, 0};
    save();
  }
  void invalidate() {
    others();
    warp_.block->shared.mbarriers.erase(offset_);
  }
  /// Bytes that asynchronous transfers are to bring (or, negative, have brought) before the phase is complete.
  void expect(std::int64_t bytes) {
    others();
    word_.transfers = (word_.transfers + static_cast<std::uint64_t>(bytes)) & 0x7fffffU;
    finish_phase();
  }
  /// One more arrival in this phase alone: cp.async.mbarrier.arrive counts its own.
  void add_pending() {
    others();
    word_.pending = (word_.pending + 1) & 0xfffffU;
    save();
  }
  /// `by`: who arrives, with all that it knows. `drop`: it will not take part in later phases.
  void arrive(Warp& by, std::uint64_t count, bool drop) {
    Mbarrier& with = others();
    if (count > word_.pending) fail("has more arrivals in a phase than it expects");
    word_.pending = (word_.pending - count) & 0xfffffU;
    if (drop) word_.expected = (word_.expected - count) & 0xfffffU;
    with.arriving.join(by.clock);
    by.tick();
    finish_phase();
  }
  /// Asynchronous copies land as late as they may: when somebody waits for their arrival.
  void take_late_arrivals() {
    for (const Mbarrier::Arrival& late : std::exchange(others().to_come, {})) {
      const auto lane = static_cast<std::size_t>(late.lane);
      for (auto& group : late.warp->copy_groups[lane]) land(*late.warp, std::exchange(group, {}));
      land(*late.warp, std::exchange(late.warp->open_copies[lane], {}));
      arrive(*late.warp, 1, false);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw EmulationError("the mbarrier at offset " + std::to_string(offset_) + " of shared memory " + why);
  }
  void save() const { std::memcpy(place_, &word_, sizeof word_); }
  void finish_phase() {
    if (word_.pending == 0 && word_.transfers == 0) {
      Mbarrier& with = others();
      word_.pending = word_.expected;
      word_.phase ^= 1U;
      with.completed.join(with.arriving);
      with.tried.fill(0);
    }
    save();
  }

  Warp& warp_;
  std::byte* place_;
  std::uint64_t offset_ = 0;
  Word word_{};
};

/// Whether a wait for the phase that `phase` names succeeds. A try_wait fails once after the phase is complete.
bool wait(Warp& warp, int lane, std::uint64_t address, bool shared, bool may_fail, std::uint64_t phase) {
  Barrier barrier(warp, address, shared, MemoryAccess::Kind::atomic_read);
  barrier.take_late_arrivals();
  if (barrier.word().phase == phase) return false;
  Mbarrier& with = barrier.others();
  LaneMask& tried = with.tried[static_cast<std::size_t>(warp.index)];
  const LaneMask bit = LaneMask{1} << lane;
  if (may_fail && (tried & bit) == 0) {
    tried |= bit;
    return false;
  }
  warp.clock.join(with.completed);
  warp.tick();
  return true;
}

/// An instruction of the family, taken apart.
struct Form {
  bool shared;
  Address address;
  Register destination = no_register, value = no_register;

  std::uint64_t at(Warp& warp, int lane) const {
    return warp.values(address.base)[lane] + static_cast<std::uint64_t>(address.offset);
  }
  /// The lower 32 bits of its number.
  std::uint64_t number(Warp& warp, int lane) const { return warp.values(value)[lane] & 0xffffffffU; }
};

/// execute = for each lane: destination = each(warp, lane).
template <class Each>
void set_execute(const Form& form, Instruction& to, Each each) {
  to.sources = {form.address.base};
  if (form.value != no_register) to.sources.push_back(form.value);
  to.destinations = {form.destination};
  to.execute = [form, each](Warp& warp, LaneMask mask) {
    LaneValues results{};
    for_lanes(mask, [&](int lane) { results[static_cast<std::size_t>(lane)] = each(warp, lane); });
    write(warp, mask, form.destination, results);
  };
}

void decode_arrive(const Statement& statement, const Form& form, Instruction& to) {
  const bool drop = statement.has("arrive_drop"), transfers = statement.has("expect_tx");
  set_execute(form, to, [form, drop, transfers](Warp& warp, int lane) {
    Barrier barrier(warp, form.at(warp, lane), form.shared, MemoryAccess::Kind::atomic_write);
    const std::uint64_t state = bits_of(barrier.word());
    const std::uint64_t number = form.value == no_register ? 1 : form.number(warp, lane);
    if (transfers) barrier.expect(static_cast<std::int64_t>(number));
    barrier.arrive(warp, transfers ? 1 : number, drop);
    return state;
  });
}

void decode_wait(const Statement& statement, const Form& form, Instruction& to) {
  const bool parity = statement.has("parity"), may_fail = statement.has("try_wait");
  set_execute(form, to, [form, parity, may_fail](Warp& warp, int lane) -> std::uint64_t {
    const std::uint64_t value = warp.values(form.value)[lane];
    const std::uint64_t phase = parity ? value & 1U : value_of<Word>(value).phase;
    return wait(warp, lane, form.at(warp, lane), form.shared, may_fail, phase);
  });
}

void decode_copy_arrival(const Statement& statement, Operands& operands, Instruction& to) {
  const Form form{names_shared_memory(statement), operands.address(statement.operand(0))};
  const bool counted = statement.has("noinc");
  set_execute(form, to, [form, counted](Warp& warp, int lane) {
    Barrier barrier(warp, form.at(warp, lane), form.shared, MemoryAccess::Kind::atomic_write);
    if (!counted) barrier.add_pending();
    barrier.others().to_come.push_back({&warp, lane});
    return std::uint64_t{0};
  });
}

/// init, inval, expect_tx and complete_tx, which return nothing.
void decode_change(const Statement& statement, const Form& form, Instruction& to) {
  const bool init = statement.has("init"), inval = statement.has("inval"), expect = statement.has("expect_tx");
  const MemoryAccess::Kind kind = init || inval ? MemoryAccess::Kind::write : MemoryAccess::Kind::atomic_write;
  set_execute(form, to, [form, init, inval, expect, kind](Warp& warp, int lane) {
    Barrier barrier(warp, form.at(warp, lane), form.shared, kind);
    if (inval) {
      barrier.invalidate();
    } else if (init) {
      barrier.init(form.number(warp, lane));
    } else {
      const auto bytes = static_cast<std::int64_t>(form.number(warp, lane));
      barrier.expect(expect ? bytes : -bytes);
    }
    return std::uint64_t{0};
  });
}

}  // namespace

bool decode_mbarrier(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name == "cp" && statement.has("async") && statement.has("mbarrier")) {
    decode_copy_arrival(statement, operands, to);
    return true;
  }
  if (statement.name != "mbarrier") return false;
  const auto value = [&](std::size_t i) {
    return i < statement.operands.size() ? operands.value(statement.operand(i)) : no_register;
  };
  const bool shared = names_shared_memory(statement);
  const std::string& first = statement.operand(0);
  if (statement.has("pending_count")) {
    lanewise<std::uint64_t>(statement, operands, to, [](std::uint64_t state) -> std::uint32_t {
      return static_cast<std::uint32_t>(value_of<Word>(state).pending);
    });
  } else if (statement.has("arrive") || statement.has("arrive_drop")) {
    const std::size_t at = first.front() == '[' ? 0 : 1;
    const Form form{shared, operands.address(statement.operand(at)), at == 0 ? no_register : value(0), value(at + 1)};
    decode_arrive(statement, form, to);
  } else if (statement.has("test_wait") || statement.has("try_wait")) {
    decode_wait(statement, {shared, operands.address(statement.operand(1)), value(0), value(2)}, to);
  } else if (statement.has("init") || statement.has("inval") || statement.has("expect_tx") ||
             statement.has("complete_tx")) {
    decode_change(statement, {shared, operands.address(first), no_register, value(1)}, to);
  } else {
    refuse(statement, "an mbarrier instruction that is not emulated here");
  }
  return true;
}

}  // namespace gable::emulated
