// atom, red and fences. The last order nothing between warps: who hands something over by a flag in shared memory is
// said to race.
#include <algorithm>
#include <cstring>

#include "tests/gpu/emulated/machine/access.hpp"
#include "tests/gpu/emulated/machine/block_order.hpp"

namespace gable::emulated {
namespace {

template <class T>
using Operation = T (*)(T old, T value, T other);

template <class T>
Operation<T> operation_of(const Statement& statement) {
  if constexpr (std::is_floating_point_v<T>) {
    if (statement.has("add")) return [](T old, T value, T) { return old + value; };
  } else {
    static constexpr std::pair<const char*, Operation<T>> operations[] = {
        {"add", [](T old, T value,
                   T) { return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(value)); }},
        {"exch", [](T, T value, T) { return value; }},
        {"cas", [](T old, T value, T other) { return old == value ? other : old; }}};
    for (const auto& [name, operation] : operations) {
      if (statement.has(name)) return operation;
    }
  }
  refuse(statement, "an atomic operation that is not emulated here");
}

template <class T>
void make_atomic(const Statement& statement, Operands& operands, Instruction& to) {
  const Space space = space_of(statement);
  const std::size_t first = statement.name == "atom" ? 1 : 0;  // red returns nothing
  const Register destination = first == 1 ? operands.value(statement.operand(0)) : no_register;
  const Address address = operands.address(statement.operand(first));
  const Register value = operands.value(statement.operand(first + 1));
  const Register other = statement.has("cas") ? operands.value(statement.operand(first + 2)) : value;
  to.destinations = {destination};
  to.sources = {value, other, address.base};
  to.execute = [=, operation = operation_of<T>(statement)](Warp& warp, LaneMask mask) {
    const LaneValues places = access(warp, mask, address, sizeof(T), space, AccessKind::atomic_write);
    const std::uint64_t *values = warp.values(value), *others = warp.values(other);
    LaneValues before{};
    for_lanes(mask, [&](std::size_t lane) {
      auto* const place = reinterpret_cast<T*>(places[lane]);
      T old;
      std::memcpy(&old, place, sizeof old);
      const T now = operation(old, value_of<T>(values[lane]), value_of<T>(others[lane]));
      std::memcpy(place, &now, sizeof now);
      before[lane] = bits_of(old);
    });
    write(warp, mask, destination, before);
  };
}

void decode_fence(const Statement& statement, Instruction& to) {
  allow(statement, " proxy async global shared::cta sc acq_rel acquire release cta gl gpu sys ");
  const bool of_shared_memory = statement.has("proxy") && !statement.has("global");
  if (!statement.has("proxy") && !statement.has("cta")) {
    to.execute = [](Warp&, LaneMask) { fence_device(); };
    return;
  }
  to.execute = [of_shared_memory](Warp& warp, LaneMask mask) {
    if (!of_shared_memory || mask != warp.alive()) return;  // the other lanes have not fenced
    WarpClock& clock = warp.clock;
    for (std::size_t w = 0; w < max_warps; ++w) clock.fenced[w] = std::max(clock.fenced[w], clock.happened_before[w]);
    warp.tick();
  };
}

}  // namespace

bool decode_atomic(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name == "membar" || statement.name == "fence") {
    decode_fence(statement, to);
    return true;
  }
  if (statement.name != "atom" && statement.name != "red") return false;
  allow(statement, " global shared shared::cta relaxed acquire release acq_rel cta gpu sys add exch cas ");
  const Type type = statement.type();
  const auto make = [&](auto zero) {
    make_atomic<decltype(zero)>(statement, operands, to);
    return true;
  };
  if (!type.is_floating()) return with_integer(type, make);
  if (type.is_small_float()) return false;
  return type.bits == 32 ? make(float{}) : make(double{});
}

}  // namespace gable::emulated
