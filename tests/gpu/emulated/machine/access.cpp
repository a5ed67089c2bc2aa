// ld and st, and the checks of every access to memory.
#include "tests/gpu/emulated/machine/access.hpp"

#include <cstring>
#include <vector>

#include "tests/gpu/emulated/machine/block_order.hpp"
#include "tests/gpu/emulated/machine/global_memory.hpp"

namespace gable::emulated {
namespace {

bool lies_in(const std::byte* memory, std::uint64_t size, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t at = address - reinterpret_cast<std::uint64_t>(memory);
  return at < size && bytes <= size - at;
}

void check_alignment(std::uint64_t address, std::uint64_t bytes) {
  if ((address & (bytes - 1)) == 0) return;
  throw EmulationError(range_text(address, bytes) + " are misaligned: the address is no multiple of the size");
}

bool lies_in_global_memory(std::uint64_t address, std::uint64_t bytes) {
  return is_allocated(address, bytes) && !is_constant(address);
}

/// ld and st, taken apart.
struct Transfer {
  Space space;
  AccessKind kind;
  Address address;
  std::vector<Register> registers;
};

/// `bits`: those that the registers have.
template <class T>
void load(Warp& warp, LaneMask mask, const Transfer& from, std::uint64_t bits) {
  const LaneValues places = access(warp, mask, from.address, sizeof(T) * from.registers.size(), from.space, from.kind);
  for (std::size_t i = 0; i < from.registers.size(); ++i) {
    if (from.registers[i] == no_register) continue;
    std::uint64_t* values = warp.values(from.registers[i]);
    for_lanes(mask, [&](std::size_t lane) {
      T element;
      std::memcpy(&element, reinterpret_cast<const T*>(places[lane]) + i, sizeof(T));
      values[lane] = static_cast<std::uint64_t>(element) & bits;
    });
  }
}

template <class T>
void store(Warp& warp, LaneMask mask, const Transfer& to) {
  const LaneValues places = access(warp, mask, to.address, sizeof(T) * to.registers.size(), to.space, to.kind);
  for (std::size_t i = 0; i < to.registers.size(); ++i) {
    const std::uint64_t* values = warp.values(to.registers[i]);
    for_lanes(mask, [&](std::size_t lane) {
      const T element = static_cast<T>(values[lane]);
      std::memcpy(reinterpret_cast<T*>(places[lane]) + i, &element, sizeof(T));
    });
    if (to.kind != AccessKind::write) continue;
    for_lanes(mask, [&](std::size_t lane) {
      const T element = static_cast<T>(values[lane]);
      const auto* const place = reinterpret_cast<const T*>(places[lane]) + i;
      if (std::memcmp(place, &element, sizeof(T)) != 0)
        throw EmulationError("lanes write different values to one place");
    });
  }
}

/// The bits that each register of "{%r1, %r2}" or "%r1" has.
std::uint64_t register_bits(std::string_view text, const Operands& operands) {
  if (text.front() == '{') text = text.substr(1, text.size() - 2);
  std::uint64_t bits = ~std::uint64_t{0};
  for (const std::string& name : split(text, ',')) bits &= ~std::uint64_t{0} >> (64 - operands.bits(name));
  return bits;
}

}  // namespace

Space space_of(const Statement& statement) {
  static constexpr std::pair<const char*, Space> names[] = {
      {"global", Space::global}, {"shared", Space::shared},  {"shared::cta", Space::shared},
      {"local", Space::local},   {"const", Space::constant}, {"param", Space::parameters}};
  for (const auto& [name, space] : names) {
    if (statement.has(name)) return space;
  }
  return Space::generic;
}

LaneValues addresses_of(Warp& warp, const Address& address, Space space) {
  const std::uint64_t* base = warp.values(address.base);
  const bool shared = space == Space::shared;
  const std::uint64_t bits = shared ? 0xffffffffU : ~std::uint64_t{0};
  const std::uint64_t begin = shared ? reinterpret_cast<std::uint64_t>(warp.block->shared.data()) : 0;
  LaneValues all;
  for (std::size_t i = 0; i < warp_size; ++i) {
    all[i] = ((base[i] + static_cast<std::uint64_t>(address.offset)) & bits) + begin;
  }
  return all;
}

void check_place(const Warp& warp, std::size_t lane, std::uint64_t address, std::uint64_t bytes, Space space,
                 AccessKind kind) {
  const bool generic = space == Space::generic, reads = !is_write(kind);
  const auto& parameters = warp.block->parameters;
  const std::byte* const local = warp.frame->local_of(static_cast<std::uint32_t>(lane));
  if (generic && warp.block->shared.holds(address)) return;
  if ((generic || space == Space::global) && lies_in_global_memory(address, bytes)) return;
  if ((generic || space == Space::local) && lies_in(local, warp.frame->function->local_bytes, address, bytes)) return;
  if (reads && (generic || space == Space::constant) && is_allocated(address, bytes) && is_constant(address)) return;
  if (reads && (generic || space == Space::parameters) && lies_in(parameters.data(), parameters.size(), address, bytes))
    return;
  const char* const where =
      generic || space == Space::global ? " lie in no allocation: " : " lie in another state space: ";
  throw EmulationError(range_text(address, bytes) + where + nearest_allocation(address));
}

void check(Warp& warp, LaneMask mask, const LaneValues& addresses, std::uint64_t bytes, Space space, AccessKind kind) {
  SharedMemory& shared = warp.block->shared;
  bool is_shared = false, is_elsewhere = false;
  for_runs(mask, addresses, bytes, [&](std::uint64_t begin, std::uint64_t count) {
    check_alignment(begin, bytes);
    if (space == Space::shared || (space == Space::generic && shared.holds(begin))) {
      shared.use(kind, shared.offset_of(begin), count, warp.index, warp.clock);
      is_shared = true;
    } else if (space >= Space::constant) {
      check_place(warp, 0, begin, count, space, kind);
    } else if (space == Space::local || !lies_in_global_memory(begin, count)) {
      is_elsewhere = true;
    } else {
      use_global(kind, begin, count);
    }
  });
  if (is_elsewhere) {
    for_lanes(mask, [&](std::size_t lane) { check_place(warp, lane, addresses[lane], bytes, space, kind); });
  }
  if (!is_shared) return;
  const auto for_those = [&](auto&& each) {
    for_lanes(mask, [&](std::size_t lane) {
      const std::uint64_t address = addresses[lane];
      if (shared.holds(address)) each(static_cast<std::uint32_t>(lane), shared.offset_of(address));
    });
  };
  for_those([&](auto lane, auto offset) { shared.check_lane(kind, warp.epoch, lane, offset, bytes); });
  for_those([&](auto lane, auto offset) { shared.note_lane(kind, warp.epoch, lane, offset, bytes); });
}

LaneValues access(Warp& warp, LaneMask mask, const Address& address, std::uint64_t bytes, Space space,
                  AccessKind kind) {
  const LaneValues all = addresses_of(warp, address, space);
  check(warp, mask, all, bytes, space, kind);
  return all;
}

const std::byte* read_by_all(Warp& warp, std::uint64_t offset, std::uint64_t bytes) {
  SharedMemory& shared = warp.block->shared;
  check_alignment(offset, bytes);
  shared.use(AccessKind::read, offset, bytes, warp.index, warp.clock);
  shared.check_lane(AccessKind::read, warp.epoch, SharedMemory::every_lane, offset, bytes);
  shared.note_lane(AccessKind::read, warp.epoch, SharedMemory::every_lane, offset, bytes);
  return shared.data() + offset;
}

bool decode_memory(const Statement& statement, Operands& operands, Instruction& to) {
  const bool loads = statement.name == "ld";
  if (!loads && statement.name != "st") return false;
  allow(statement,
        " param global shared shared::cta local const v2 v4 v8 nc ca cg cs lu cv wb wt weak volatile relaxed acquire "
        "release cta gpu sys L1::no_allocate L1::evict_first L1::evict_last L2::64B L2::128B L2::256B ");
  const bool atomic =
      statement.has("volatile") || statement.has("relaxed") || statement.has("acquire") || statement.has("release");
  const AccessKind kind = loads    ? atomic ? AccessKind::atomic_read : AccessKind::read
                          : atomic ? AccessKind::atomic_write
                                   : AccessKind::write;
  const Space space = space_of(statement);
  if (!loads && (space == Space::constant || space == Space::parameters)) refuse(statement, "what is not written");
  const std::string& elements = statement.operand(loads ? 0 : 1);
  const Transfer transfer{space, kind, operands.address(statement.operand(loads ? 1 : 0)), operands.values(elements)};
  (loads ? to.destinations : to.sources) = transfer.registers;
  to.sources.push_back(transfer.address.base);
  const std::uint64_t bits = register_bits(elements, operands);
  const auto make = [&](auto zero) {
    using T = decltype(zero);
    if (loads) {
      to.execute = [transfer, bits](Warp& warp, LaneMask mask) { load<T>(warp, mask, transfer, bits); };
    } else {
      to.execute = [transfer](Warp& warp, LaneMask mask) { store<T>(warp, mask, transfer); };
    }
    return true;
  };
  const Type type = statement.type();
  return with_whole({type.is_signed() ? Type::Kind::signed_integer : Type::Kind::bits, type.register_bits()}, make);
}

}  // namespace gable::emulated
