#include <algorithm>
#include <cstring>

#include "tests/gpu/emulated/machine/extremum.hpp"
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/memory_order.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"

namespace gable::emulated {
namespace {

enum class Operation { add, minimum, maximum, and_, or_, xor_, exchange, compare_and_swap, increment, decrement };

Operation operation_of(const Statement& statement) {
  constexpr std::pair<const char*, Operation> names[]{
      {"add", Operation::add},       {"min", Operation::minimum},   {"max", Operation::maximum},
      {"and", Operation::and_},      {"or", Operation::or_},        {"xor", Operation::xor_},
      {"exch", Operation::exchange}, {"inc", Operation::increment}, {"cas", Operation::compare_and_swap},
      {"dec", Operation::decrement}};
  for (const auto& [name, operation] : names) {
    if (statement.has(name)) return operation;
  }
  refuse(statement, "an atomic operation that is not emulated here");
}

/// What memory holds after the operation on floating-point numbers; minimum and maximum ignore what is not a number.
double combined(Operation operation, double old, double value) {
  return operation == Operation::add ? old + value : extremum(old, value, operation == Operation::minimum, false);
}

/// The same of whole numbers of at most 64 bits.
template <class T>
T combined(Operation operation, T old, T value, T other) {
  switch (operation) {
    case Operation::add:
      return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(value));
    case Operation::minimum:
      return std::min(old, value);
    case Operation::maximum:
      return std::max(old, value);
    case Operation::and_:
      return static_cast<T>(old & value);
    case Operation::or_:
      return static_cast<T>(old | value);
    case Operation::xor_:
      return static_cast<T>(old ^ value);
    case Operation::exchange:
      return value;
    case Operation::compare_and_swap:
      return old == value ? other : old;
    case Operation::increment:
      return static_cast<T>(old >= value ? 0 : old + 1);
    case Operation::decrement:
      break;
  }
  return static_cast<T>(old == 0 || old > value ? value : old - 1);
}

struct Atomic {
  Operation operation;
  Type type;
  bool shared;
  MemoryOrder order;
  Address address;
  std::vector<Register> destinations;  ///< none for red
  std::vector<Register> values, others;
  std::size_t bytes;  ///< of an element

  std::uint64_t of_floating(std::uint64_t old, std::uint64_t value) const {
    if (type.bits == 32) return bits_of(value_of<float>(old) + value_of<float>(value));  // no rounding twice
    std::uint64_t result = 0;
    for (int shift = 0; shift < type.register_bits(); shift += type.bits) {
      const std::uint64_t part = floating_bits(
          combined(operation, floating_value(old >> shift, type), floating_value(value >> shift, type)), type);
      result |= part << shift;
    }
    return result;
  }

  std::uint64_t result(std::uint64_t old, std::uint64_t value, std::uint64_t other) const {
    if (type.is_floating() && operation != Operation::exchange) return of_floating(old, value);
    const auto whole = [&](auto zero) {
      using T = decltype(zero);
      return bits_of(combined(operation, value_of<T>(old), value_of<T>(value), value_of<T>(other)));
    };
    if (type.is_signed()) return bytes == 4 ? whole(std::int32_t{}) : whole(std::int64_t{});
    return bytes == 2 ? whole(std::uint16_t{}) : bytes == 4 ? whole(std::uint32_t{}) : whole(std::uint64_t{});
  }

  void execute(Warp& warp, LaneMask mask) const {
    order.before_write(warp);
    const std::uint64_t* base = warp.values(address.base);
    std::vector<LaneValues> before(values.size());
    for_lanes(mask, [&](int signed_lane) {
      const auto lane = static_cast<std::size_t>(signed_lane);
      std::byte* place = access(warp, base[lane] + static_cast<std::uint64_t>(address.offset), bytes * values.size(),
                                shared, MemoryAccess::Kind::atomic_write);
      for (std::size_t i = 0; i < values.size(); ++i, place += bytes) {
        std::uint64_t old = 0;
        std::memcpy(&old, place, bytes);
        before[i][lane] = old;
        const std::uint64_t now = result(old, warp.values(values[i])[lane], warp.values(others[i])[lane]);
        std::memcpy(place, &now, bytes);
      }
    });
    order.after_read(warp);
    for (std::size_t i = 0; i < destinations.size(); ++i) write(warp, mask, destinations[i], before[i]);
  }
};

void decode_fence(const Statement& statement, Instruction& to) {
  if (statement.has("proxy")) {
    if (!statement.has("async")) refuse(statement, "a fence that is not emulated here");
    const bool global_only = statement.has("global");
    to.execute = [global_only](Warp& warp, LaneMask) {
      if (global_only) return;
      for (std::size_t w = 0; w < max_warps; ++w) {
        warp.clock.fenced[w] = std::max(warp.clock.fenced[w], warp.clock.happened_before[w]);
      }
      warp.tick();
    };
    return;
  }
  to.execute = [](Warp& warp, LaneMask) {
    warp.clock.join(warp.acquired);
    warp.released = warp.clock;
    warp.tick();
  };
}

}  // namespace

MemoryOrder MemoryOrder::of(const Statement& statement) {
  MemoryOrder order;
  order.acquire = statement.has("acquire") || statement.has("acq_rel");
  order.release = statement.has("release") || statement.has("acq_rel");
  order.atomic =
      order.acquire || order.release || statement.has("volatile") || statement.has("relaxed") || statement.has("mmio");
  return order;
}

void MemoryOrder::before_write(Warp& warp) const {
  warp.block->shared.published.join(release ? warp.clock : warp.released);
  if (release) warp.tick();
}

void MemoryOrder::after_read(Warp& warp) const {
  warp.acquired.join(warp.block->shared.published);
  if (!acquire) return;
  warp.clock.join(warp.acquired);
  warp.tick();
}

bool decode_atomic(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name == "membar" || statement.name == "fence") {
    decode_fence(statement, to);
    return true;
  }
  const bool returns = statement.name == "atom";
  if (!returns && statement.name != "red") return false;
  const std::size_t first = returns ? 1 : 0;
  Atomic atomic{operation_of(statement),
                statement.type(),
                names_shared_memory(statement),
                MemoryOrder::of(statement),
                operands.address(statement.operand(first)),
                {},
                operands.values(statement.operand(first + 1)),
                {},
                0};
  atomic.bytes = static_cast<std::size_t>(atomic.type.register_bits()) / 8;
  if (atomic.bytes < 2 || atomic.bytes > 8) refuse(statement, "a type that is not emulated here");
  if (atomic.type.is_floating() && atomic.type.bits != 16 && atomic.operation != Operation::add &&
      atomic.operation != Operation::exchange) {
    refuse(statement, "an atomic operation that is not there");
  }
  const bool swaps = atomic.operation == Operation::compare_and_swap;
  atomic.others = swaps ? operands.values(statement.operand(first + 2)) : atomic.values;
  if (returns) atomic.destinations = operands.values(statement.operand(0));
  to.destinations = atomic.destinations;
  to.sources = atomic.values;
  to.sources.insert(to.sources.end(), atomic.others.begin(), atomic.others.end());
  to.sources.push_back(atomic.address.base);
  to.execute = [atomic](Warp& warp, LaneMask mask) { atomic.execute(warp, mask); };
  return true;
}

}  // namespace gable::emulated
